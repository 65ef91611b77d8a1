// Connections of users who send one request after the other. With one target each user keeps to a connection; with several a user
// changes to one that goes where the next request does, and those in nobody's hands stand aside.

import type { HttpConnection } from '../target/http1/http-connection.ts';
import { FreeConnections } from './free-connections.ts';
import { targetsOf } from './load-plan.ts';
import type { LoadThread } from './load-thread.ts';

export class UserConnections {
  /** By user. */
  readonly #own: HttpConnection[];
  readonly #aside: Aside | undefined;

  /** As many users as there are connections to each target. */
  constructor(thread: LoadThread) {
    const { connections, plan } = thread;
    const targets = targetsOf(plan).length;
    if (targets === 1) this.#own = connections;
    else {
      this.#own = connections.slice(0, Math.ceil(connections.length / targets));
      const free = new FreeConnections(thread, Math.max(connections.length, plan.connections.max));
      for (const connection of connections.slice(this.#own.length)) free.free(connection);
      this.#aside = { free, users: new Map(this.#own.map((connection, user) => [connection, user])) };
    }
  }

  get count(): number {
    return this.#own.length;
  }

  /** A copy. */
  between(from: number, to: number): readonly HttpConnection[] {
    return this.#own.slice(from, to);
  }

  /** undefined: nobody's. */
  userOf(connection: HttpConnection): number | undefined {
    return this.#aside === undefined ? connection.slot : this.#aside.users.get(connection);
  }

  /** Of nobody's. */
  lost(connection: HttpConnection): void {
    this.#aside?.free.lost(connection);
  }

  /** The connection of the same user that goes there. */
  to(target: number, connection: HttpConnection): HttpConnection {
    if (connection.target === target || this.#aside === undefined) return connection;
    const { free, users } = this.#aside;
    const user = users.get(connection);
    const other = free.takeIdle(target) ?? free.takeClosed(target);
    if (user === undefined || other === undefined) {
      connection.close();
      connection.goTo(target);
      return connection;
    }
    users.delete(connection);
    users.set(other, user);
    this.#own[user] = other;
    free.free(connection);
    return other;
  }
}

interface Aside {
  readonly free: FreeConnections;
  readonly users: Map<HttpConnection, number>;
}
