// Closed loop, which also warms up: each connection is a user who sends again when the reply has come.

import type { HttpConnection } from '../target/http1/http-connection.ts';
import { NONE } from '../target/http1/http-connection.ts';
import type { LoadPattern, LoadThread } from './load-thread.ts';
import type { Pacer } from './pacing.ts';

export interface ClosedLoopOptions {
  readonly isWarmup: boolean;
  readonly startNs: number;
  /** No sample is issued from here on. */
  readonly endNs: number;
  /** First sample number that is not sent. */
  readonly sampleIdEnd: number;
}

export class ClosedLoop implements LoadPattern {
  readonly isWarmup: boolean;
  hasIssuedAll = false;
  readonly #thread: LoadThread;
  readonly #pacer: Pacer;
  readonly #options: ClosedLoopOptions;
  #hasStarted = false;
  /** Users who wait: after a refused connection, or while there is no room for their bytes. */
  readonly #resting: { readonly connection: HttpConnection; readonly untilNs: number }[] = [];

  constructor(thread: LoadThread, pacer: Pacer, options: ClosedLoopOptions) {
    this.#thread = thread;
    this.#pacer = pacer;
    this.#options = options;
    this.isWarmup = options.isWarmup;
  }

  start(): void {
    const { startNs } = this.#options;
    this.#pacer.start({
      nextDueNs: () => (this.#hasStarted ? Number.POSITIVE_INFINITY : startNs),
      send: () => {
        this.#hasStarted = true;
        // With fewer users than threads some threads have none.
        if (this.#thread.connections.length === 0) this.hasIssuedAll = true;
        // A copy: sending may end a sample at once, and its connection comes back here.
        for (const connection of [...this.#thread.connections]) this.connectionFree(connection);
        this.#thread.patternMoved();
      },
    });
  }

  stop(): void {
    this.hasIssuedAll = true;
    this.#pacer.stop();
  }

  connectionFree(connection: HttpConnection): void {
    if (!this.#hasStarted || this.hasIssuedAll || connection.hasSample) return;
    const thread = this.#thread;
    if (connection.state === 'connecting') return;
    const nowNs = thread.nowNs();
    if (nowNs >= this.#options.endNs) {
      this.hasIssuedAll = true;
      return;
    }
    if ((connection.hasRefused && !this.isWarmup) || !thread.recorder.hasRoom) {
      connection.hasRefused = false;
      this.#resting.push({ connection, untilNs: nowNs + REST_NS });
      return;
    }
    this.#issue(connection);
  }

  connectionLost(connection: HttpConnection): void {
    this.connectionFree(connection);
  }

  tick(nowNs: number): void {
    if (nowNs >= this.#options.endNs) this.hasIssuedAll = true;
    const due = this.#resting.filter(({ untilNs }) => untilNs <= nowNs).length;
    for (const { connection } of this.#resting.splice(0, due)) this.connectionFree(connection);
  }

  #issue(connection: HttpConnection): void {
    const sampleId = this.#thread.board.takeSampleId();
    if (sampleId >= this.#options.sampleIdEnd) {
      this.hasIssuedAll = true;
      return;
    }
    this.#thread.prepare(connection, sampleId);
    this.#thread.send(connection, NONE, this.isWarmup);
  }
}

/** After a refused connection: longer than a tick, short beside any server's start. */
const REST_NS = 50e6;
