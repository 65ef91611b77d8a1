// What a load thread measures about its own lateness: how busy its loop was against its CPU time (a thread that gets
// no CPU is busy without using it), how late timers and reads came, and the time of garbage collection.

import { PerformanceObserver, performance } from 'node:perf_hooks';
import type { LoopTimers } from '../../clock/loop-timers.ts';
import type { ClientRecord } from '../../core/run/event-record.ts';
import { Heartbeat } from '../arena/thread-board.ts';
import type { ReadLoop } from '../loop/read-loop.ts';
import type { ConnectionCounts } from '../target/http1/connection-owner.ts';
import { MarkReader } from './mark-reader.ts';
import type { ReadLateness } from './read-lateness.ts';

interface ClientWatchOptions {
  readonly thread: number;
  readonly nowNs: () => number;
  /** CPU time of the calling thread, µs. */
  readonly cpuMicros: () => number;
  /** undefined: timestamps are the kernel's, so a late read delays none. */
  readonly reads: ReadLateness | undefined;
  readonly counts: ConnectionCounts;
  readonly timers: LoopTimers;
  readonly meters: ThreadMeters;
}

/** Figures of a thread's load so far. */
interface LoadFigures {
  /** At this moment. */
  readonly arrivalsWaiting: number;
  readonly backoffNs: number;
  readonly connectionsAhead: number;
}

export class ClientWatch {
  readonly heartbeat: Heartbeat;
  readonly marks: MarkReader = new MarkReader();
  readonly #options: ClientWatchOptions;
  readonly #collector: Disposable;
  #lastNs: number;
  #lastCpuMicros: number;
  #lastCounts: ConnectionCounts;
  #last: Omit<LoadFigures, 'arrivalsWaiting'> = { backoffNs: 0, connectionsAhead: 0 };
  #delayNsMax = 0;
  #readLatenessNsMax = 0;
  #pauseNsTotal = 0;
  #pauseNsMax = 0;
  readonly #reads: ReadLateness | undefined;
  readonly #closeTurn = (): void => this.#reads?.closeTurn(this.#options.nowNs());

  constructor(options: ClientWatchOptions) {
    this.#options = options;
    this.#lastNs = options.nowNs();
    this.heartbeat = new Heartbeat(this.#lastNs);
    const { meters } = options;
    this.#reads = options.reads;
    this.#lastCpuMicros = options.cpuMicros();
    this.#lastCounts = { ...options.counts };
    this.#collector = meters.watchCollections(durationNs => {
      this.#pauseNsTotal += durationNs;
      this.#pauseNsMax = Math.max(this.#pauseNsMax, durationNs);
    });
  }

  /** On each tick of the coarse timer, every BEAT_NS. */
  tick(nowNs: number): void {
    this.#reads?.awake(nowNs);
    const blockedNs = this.#reads?.takeBlockedNs() ?? 0;
    if (blockedNs > 0) this.marks.missed(blockedNs);
    this.#delayNsMax = Math.max(this.#delayNsMax, this.heartbeat.beat(nowNs));
  }

  /** @returns how much earlier the bytes of a read now may have arrived, ns. */
  readHappened(stampNs: number): number {
    const reads = this.#reads;
    if (reads === undefined) return 0;
    // An unref'd immediate runs after the reads of this turn and adds no turn of its own.
    if (!reads.isTurnOpen) this.#options.timers.soon(this.#closeTurn);
    const lateNs = reads.read(stampNs);
    this.#readLatenessNsMax = Math.max(this.#readLatenessNsMax, stampNs - reads.turnFirstNs);
    return lateNs;
  }

  /** Beyond that: no bytes of the open turn waited longer than both. */
  get restNs(): number {
    return this.#reads?.restNs ?? 0;
  }

  /** The loop has looked at its sockets since this time. */
  polledSince(ns: number): void {
    this.#reads?.polledSince(ns);
  }

  /** Since the last call. */
  observe({ arrivalsWaiting, backoffNs, connectionsAhead }: LoadFigures): ClientRecord {
    const { thread, counts, meters } = this.#options;
    const atNs = this.#options.nowNs();
    const cpuMicros = this.#options.cpuMicros();
    const wallNs = Math.max(1, atNs - this.#lastNs);
    const record: ClientRecord = {
      kind: 'client.observed',
      atNs,
      thread,
      eventLoopUtilization: meters.loopUtilization(),
      cpuShare: ((cpuMicros - this.#lastCpuMicros) * 1e3) / wallNs,
      eventLoopDelayNsMax: Math.max(0, Math.round(this.#delayNsMax)),
      readLatenessNsMax: this.#readLatenessNsMax,
      gcPauseNsTotal: this.#pauseNsTotal,
      gcPauseNsMax: this.#pauseNsMax,
      connectionsOpened: counts.opened - this.#lastCounts.opened,
      connectionsReused: counts.reused - this.#lastCounts.reused,
      connectionsClosed: counts.closed - this.#lastCounts.closed,
      connectionsStale: counts.stale - this.#lastCounts.stale,
      arrivalsWaiting,
      backoffNs: backoffNs - this.#last.backoffNs,
      connectionsAhead: connectionsAhead - this.#last.connectionsAhead,
    };
    this.#lastNs = atNs;
    this.#lastCpuMicros = cpuMicros;
    this.#lastCounts = { ...counts };
    this.#last = { backoffNs, connectionsAhead };
    this.#delayNsMax = 0;
    this.#readLatenessNsMax = 0;
    this.#pauseNsTotal = 0;
    this.#pauseNsMax = 0;
    return record;
  }

  stop(): void {
    this.#collector[Symbol.dispose]();
    this.marks.stop();
  }
}

// Node's figures about the calling thread: how long its loop has slept, how busy it was, and when it collected
// garbage.
interface ThreadMeters {
  /** How long the loop has slept since it began, ns. */
  idleNs(): number;
  /** Utilization since the last call. */
  loopUtilization(): number;
  /** Reports each garbage collection, until it is disposed of. */
  watchCollections(reported: (durationNs: number) => void): Disposable;
}

/** @param loop the thread's own; undefined: Node's */
export const ownThreadMeters = (loop?: Pick<ReadLoop, 'idleNs' | 'nowNs'>): ThreadMeters => {
  const idleNs = loop === undefined ? () => performance.nodeTiming.idleTime * 1e6 : () => loop.idleNs;
  const nowNs = loop?.nowNs ?? (() => performance.now() * 1e6);
  let last = { atNs: nowNs(), idleNs: idleNs() };
  return {
    idleNs,
    loopUtilization: () => {
      const now = { atNs: nowNs(), idleNs: idleNs() };
      const utilization = 1 - (now.idleNs - last.idleNs) / Math.max(1, now.atNs - last.atNs);
      last = now;
      return Math.min(1, Math.max(0, utilization));
    },
    watchCollections: reported => {
      const collector = new PerformanceObserver(list => {
        for (const { duration } of list.getEntries()) reported(Math.round(duration * 1e6));
      });
      collector.observe({ entryTypes: ['gc'] });
      return { [Symbol.dispose]: () => collector.disconnect() };
    },
  };
};
