// Where a run is relative to the bound of the machine that it loaded, as stored in a report.

import type { Estimate } from '../sweep/stage.ts';
import type { Reported } from '../unknown.ts';
import type { Engine } from './engine-constants.ts';
import type { PlacementTerm } from './step-time.ts';

export type RunHeadroom = {
  /** The node, and which of its devices: "titan", "TP 2: titan GPU 0 + titan GPU 1". */
  readonly placement: string;
  readonly deviceName: string;
  readonly engine: Engine;
  /** Where the model's facts are from: a file, folder or URL. */
  readonly modelSource: string;
  /** Label of the constants behind the expectation. */
  readonly constants: string;
  readonly errorShare: Reported<number>;
  /** Bandwidth of one device; of several, the slowest. */
  readonly ceilingBytesPerSecond: number;
  /** What a reader must know about how it was judged, one sentence each. */
  readonly notes: Reported<readonly string[]>;
  /** One per row of a depth profile, else at most one each for decode and prefill. */
  readonly standings: readonly RunStanding[];
  /** Why decode or prefill is not among them. */
  readonly unjudged: readonly UnjudgedPhase[];
  /** The server's own count of bytes, relative to the measured bandwidth. */
  readonly readBytes: Reported<ReadBandwidth>;
  /** In the order in which they should be ruled out; none if all is as expected. */
  readonly causes: readonly RunCause[];
};

export type RunPhaseName = (typeof RUN_PHASES)[number];
export const RUN_PHASES = ['decode', 'prefill'] as const;

export type UnjudgedPhase = { readonly phase: RunPhaseName; readonly reason: string };

export type RunStanding = {
  readonly phase: RunPhaseName;
  /** "tg128 @ d4096" in a depth profile; '' for a run as a whole. */
  readonly test: string;
  /** Sequences decoded at once, mean. */
  readonly batch: number;
  /** Tokens in the cache of each at the middle of the answer, or read before. */
  readonly contextTokens: number;
  /** Tokens per second, for all sequences together. */
  readonly achieved: number;
  readonly bound: number;
  readonly expected: Estimate;
  readonly ofBound: number;
  readonly ofExpected: number;
  /** The part that takes most of the expected time. */
  readonly limit: PlacementTerm;
};

export type ReadBandwidth = { readonly bytesPerSecond: number; readonly ofCeiling: number };

export type RunCause = {
  readonly code: CauseCode;
  readonly finding: CauseFinding;
  readonly text: string;
};

/** `unknown`: not reported, so it remains possible. */
export type CauseFinding = (typeof CAUSE_FINDINGS)[number];
export const CAUSE_FINDINGS = ['found', 'not-found', 'unknown'] as const;

export type CauseCode = (typeof CAUSE_CODES)[number];
export const CAUSE_CODES = [
  'speculation',
  'prefix-hits',
  'model-facts',
  'old-probe',
  'low-probe',
  'clock-events',
  'offload',
  'pcie-width',
  'other-process',
  'cache-full',
  'preemptions',
  'client-bound',
] as const;
