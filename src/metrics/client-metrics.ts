// Sums of what the load threads observe about themselves (`client.observed`): the verdict on the client is based on
// them. Each thread is kept separately, because one starved thread among eight idle ones still spoils what it
// measures.

import {
  BEAT_NS,
  type BeatsRecord,
  type ClientRecord,
  type HostRecord,
  NO_FIGURE,
} from '../core/run/event-record.ts';
import type { CounterSamplers, SeriesSamplers } from './run-samplers.ts';
import type { SeriesSampler } from './series-sampler.ts';

interface Thread {
  lastAtNs: number;
  observedNs: number;
  /** ∫ utilisation dt, ∫ share dt. */
  utilizedNs: number;
  cpuNs: number;
  starvedNs: number;
  arrivalsWaiting: number;
}

export class ClientMetrics {
  readonly #threads = new Map<number, Thread>();
  readonly #counters: CounterSamplers;
  readonly #readLateness: SeriesSampler | undefined;
  readonly #eventLoopDelay: SeriesSampler | undefined;
  readonly #beatLateness: SeriesSampler | undefined;

  constructor(counters: CounterSamplers, series: SeriesSamplers) {
    this.#counters = counters;
    this.#readLateness = series.readLatenessNsMax;
    this.#eventLoopDelay = series.eventLoopDelayNsMax;
    this.#beatLateness = series.beatLatenessNs;
  }

  /** Connections always count; figures about the client's quality only while it measured. */
  observed(record: ClientRecord, isTracking: boolean): void {
    const counters = this.#counters;
    counters.connectionsOpened.add(record.connectionsOpened);
    counters.connectionsReused.add(record.connectionsReused);
    counters.connectionsClosed.add(record.connectionsClosed);
    counters.connectionsStale.add(record.connectionsStale);
    counters.connectionsAhead.add(record.connectionsAhead);
    counters['client.backoffNs'].add(wholeNs(record.backoffNs));
    const thread = this.#thread(record.thread);
    const intervalNs = Math.max(0, record.atNs - thread.lastAtNs);
    thread.lastAtNs = Math.max(thread.lastAtNs, record.atNs);
    counters['client.arrivalsWaiting'].add(record.arrivalsWaiting - thread.arrivalsWaiting);
    thread.arrivalsWaiting = record.arrivalsWaiting;
    if (!isTracking) return;
    thread.observedNs += intervalNs;
    thread.utilizedNs += intervalNs * finite(record.eventLoopUtilization);
    thread.cpuNs += intervalNs * finite(record.cpuShare);
    if (isStarved(record)) thread.starvedNs += intervalNs;
    this.#readLateness?.record(wholeNs(record.readLatenessNsMax));
    this.#eventLoopDelay?.record(wholeNs(record.eventLoopDelayNsMax));
    counters['client.gcPauseNsTotal'].add(record.gcPauseNsTotal);
    counters['client.gcPauseNsMax'].set(Math.max(counters['client.gcPauseNsMax'].value, record.gcPauseNsMax));
    this.#summarize();
  }

  /** Each beat that was due is one value: those in a pause were late by what was left of it. */
  beats({ isLoad, latenessNs }: BeatsRecord, isTracking: boolean): void {
    if (!isTracking) return;
    for (const reported of latenessNs) {
      const lateNs = wholeNs(reported);
      if (!isLoad) this.#counters['client.parsePausedNs'].add(lateNs > PARSE_PAUSE_NS_MIN ? lateNs : 0);
      else
        for (let left = lateNs, count = 0; left >= 0 && count < PAUSE_BEATS_MAX; left -= BEAT_NS, count += 1)
          this.#beatLateness?.record(left);
    }
  }

  host({ intervalNs, throttledNs, pressureNs, stolenNs }: HostRecord, isTracking: boolean): void {
    if (!isTracking) return;
    for (const [figure, observed, sum] of [
      [throttledNs, 'client.throttleObservedNs', 'client.throttledNs'],
      [pressureNs, 'client.pressureObservedNs', 'client.pressureNs'],
      [stolenNs, 'client.stealObservedNs', 'client.stolenNs'],
    ] as const) {
      if (figure === NO_FIGURE) continue;
      this.#counters[observed].add(wholeNs(intervalNs));
      this.#counters[sum].add(wholeNs(figure));
    }
  }

  #thread(id: number): Thread {
    const known = this.#threads.get(id);
    if (known !== undefined) return known;
    const thread: Thread = {
      lastAtNs: 0,
      observedNs: 0,
      utilizedNs: 0,
      cpuNs: 0,
      starvedNs: 0,
      arrivalsWaiting: 0,
    };
    this.#threads.set(id, thread);
    return thread;
  }

  /** The busiest thread determines utilisation and share, the most starved one starvation. */
  #summarize(): void {
    let busiest: Thread | undefined;
    let starvedNs = 0;
    let observedNs = 0;
    for (const thread of this.#threads.values()) {
      if (thread.observedNs === 0) continue;
      if (busiest === undefined || share(thread.utilizedNs, thread) > share(busiest.utilizedNs, busiest))
        busiest = thread;
      starvedNs = Math.max(starvedNs, thread.starvedNs);
      observedNs = Math.max(observedNs, thread.observedNs);
    }
    this.#counters['client.threads'].set(this.#threads.size);
    this.#counters['client.observedNs'].set(observedNs);
    this.#counters['client.starvedNs'].set(starvedNs);
    if (busiest === undefined) return;
    this.#counters['client.eventLoopUtilization'].set(share(busiest.utilizedNs, busiest));
    this.#counters['client.cpuShare'].set(share(busiest.cpuNs, busiest));
  }
}

/** Busy by its own figures and not on a core by the system's: it had to wait (reference figure: 0.98 against 0.4). */
const isStarved = ({ eventLoopUtilization, cpuShare }: ClientRecord): boolean =>
  eventLoopUtilization >= STARVED_UTILIZATION_MIN && cpuShare < STARVED_SHARE_MAX * eventLoopUtilization;

/** A share of an interval without length is NaN, and would stay in every sum. */
const finite = (share: number): number => (Number.isFinite(share) ? share : 0);

/** A monitor of the event loop may report fractions, and NaN before its first sample. */
const wholeNs = (ns: number): number => (ns > 0 && ns < Number.MAX_SAFE_INTEGER ? Math.round(ns) : 0);

const share = (partNs: number, { observedNs }: Thread): number => partNs / observedNs;

/** A busy parse thread is late by milliseconds, and measures nothing; a stopped one by more. */
const PARSE_PAUSE_NS_MIN = 250_000_000;
/** More than half an hour of one pause. */
const PAUSE_BEATS_MAX = 100_000;
/** Below it a thread had time to spare, and a late turn delays little. */
const STARVED_UTILIZATION_MIN = 0.5;
/** A thread that computes is on a core nearly all of its busy time; system calls of a busy loop are part of that. */
const STARVED_SHARE_MAX = 0.6;
