// The port of a load generator: the session leads it through the phases of a run, and it passes its measurements to a
// sink on the main thread.

import type { Clock } from '../../clock/clock.ts';
import type { OutcomeNews } from '../../core/run/outcome.ts';
import type { LoadWorkerData, OpenedConnections } from '../load/load-plan.ts';
import type { ParseWorkerData } from '../parse/parse-message.ts';
import type { WatchedWorker } from './watched-thread.ts';

export interface LoadGenerator extends AsyncDisposable {
  /** Starts the threads and opens the connections. Resolves also if none could be opened. */
  open(): Promise<OpenedConnections>;
  /** Resolves when every warm-up request ended and its records are with the sink. */
  warmUp(): Promise<void>;
  /** Starts the measured phase. @param atNs its zero, ns since the run's zero; by default a few ms ahead. @returns it */
  start(atNs?: number): number;
  /** Resolves, with the time, when the last sample was issued. */
  readonly issuingEnded: Promise<number>;
  /** Resolves when every sample has ended and its records are with the sink. Never rejects. */
  readonly ended: Promise<LoadResult>;
  /** Issues no more; what is in flight is followed to its end. Idempotent. */
  endIssuing(): void;
  /** Ends requests in flight after the load as cut, at the end of their grace period. Idempotent. */
  cutOff(): void;
  /** Cancels requests in flight and issues no more. Idempotent; `ended` resolves when all is reported. */
  stop(): void;
  /** From now on measurements are flushed at this interval, ms. */
  reportEvery(ms: number): void;
  readonly counts: LoadCounts;
}

/**
 * The receiver of a load generator's measurements, on the main thread, in order: a sample's records come in the order
 * of METRICS §1, and all records of the load before `issuingEnded` or `ended` resolve.
 */
export interface LoadSink {
  /** A batch of event records in the format of wire/event-batch.ts. Ownership of the bytes passes to the receiver. */
  batch(records: Uint8Array): void;
  /** Whole lines of samples.jsonl. Ownership of the bytes passes to the receiver. */
  sampleLines(lines: Uint8Array): void;
  /** How requests ended lately: before the promise of their phase resolves. */
  outcomes?(news: OutcomeNews): void;
  /** Lines of [sample, text], if a plan keeps answers. Ownership of the bytes passes to the receiver. */
  answerLines?(lines: Uint8Array): void;
}

/** Current counts from the threads. */
export interface LoadCounts {
  readonly issued: number;
  /** Of these, before the measured window. */
  readonly warmup: number;
  readonly ended: number;
}

export interface LoadResult {
  readonly kind: 'complete' | 'stopped' | 'incomplete';
  /** For an incomplete one: which thread was lost and why. */
  readonly reasons: readonly string[];
  /** Time of its end, ns since the run's zero. */
  readonly atNs: number;
  /** Records dropped on their way to the parse threads; a run is trustworthy only if it is 0. */
  readonly droppedEvents: number;
  /** Samples failed as `client` because their bytes did not fit. */
  readonly arenaFullCount: number;
}

interface StandInThreads {
  readonly load: (data: LoadWorkerData) => WatchedWorker;
  readonly parse: (data: ParseWorkerData) => WatchedWorker;
  /** CLOCK_MONOTONIC. */
  readonly monotonicNs: () => bigint;
}

export interface LoadGeneratorOptions {
  readonly clock: Clock;
  /** CLOCK_MONOTONIC at the run's zero. */
  readonly runZeroNs: bigint;
  /** Other entries, for tests of threads that misbehave. */
  readonly entries?: { readonly loadWorker?: URL; readonly parseWorker?: URL };
  /** A simulation's replacement for threads, clock and marks. */
  readonly standIns?: StandInThreads;
  /** Size of each load thread's ring, a power of two. */
  readonly ringBytes?: number;
  /** How long measurements may be buffered before they are flushed, ms; default 20. */
  readonly reportMs?: number;
}
