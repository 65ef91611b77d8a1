// The port of what loads a target: the session leads it through the phases of a run, and it tells what it measures to a
// sink on the main thread.

import type { Clock } from '../../clock/clock.ts';
import type { OutcomeNews } from '../../core/run/outcome-news.ts';
import type { LoadWorkerData, OpenedConnections } from '../load/load-plan.ts';
import type { ParseWorkerData } from '../parse/parse-message.ts';
import type { WatchedWorker } from './watched-thread.ts';

export interface LoadGenerator extends AsyncDisposable {
  /** Starts the threads and opens the connections. Resolves also where none could be opened. */
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
  /** Ends what is in flight, of which nobody issues more, as cut after its grace. Idempotent. */
  cutOff(): void;
  /** Ends what is in flight as cancelled and issues no more. Idempotent; `ended` tells when all is told. */
  stop(): void;
  /** From now on what is measured is told so often, ms. */
  reportEvery(ms: number): void;
  readonly counts: LoadCounts;
}

/**
 * Where a load generator puts what it measures, on the main thread, in order: a sample's records come in the order of
 * METRICS §1, and all records of the load before `issuingEnded` or `ended` resolve.
 */
export interface LoadSink {
  /** A batch of event records in the format of wire/event-batch.ts. The bytes are the receiver's. */
  batch(records: Uint8Array): void;
  /** Whole lines of samples.jsonl. The bytes are the receiver's. */
  sampleLines(lines: Uint8Array): void;
  /** How requests ended lately: before the promise resolves whose phase they belong to. */
  outcomes?(news: OutcomeNews): void;
  /** Where a plan keeps answers: lines of [sample, text]. The bytes are the receiver's. */
  answerLines?(lines: Uint8Array): void;
}

/** As the threads see it now. */
export interface LoadCounts {
  readonly issued: number;
  /** Of those, before the measured window. */
  readonly warmup: number;
  readonly ended: number;
}

export interface LoadResult {
  readonly kind: 'complete' | 'stopped' | 'incomplete';
  /** Of an incomplete one: which thread was lost and why. */
  readonly reasons: readonly string[];
  /** Ended, ns since the run's zero. */
  readonly atNs: number;
  /** Records that found no room on their way to the parse threads; anything but 0 is not trustworthy. */
  readonly droppedEvents: number;
  /** Samples failed as `client` because their bytes found no room. */
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
  /** In place of threads, clock and marks of their own: of a simulation. */
  readonly standIns?: StandInThreads;
  /** Of each load thread's ring, a power of two. */
  readonly ringBytes?: number;
  /** How long what is measured may be held before it is told; default 20. */
  readonly reportMs?: number;
}
