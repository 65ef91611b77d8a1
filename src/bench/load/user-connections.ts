// Connections of users who send one request after another. With one target each user has one connection; with several
// a user changes to one for the next request's target, and unused ones are set aside. If a server closes after each
// reply, connections are opened before users need them, so that no request waits for a handshake.

import { shareOf } from '../schedule/arrivals.ts';
import type { HttpConnection } from '../target/http1/http-connection.ts';
import { FailureBackoff } from './failure-backoff.ts';
import { FreeConnections } from './free-connections.ts';
import { targetsOf } from './load-plan.ts';
import type { LoadThread } from './load-thread.ts';

export class UserConnections {
  readonly #thread: LoadThread;
  /** Connection of each user. */
  readonly #own: HttpConnection[];
  readonly #users: Map<HttpConnection, number>;
  readonly #free: FreeConnections;
  readonly #opening: Set<HttpConnection> = new Set();
  /** By target: one that refuses connections is not retried at once. */
  readonly #backoff: FailureBackoff = new FailureBackoff();
  readonly #openFromNs: number[] = [];

  /** As many users as there are connections to each target. */
  constructor(thread: LoadThread) {
    const { connections, plan } = thread;
    this.#thread = thread;
    this.#own = connections.slice(0, Math.ceil(thread.openedAtFirst / targetsOf(plan).length));
    this.#users = new Map(this.#own.map((connection, user) => [connection, user]));
    this.#free = new FreeConnections(
      thread,
      Math.min(
        Math.max(connections.length + this.#aheadMax, plan.connections.max),
        plan.connections.limit === undefined
          ? Number.POSITIVE_INFINITY
          : shareOf(plan.connections.limit, { index: thread.thread, of: plan.threads.load }),
      ),
    );
    for (const connection of connections.slice(this.#own.length)) this.#free.free(connection);
  }

  get count(): number {
    return this.#own.length;
  }

  /** Returns a copy. */
  between(from: number, to: number): readonly HttpConnection[] {
    return this.#own.slice(from, to);
  }

  /** undefined: it belongs to no user. */
  userOf(connection: HttpConnection): number | undefined {
    return this.#users.get(connection);
  }

  /** A connection without a user was opened. */
  freed(connection: HttpConnection): void {
    if (this.#opening.delete(connection)) this.#backoff.after(connection.target, OPENED);
    this.#free.free(connection);
  }

  /** A connection without a user was lost. */
  lost(connection: HttpConnection): void {
    if (this.#opening.delete(connection))
      this.#openFromNs[connection.target] =
        this.#thread.nowNs() + this.#backoff.after(connection.target, NOT_OPENED);
    this.#free.lost(connection);
  }

  /** The same user's connection to that target. */
  to(target: number, connection: HttpConnection): HttpConnection {
    const isThere = connection.target === target;
    const isReplaced = isThere && connection.state === 'closed' && this.#thread.closing.closes(target);
    if (isThere && !isReplaced) return connection;
    const user = this.#users.get(connection);
    const other = this.#free.takeIdle(target) ?? (isThere ? undefined : this.#free.takeClosed(target));
    if (user === undefined || other === undefined) {
      if (isThere) return connection;
      connection.close();
      connection.goTo(target);
      return connection;
    }
    this.#users.delete(connection);
    this.#users.set(other, user);
    this.#own[user] = other;
    this.#free.free(connection);
    return other;
  }

  /** For each target that closes after a reply, an open connection for each user is kept ready. */
  openAhead(): void {
    const { closing, plan } = this.#thread;
    for (let target = 0; target < targetsOf(plan).length; target += 1) {
      if (!closing.closes(target) || this.#thread.nowNs() < (this.#openFromNs[target] ?? 0)) continue;
      let ready = this.#free.idleCount(target);
      for (const connection of this.#opening) if (connection.target === target) ready += 1;
      for (; ready < this.#aheadMax; ready += 1) {
        const connection = this.#free.takeNew(target);
        if (connection === undefined) break;
        this.#opening.add(connection);
        this.#thread.openedAhead();
        connection.open();
      }
    }
  }

  get #aheadMax(): number {
    return Math.min(this.#own.length, AHEAD_MAX);
  }
}

const OPENED = { hasFailed: false, tookNs: 0 };
const NOT_OPENED = { hasFailed: true, tookNs: 0 };
/** Limit for a thread and target: each occupies a thread of servers such as cpp-httplib. */
const AHEAD_MAX = 64;
