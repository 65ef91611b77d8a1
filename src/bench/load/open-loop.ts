// Open loop: a schedule that waits for nobody. Each arrival finds an idle connection, since a few are kept spare, or waits
// for one that is opened for it; past the most connections it fails, and says so, rather than waiting for the server.

import type { Arrivals } from '../schedule/arrivals.ts';
import type { HttpConnection } from '../target/http1/http-connection.ts';
import type { LoadPattern, LoadThread } from './load-thread.ts';
import type { Pacer } from './pacing.ts';

export interface OpenLoopOptions {
  readonly arrivals: Arrivals;
  readonly startNs: number;
  /** No sample is due from here on. */
  readonly endNs: number;
  readonly firstSampleId: number;
  readonly sampleIdEnd: number;
  /** Each sends every n-th arrival of the schedule, n being their number. */
  readonly threads: number;
  readonly connectionsMax: number;
  /** Idle connections kept ready for arrivals to come. */
  readonly spareConnections: number;
}

export class OpenLoop implements LoadPattern {
  readonly isWarmup = false;
  hasIssuedAll = false;
  readonly #thread: LoadThread;
  readonly #pacer: Pacer;
  readonly #options: OpenLoopOptions;
  readonly #idle: HttpConnection[] = [];
  readonly #closed: HttpConnection[] = [];
  readonly #openingSpare: Set<HttpConnection> = new Set();
  #sampleId: number;
  #dueNs = 0;
  /** Idle, with the request of `#sampleId` ready in it. */
  #prepared: HttpConnection | undefined;

  constructor(thread: LoadThread, pacer: Pacer, options: OpenLoopOptions) {
    this.#thread = thread;
    this.#pacer = pacer;
    this.#options = options;
    this.#sampleId = options.firstSampleId + thread.thread - options.threads;
    this.#advance(thread.thread);
  }

  start(): void {
    for (const connection of this.#thread.connections) this.connectionFree(connection);
    this.#prepareNext();
    this.#pacer.start({
      nextDueNs: () => (this.hasIssuedAll ? Number.POSITIVE_INFINITY : this.#dueNs),
      send: dueNs => this.#send(dueNs),
    });
  }

  stop(): void {
    this.hasIssuedAll = true;
    this.#pacer.stop();
  }

  connectionFree(connection: HttpConnection): void {
    this.#openingSpare.delete(connection);
    if (connection.state === 'idle') this.#idle.push(connection);
    else if (connection.state === 'closed') this.#closed.push(connection);
  }

  connectionLost(connection: HttpConnection): void {
    this.#openingSpare.delete(connection);
    const at = this.#idle.indexOf(connection);
    if (at >= 0) this.#idle.splice(at, 1);
    if (this.#prepared === connection) this.#prepared = undefined;
    this.#closed.push(connection);
  }

  tick(): void {
    if (this.#prepared === undefined) this.#prepareNext();
    this.#keepSpare();
  }

  #send(dueNs: number): void {
    const connection = this.#takeConnection();
    if (connection === undefined) this.#thread.refuse(this.#sampleId, dueNs, 'all connections are busy');
    else if (!this.#thread.recorder.hasRoom) this.#refuse(connection, dueNs);
    else this.#thread.send(connection, dueNs, false);
    this.#advance(this.#options.threads - 1);
    this.#prepareNext();
    this.#keepSpare();
    if (this.hasIssuedAll) this.#thread.patternMoved();
  }

  #refuse(connection: HttpConnection, dueNs: number): void {
    this.#thread.arenaFull();
    this.#thread.refuse(this.#sampleId, dueNs, 'no space for a reply: the parse thread is behind');
    this.connectionFree(connection);
  }

  /** The one whose request is ready, else one that is opened for this sample. */
  #takeConnection(): HttpConnection | undefined {
    const prepared = this.#prepared;
    this.#prepared = undefined;
    if (prepared !== undefined) return prepared;
    const connection = this.#idle.pop() ?? this.#closedOrNew();
    if (connection !== undefined) this.#thread.prepare(connection, this.#sampleId);
    return connection;
  }

  #closedOrNew(): HttpConnection | undefined {
    const closed = this.#closed.pop();
    if (closed !== undefined) return closed;
    if (this.#thread.connections.length >= this.#options.connectionsMax) return undefined;
    return this.#thread.addConnection();
  }

  #prepareNext(): void {
    if (this.hasIssuedAll) return;
    const connection = this.#idle.pop();
    if (connection === undefined) return;
    this.#thread.prepare(connection, this.#sampleId);
    this.#prepared = connection;
  }

  /** To this thread's next arrival, past those of the others. */
  #advance(skipped: number): void {
    const { arrivals, startNs, endNs, sampleIdEnd, threads } = this.#options;
    for (let left = skipped; left > 0; left -= 1) arrivals.nextNs();
    this.#dueNs = startNs + arrivals.nextNs();
    this.#sampleId += threads;
    if (this.#dueNs >= endNs || this.#sampleId >= sampleIdEnd) this.hasIssuedAll = true;
  }

  #keepSpare(): void {
    const ready = this.#idle.length + this.#openingSpare.size;
    if (this.hasIssuedAll || ready >= this.#options.spareConnections) return;
    if (this.#openingSpare.size >= OPENING_SPARE_MAX) return;
    const connection = this.#closedOrNew();
    if (connection === undefined) return;
    this.#openingSpare.add(connection);
    connection.open();
  }
}

/** At a time, so that setting up does not delay what is measured. */
const OPENING_SPARE_MAX = 4;
