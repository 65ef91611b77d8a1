// Connections without a request: idle ones by target, and closed ones, which may be opened to any target. If the
// maximum is open and the target has none, the oldest idle one of another target is closed.

import type { HttpConnection } from '../target/http1/http-connection.ts';
import { targetsOf } from './load-plan.ts';
import type { LoadThread } from './load-thread.ts';

export class FreeConnections {
  readonly #thread: LoadThread;
  readonly #connectionsMax: number;
  readonly #idle: readonly HttpConnection[][];
  readonly #closed: HttpConnection[] = [];

  constructor(thread: LoadThread, connectionsMax: number) {
    this.#thread = thread;
    this.#connectionsMax = connectionsMax;
    this.#idle = targetsOf(thread.plan).map(() => []);
  }

  free(connection: HttpConnection): void {
    if (connection.state === 'idle') this.#idle[connection.target]?.push(connection);
    else if (connection.state === 'closed') this.#closed.push(connection);
  }

  lost(connection: HttpConnection): void {
    const idle = this.#idle[connection.target] ?? [];
    const at = idle.indexOf(connection);
    if (at >= 0) idle.splice(at, 1);
    this.#closed.push(connection);
  }

  idleCount(target: number): number {
    return this.#idle[target]?.length ?? 0;
  }

  takeIdle(target: number): HttpConnection | undefined {
    return this.#idle[target]?.pop();
  }

  /** A closed one, or a new one; never one of another target. undefined: the maximum is open. */
  takeNew(target: number): HttpConnection | undefined {
    const closed = this.#closed.pop();
    if (closed === undefined)
      return this.#thread.connections.length < this.#connectionsMax
        ? this.#thread.addConnection(target)
        : undefined;
    closed.goTo(target);
    return closed;
  }

  /** Taken from another target; undefined: all are busy. */
  takeClosed(target: number): HttpConnection | undefined {
    const fresh = this.takeNew(target);
    if (fresh !== undefined) return fresh;
    const spare = this.#idle.findLast((idle, of) => of !== target && idle.length > 0)?.shift();
    spare?.close();
    spare?.goTo(target);
    return spare;
  }
}
