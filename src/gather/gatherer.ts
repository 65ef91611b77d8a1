// The port of everything that reads this machine. A gatherer owns one source and reports one or a few kinds of reading;
// it reports what it cannot read, and never delays another.

import type { Clock } from '../clock/clock.ts';
import type { GpuVendor } from '../core/node/gpu.ts';
import type { Reading, ReadingKind } from '../core/node/reading.ts';
import { ProblemError } from '../core/problem.ts';
import type { ReasonCode, Unknown } from '../core/unknown.ts';

export interface Gatherer {
  /** Unique, for logs and doctor: "procfs-memory". */
  readonly name: string;
  /** What it reports; its failure is shown at each of these. */
  readonly reports: readonly GatheredKind[];
  /** How often it reports, ms: views call a reading late after 2.5 of these. */
  readonly intervalMs: number;
  /**
   * Runs until the signal aborts. Emits at once, then on change or at the interval. Throwing means that the source
   * failed: the message becomes the reading's reason, the code of a ProblemError its code, and the gatherer is started
   * again with backoff. Resolving without an abort means that there is nothing to report on this machine, for good.
   */
  gather(session: GatherSession): Promise<void>;
}

export interface GatheredKind {
  readonly reading: ReadingKind;
  readonly vendor: GpuVendor | 'none';
}

/** What a gatherer throws, with the code if a person can act on the reason. */
export const sourceFailed = (problem: string, code: ReasonCode | undefined, options?: ErrorOptions): Error =>
  code === undefined ? new Error(problem, options) : new ProblemError({ code, problem, advice: '' }, options);

export interface GatherSession {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Why a better source does not report, while this gatherer replaces it (`arbitration.ts`). */
  fallbackReason(): Unknown | undefined;
  /** `source` names the tool or interface, with its version if that matters. */
  emit(source: string, reading: Reading): void;
  /** One reading failed this time; the gatherer continues. */
  fail(kind: GatheredKind, source: string, reason: string, code?: string): void;
  /** Not on this machine and never will be: reported once, shown as "not on this machine" rather than as an error. */
  absent(kind: GatheredKind, source: string, reason: string): void;
}
