// Closed loop, also used for warm-up: each connection is a user who sends again when the reply has arrived. If the
// load varies, users join as it rises and stop after their current request as it falls.

import { shareOf } from '../schedule/arrivals.ts';
import type { LoadProfile } from '../schedule/load-profile.ts';
import { ProfileUsers } from '../schedule/profile-users.ts';
import { type HttpConnection, NONE, type RequestEnd } from '../target/http1/http-connection.ts';
import { FailureBackoff } from './failure-backoff.ts';
import { FreeConnections } from './free-connections.ts';
import { type LoadPattern, targetOfSample, targetsOf, threadShare } from './load-plan.ts';
import type { LoadThread } from './load-thread.ts';
import type { Pacer } from './pacing.ts';

interface ClosedLoopOptions {
  readonly isWarmup: boolean;
  readonly startNs: number;
  /** No sample is issued from here on. */
  readonly endNs: number;
  /** First sample number that is not sent. */
  readonly sampleIdEnd: number;
  /** undefined: all connections are users throughout. */
  readonly course: ClosedLoopProfile | undefined;
}

export interface ClosedLoopProfile {
  readonly course: LoadProfile;
  /** Requests sent before it are not measured. */
  readonly measuredFromNs: number;
  /** Limit of measured samples, all threads of this machine together. */
  readonly samplesMax: number;
}

export class ClosedLoop implements LoadPattern {
  readonly isWarmup: boolean;
  hasIssuedAll = false;
  readonly #thread: LoadThread;
  readonly #pacer: Pacer;
  readonly #options: ClosedLoopOptions;
  readonly #connections: UserConnections;
  readonly #users: ProfileUsers | undefined;
  #nextRiseNs: number;
  #hasStarted = false;
  /** Number of users that have started. */
  #invited = 0;
  /** Users who wait: after a request that failed at once, or while there is no room for their bytes. */
  readonly #resting: Map<HttpConnection, Rest> = new Map();
  readonly #backoff: FailureBackoff = new FailureBackoff();

  constructor(thread: LoadThread, pacer: Pacer, options: ClosedLoopOptions) {
    this.#thread = thread;
    this.#connections = new UserConnections(thread);
    this.#pacer = pacer;
    this.#options = options;
    this.isWarmup = options.isWarmup;
    this.#nextRiseNs = options.startNs;
    if (options.course !== undefined) this.#users = new ProfileUsers(options.course.course);
  }

  start(): void {
    this.#pacer.start({ nextDueNs: () => this.#nextRiseNs, send: () => this.#rise() });
  }

  stop(): void {
    this.hasIssuedAll = true;
    this.#pacer.stop();
    this.#wake(this.#thread.nowNs(), () => true);
  }

  connectionFree(connection: HttpConnection): void {
    this.#free(connection, NONE);
  }

  /** @param dueNs when its user meant to send again; NONE: now */
  #free(connection: HttpConnection, dueNs: number): void {
    if (this.#connections.userOf(connection) === undefined) {
      this.#connections.freed(connection);
      return;
    }
    if (!this.#hasStarted || this.hasIssuedAll || connection.hasSample || this.#resting.has(connection))
      return;
    const thread = this.#thread;
    if (connection.state === 'connecting') return;
    const nowNs = thread.nowNs();
    if (nowNs >= this.#options.endNs) {
      this.hasIssuedAll = true;
      return;
    }
    if (this.#users !== undefined && this.#hasLeft(connection, nowNs)) return;
    if (!thread.recorder.hasRoom) {
      this.#resting.set(connection, {
        sinceNs: nowNs,
        untilNs: nowNs + NO_ROOM_NS,
        isBackoff: false,
        dueNs,
      });
      return;
    }
    this.#issue(connection, nowNs, dueNs);
  }

  sampleEnded(connection: HttpConnection): void {
    const user = this.#connections.userOf(connection);
    const waitNs = user === undefined ? 0 : this.#backoff.after(user, this.#endOf(connection));
    if (waitNs > 0 && !this.hasIssuedAll) {
      const sinceNs = this.#thread.nowNs();
      this.#resting.set(connection, {
        sinceNs,
        untilNs: sinceNs + waitNs,
        isBackoff: true,
        dueNs: NONE,
      });
    }
    this.#free(connection, connection.endedNs);
  }

  #endOf({ lastEnd }: HttpConnection): RequestEnd {
    return this.#thread.isFailing ? { ...lastEnd, hasFailed: true } : lastEnd;
  }

  connectionLost(connection: HttpConnection): void {
    if (this.#connections.userOf(connection) === undefined) this.#connections.lost(connection);
    else this.connectionFree(connection);
  }

  tick(nowNs: number): void {
    if (nowNs >= this.#options.endNs) this.hasIssuedAll = true;
    this.#wake(nowNs, ({ untilNs }) => this.hasIssuedAll || untilNs <= nowNs);
  }

  waiting(): number {
    return 0;
  }

  #wake(nowNs: number, isDue: (rest: Rest) => boolean): void {
    for (const [connection, rest] of this.#resting) {
      if (!isDue(rest)) continue;
      this.#resting.delete(connection);
      if (rest.isBackoff) this.#thread.backedOff(nowNs - rest.sinceNs);
      this.#free(connection, rest.dueNs);
    }
  }

  #rise(): void {
    this.#hasStarted = true;
    const { count } = this.#connections;
    // With fewer users than threads some threads have none.
    if (count === 0) this.hasIssuedAll = true;
    const from = this.#invited;
    const users = this.#users;
    if (users === undefined) {
      // One at a time: the pacer serves the sockets in between, whose first replies would be merged otherwise.
      this.#invited = Math.min(count, from + 1);
      if (this.#invited === count) this.#nextRiseNs = Number.POSITIVE_INFINITY;
    } else {
      const nowNs = this.#thread.nowNs();
      const { startNs } = this.#options;
      this.#nextRiseNs = startNs + users.nextRiseNs(nowNs - startNs);
      this.#invited = Math.min(count, this.#usersAt(users, nowNs));
    }
    // A copy: sending may end a sample at once, and its connection is returned here.
    for (const connection of this.#connections.between(from, this.#invited)) this.connectionFree(connection);
    this.#thread.patternMoved();
  }

  /** Its user has not joined yet, or has left. */
  #hasLeft(connection: HttpConnection, nowNs: number): boolean {
    const users = this.#users;
    if (users === undefined) return false;
    // A user that leaves joins again when the level rises again.
    this.#invited = Math.min(this.#invited, this.#usersAt(users, nowNs));
    return (this.#connections.userOf(connection) ?? 0) >= this.#invited;
  }

  /** Users of this thread. */
  #usersAt(users: ProfileUsers, nowNs: number): number {
    const { thread, plan } = this.#thread;
    return shareOf(users.at(nowNs - this.#options.startNs), threadShare(plan, thread));
  }

  #issue(connection: HttpConnection, nowNs: number, dueNs: number): void {
    const { board } = this.#thread;
    const { sampleIdEnd, course } = this.#options;
    const isBefore = course !== undefined && nowNs < course.measuredFromNs;
    const isTooMany = course !== undefined && !isBefore && board.takeMeasured() >= course.samplesMax;
    const sampleId = isTooMany ? sampleIdEnd : board.takeSampleId(this.#thread.plan.share.of);
    if (isTooMany || sampleId >= sampleIdEnd) {
      this.hasIssuedAll = true;
      return;
    }
    const sending = this.#connections.to(targetOfSample(this.#thread.plan, sampleId), connection);
    this.#thread.prepare(sending, sampleId);
    this.#thread.send(sending, dueNs, 0, this.isWarmup || isBefore);
    this.#connections.openAhead();
  }
}

interface Rest {
  readonly sinceNs: number;
  readonly untilNs: number;
  /** Waits after a failure, not for lack of room. */
  readonly isBackoff: boolean;
  readonly dueNs: number;
}

/** Longer than a tick: the parse thread has made progress by then. */
const NO_ROOM_NS = 50e6;

// Connections of users who send one request after another. With one target each user has one connection; with several
// a user changes to one for the next request's target, and unused ones are set aside. If a server closes after each
// reply, connections are opened before users need them, so that no request waits for a handshake.
class UserConnections {
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
