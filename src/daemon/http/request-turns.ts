// Which request is served next. A connection has one at a time, however many its client sends ahead: Node would give all that
// one read contains to the routes at once, and each would keep its whole reply in memory. Requests without the token are served
// one in a turn of the event loop, with a pause as long as each took, so that those of the owner and everything else the daemon does
// come between them and have half of the time.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Clock, pause } from '../../clock/clock.ts';

interface RequestTurn {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Costs nearly nothing, or shows the token: does not wait for requests of other connections. */
  readonly isAhead: boolean;
  readonly serve: () => void;
}

interface RequestTurnsParts {
  /** Of the machine: what is measured is the time that replies take. */
  readonly clock: Clock;
  /** Requests of one connection that wait for the reply before theirs: past it the connection is cut. */
  readonly pipelinedMax: number;
}

export class RequestTurns implements AsyncDisposable {
  readonly #parts: RequestTurnsParts;
  /** Requests that wait for the reply before theirs; of connections with a request in progress. */
  readonly #behind = new WeakMap<Socket, RequestTurn[]>();
  /** At most one of each connection. */
  readonly #others: RequestTurn[] = [];
  #othersServed: Promise<void> | undefined;
  readonly #stop = new AbortController();

  constructor(parts: RequestTurnsParts) {
    this.#parts = parts;
  }

  add(turn: RequestTurn): void {
    const { socket } = turn.request;
    const behind = this.#behind.get(socket);
    if (behind === undefined) {
      this.#behind.set(socket, []);
      this.#begin(turn);
    } else if (behind.length < this.#parts.pipelinedMax) behind.push(turn);
    else socket.destroy();
  }

  #begin(turn: RequestTurn): void {
    const { socket } = turn.request;
    turn.response.once('close', () => {
      const next = this.#behind.get(socket)?.shift();
      if (next === undefined) this.#behind.delete(socket);
      // Node gives the socket to the reply behind when the one before is over, unless the connection ends with that one.
      else if (next.response.socket !== null) this.#begin(next);
    });
    if (turn.isAhead) turn.serve();
    else {
      this.#others.push(turn);
      this.#othersServed ??= this.#serveOthers();
    }
  }

  async #serveOthers(): Promise<void> {
    const { clock } = this.#parts;
    await nextTurn();
    for (let turn = this.#others.shift(); turn !== undefined; turn = this.#others.shift()) {
      if (turn.request.socket.destroyed) continue;
      const startMs = clock.nowMs();
      turn.serve();
      await nextTurn();
      const tookMs = clock.nowMs() - startMs;
      if (tookMs > SHORT_MS) await pause(clock, Math.min(tookMs, PAUSE_MS_MAX), this.#stop.signal);
    }
    this.#othersServed = undefined;
  }

  /** Ends a pause. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#othersServed;
  }
}

/** Shorter than a timer waits; the turn of the event loop is pause enough. */
const SHORT_MS = 2;
const PAUSE_MS_MAX = 30_000;
