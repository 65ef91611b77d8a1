// Open loop: a schedule that does not wait for replies. Each arrival finds an idle connection, since a few are kept
// spare, or waits for one that is opened for it; beyond the maximum it fails with that reason, rather than waiting
// for the server. With a cap on requests in flight it does wait, and that time is reported separately from lateness
// of this client.

import type { Arrivals } from '../schedule/arrivals.ts';
import { OwnArrivals, type OwnArrivalsOptions } from '../schedule/own-arrivals.ts';
import type { HttpConnection } from '../target/http1/http-connection.ts';
import { FailureBackoff } from './failure-backoff.ts';
import { FreeConnections } from './free-connections.ts';
import { InFlightSlots } from './in-flight-slots.ts';
import { type LoadPattern, targetOfSample } from './load-plan.ts';
import type { LoadThread } from './load-thread.ts';
import type { Pacer } from './pacing.ts';

interface OpenLoopOptions {
  /** Creates the schedule from its beginning. */
  readonly arrivals: () => Arrivals;
  readonly own: Omit<OwnArrivalsOptions, 'arrivals'>;
  readonly firstSampleId: number;
  /** Limit of this thread; undefined: no cap. */
  readonly inFlightCap: number | undefined;
  readonly connectionsMax: number;
  /** Idle connections kept ready for the next arrivals. */
  readonly spareConnections: number;
}

export class OpenLoop implements LoadPattern {
  readonly isWarmup = false;
  hasIssuedAll = false;
  readonly #thread: LoadThread;
  readonly #pacer: Pacer;
  readonly #options: OpenLoopOptions;
  readonly #own: OwnArrivals;
  readonly #slots: InFlightSlots | undefined;
  readonly #backlog: Backlog | undefined;
  readonly #connections: FreeConnections;
  /** Shares of the targets. */
  readonly #shares: readonly number[];
  readonly #openingSpare: Set<HttpConnection> = new Set();
  /** By target: spare connections to one that refuses them are not retried at once. */
  readonly #backoff: FailureBackoff = new FailureBackoff();
  readonly #spareFromNs: number[] = [];
  /** Idle, with the request of the next arrival ready in it. */
  #prepared: HttpConnection | undefined;

  constructor(thread: LoadThread, pacer: Pacer, options: OpenLoopOptions) {
    this.#thread = thread;
    this.#connections = new FreeConnections(thread, options.connectionsMax);
    this.#pacer = pacer;
    this.#options = options;
    this.#shares = thread.plan.spread?.shares ?? [1];
    const own = (): OwnArrivals => new OwnArrivals({ ...options.own, arrivals: options.arrivals() });
    this.#own = own();
    this.hasIssuedAll = this.#own.hasEnded;
    if (options.inFlightCap === undefined) return;
    this.#slots = new InFlightSlots(options.inFlightCap);
    this.#backlog = new Backlog(own());
  }

  start(): void {
    for (const connection of this.#thread.connections) this.connectionFree(connection);
    this.#prepareNext();
    this.#pacer.start({
      nextDueNs: () =>
        this.hasIssuedAll || this.#slots?.free === 0 || !this.#thread.requests.has(this.#sampleId)
          ? Number.POSITIVE_INFINITY
          : this.#own.dueNs,
      send: dueNs => this.#send(dueNs),
    });
  }

  stop(): void {
    this.#end(this.#thread.nowNs());
    this.#pacer.stop();
  }

  connectionFree(connection: HttpConnection): void {
    if (this.#openingSpare.delete(connection)) this.#backoff.after(connection.target, OPENED);
    this.#connections.free(connection);
  }

  sampleEnded(connection: HttpConnection): void {
    this.connectionFree(connection);
    if (this.#slots === undefined) return;
    this.#slots.release(connection.endedNs);
    this.#pacer.wake();
  }

  connectionLost(connection: HttpConnection): void {
    if (this.#openingSpare.delete(connection))
      this.#spareFromNs[connection.target] =
        this.#thread.nowNs() + this.#backoff.after(connection.target, NOT_OPENED);
    if (this.#prepared === connection) this.#prepared = undefined;
    this.#connections.lost(connection);
  }

  requestsCame(): void {
    if (this.#prepared === undefined) this.#prepareNext();
    this.#pacer.wake();
  }

  tick(nowNs: number): void {
    if (this.#slots !== undefined && nowNs >= this.#options.own.endNs) this.#end(nowNs);
    if (this.#prepared === undefined) this.#prepareNext();
    this.#keepSpare();
  }

  waiting(nowNs: number): number {
    return this.#backlog?.waiting(nowNs) ?? 0;
  }

  #send(dueNs: number): void {
    const slots = this.#slots;
    if (slots !== undefined && this.#thread.nowNs() >= this.#options.own.endNs) {
      this.#end(this.#options.own.endNs);
      this.#thread.patternMoved();
      return;
    }
    const isWarmup = !this.#own.isMeasured;
    const connection = this.#takeConnection();
    if (connection === undefined) this.#refuse(dueNs, isWarmup, 'all connections are busy');
    else if (!this.#thread.recorder.hasRoom) this.#refuseWith(connection, dueNs, isWarmup);
    else this.#thread.send(connection, dueNs, slots?.take(dueNs) ?? 0, isWarmup);
    this.#backlog?.taken();
    this.#own.advance();
    if (this.#own.hasEnded) this.hasIssuedAll = true;
    this.#prepareNext();
    this.#keepSpare();
    if (this.hasIssuedAll) this.#thread.patternMoved();
  }

  /** Arrivals that still wait are never sent: the duration is a limit. */
  #end(nowNs: number): void {
    if (!this.hasIssuedAll) this.#backlog?.close(nowNs);
    this.hasIssuedAll = true;
  }

  #refuse(dueNs: number, isWarmup: boolean, detail: string): void {
    this.#thread.refuse(this.#sampleId, dueNs, isWarmup, detail);
  }

  #refuseWith(connection: HttpConnection, dueNs: number, isWarmup: boolean): void {
    this.#thread.arenaFull();
    this.#refuse(dueNs, isWarmup, 'no space for a reply: the parse thread is behind');
    this.connectionFree(connection);
  }

  get #sampleId(): number {
    return this.#options.firstSampleId + this.#own.index;
  }

  /** Target of the next arrival. */
  get #target(): number {
    return targetOfSample(this.#thread.plan, this.#sampleId);
  }

  /** The one whose request is ready, else one that is opened for this sample. */
  #takeConnection(): HttpConnection | undefined {
    const prepared = this.#prepared;
    this.#prepared = undefined;
    if (prepared !== undefined) return prepared;
    const target = this.#target;
    const connection = this.#connections.takeIdle(target) ?? this.#connections.takeClosed(target);
    if (connection !== undefined) this.#thread.prepare(connection, this.#sampleId);
    return connection;
  }

  #prepareNext(): void {
    if (this.hasIssuedAll || !this.#thread.requests.has(this.#sampleId)) return;
    const connection = this.#connections.takeIdle(this.#target);
    if (connection === undefined) return;
    this.#thread.prepare(connection, this.#sampleId);
    this.#prepared = connection;
  }

  #keepSpare(): void {
    if (this.hasIssuedAll || this.#openingSpare.size >= OPENING_SPARE_MAX) return;
    // No more than arrivals could use.
    const wanted = Math.min(this.#options.spareConnections, this.#slots?.free ?? Number.POSITIVE_INFINITY);
    const nowNs = this.#thread.nowNs();
    const target = this.#shares.findIndex(
      (share, of) =>
        this.#ready(of) < this.#wanted(wanted * share, of) && nowNs >= (this.#spareFromNs[of] ?? 0),
    );
    if (target < 0) return;
    const connection = this.#connections.takeClosed(target);
    if (connection === undefined) return;
    this.#openingSpare.add(connection);
    if (this.#thread.closing.closes(target)) this.#thread.openedAhead();
    connection.open();
  }

  /** If the server closes after each reply, every arrival needs a newly opened one. */
  #wanted(spare: number, target: number): number {
    const least = this.#thread.closing.closes(target) ? SPARE_LEAST_OF_CLOSING : 0;
    return Math.max(Math.ceil(spare), least);
  }

  #ready(target: number): number {
    let ready = this.#connections.idleCount(target);
    for (const connection of this.#openingSpare) if (connection.target === target) ready += 1;
    return ready;
  }
}

/** How many arrivals are due and not sent: a second iteration of the schedule, so that no queue is needed. */
class Backlog {
  readonly #ahead: OwnArrivals;
  #due = 0;
  #taken = 0;
  #isClosed = false;

  constructor(ahead: OwnArrivals) {
    this.#ahead = ahead;
  }

  taken(): void {
    this.#taken += 1;
  }

  waiting(nowNs: number): number {
    for (; !this.#isClosed && this.#ahead.dueNs <= nowNs; this.#due += 1) this.#ahead.advance();
    return Math.max(0, this.#due - this.#taken);
  }

  /** Nothing becomes due from here on. */
  close(nowNs: number): void {
    this.waiting(nowNs);
    this.#isClosed = true;
  }
}

const OPENED = { hasFailed: false, tookNs: 0 };
const NOT_OPENED = { hasFailed: true, tookNs: 0 };
/** As many as are opened at a time. */
const SPARE_LEAST_OF_CLOSING = 8;
/** In parallel at most, so that connecting does not delay what is measured. */
const OPENING_SPARE_MAX = 4;
