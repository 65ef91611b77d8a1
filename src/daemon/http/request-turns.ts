// Which request is served next. A connection has one at a time, however many its client sends ahead: Node would give all that
// one read contains to the routes at once, and each would keep its whole reply in memory. Requests without the token are served
// one in a turn of the event loop, so that those of the owner and everything else the daemon does come between them.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface RequestTurn {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Costs nearly nothing, or shows the token: does not wait for requests of other connections. */
  readonly isAhead: boolean;
}

export class RequestTurns {
  readonly #pipelinedMax: number;
  readonly #serve: (turn: RequestTurn) => void;
  /** Requests that wait for the reply before theirs; of connections with a request in progress. */
  readonly #behind = new WeakMap<Socket, RequestTurn[]>();
  /** At most one of each connection. */
  readonly #others: RequestTurn[] = [];

  /** @param pipelinedMax requests of one connection that wait for the reply before theirs: past it the connection is cut */
  constructor(pipelinedMax: number, serve: (turn: RequestTurn) => void) {
    this.#pipelinedMax = pipelinedMax;
    this.#serve = serve;
  }

  add(turn: RequestTurn): void {
    const { socket } = turn.request;
    const behind = this.#behind.get(socket);
    if (behind === undefined) {
      this.#behind.set(socket, []);
      this.#begin(turn);
    } else if (behind.length < this.#pipelinedMax) behind.push(turn);
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
    if (turn.isAhead) this.#serve(turn);
    else if (this.#others.push(turn) === 1) this.#later();
  }

  #later(): void {
    setImmediate(() => {
      const turn = this.#others.shift();
      if (this.#others.length > 0) this.#later();
      if (turn !== undefined && !turn.request.socket.destroyed) this.#serve(turn);
    });
  }
}
