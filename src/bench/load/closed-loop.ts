// Closed loop, also used for warm-up: each connection is a user who sends again when the reply has arrived. If the
// load varies, users join as it rises and stop after their current request as it falls.

import { shareOf } from '../schedule/arrivals.ts';
import type { LoadProfile } from '../schedule/load-profile.ts';
import { ProfileUsers } from '../schedule/profile-users.ts';
import { type HttpConnection, NONE, type RequestEnd } from '../target/http1/http-connection.ts';
import { FailureBackoff } from './failure-backoff.ts';
import type { LoadPattern } from './load-pattern.ts';
import { targetOfSample, threadShare } from './load-plan.ts';
import type { LoadThread } from './load-thread.ts';
import type { Pacer } from './pacing.ts';
import { UserConnections } from './user-connections.ts';

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
      this.#resting.set(connection, { sinceNs: nowNs, untilNs: nowNs + NO_ROOM_NS, isBackoff: false });
      return;
    }
    this.#issue(connection, nowNs);
  }

  sampleEnded(connection: HttpConnection): void {
    const user = this.#connections.userOf(connection);
    const waitNs = user === undefined ? 0 : this.#backoff.after(user, this.#endOf(connection));
    if (waitNs > 0 && !this.hasIssuedAll) {
      const sinceNs = this.#thread.nowNs();
      this.#resting.set(connection, { sinceNs, untilNs: sinceNs + waitNs, isBackoff: true });
    }
    this.connectionFree(connection);
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
      this.connectionFree(connection);
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
      this.#nextRiseNs = Number.POSITIVE_INFINITY;
      this.#invited = count;
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

  #issue(connection: HttpConnection, nowNs: number): void {
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
    this.#thread.send(sending, NONE, 0, this.isWarmup || isBefore);
    this.#connections.openAhead();
  }
}

interface Rest {
  readonly sinceNs: number;
  readonly untilNs: number;
  /** Waits after a failure, not for lack of room. */
  readonly isBackoff: boolean;
}

/** Longer than a tick: the parse thread has made progress by then. */
const NO_ROOM_NS = 50e6;
