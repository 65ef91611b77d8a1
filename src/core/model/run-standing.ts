// Where a run is relative to the bound of the machine that it loaded, as stored in a report.

import * as v from 'valibot';
import { figure, type Infer, openObject, reported, text } from '../schema.ts';
import { ENGINES } from './engine-constants.ts';

export type RunPhaseName = (typeof RUN_PHASES)[number];
export const RUN_PHASES = ['decode', 'prefill'] as const;

export type UnjudgedPhase = { readonly phase: RunPhaseName; readonly reason: string };

export const runStandingSchema = openObject({
  phase: v.picklist(RUN_PHASES),
  /** "tg128 @ d4096" in a depth profile; '' for a run as a whole. */
  test: text,
  /** Sequences decoded at once, mean. */
  batch: figure,
  /** Tokens in the cache of each at the middle of the answer, or read before. */
  contextTokens: figure,
  /** Tokens per second, for all sequences together. */
  achieved: figure,
  bound: figure,
  expected: openObject({ value: figure, low: figure, high: figure }),
  ofBound: figure,
  ofExpected: figure,
  /** The part that takes most of the expected time. */
  limit: v.picklist(['weights', 'experts', 'cache', 'compute', 'overhead', 'linkLatency', 'linkBandwidth']),
});

export type RunStanding = Infer<typeof runStandingSchema>;

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

const NOTES_MAX = 16;

/** Three tests for each of 32 depths. */
const STANDINGS_MAX = 96;

export const runHeadroomSchema = openObject({
  /** The node, and which of its devices: "titan", "TP 2: titan GPU 0 + titan GPU 1". */
  placement: text,
  deviceName: text,
  engine: v.picklist(ENGINES),
  /** Where the model's facts are from: a file, folder or URL. */
  modelSource: text,
  /** Label of the constants behind the expectation. */
  constants: text,
  errorShare: reported(figure),
  /** Bandwidth of one device; of several, the slowest. */
  ceilingBytesPerSecond: figure,
  /** What a reader must know about how it was judged, one sentence each. */
  notes: reported(v.pipe(v.array(text), v.maxLength(NOTES_MAX))),
  /** One per row of a depth profile, else at most one each for decode and prefill. */
  standings: v.pipe(v.array(runStandingSchema), v.maxLength(STANDINGS_MAX)),
  /** Why decode or prefill is not among them. */
  unjudged: v.pipe(
    v.array(openObject({ phase: v.picklist(RUN_PHASES), reason: text })),
    v.maxLength(STANDINGS_MAX),
  ),
  /** The server's own count of bytes, relative to the measured bandwidth. */
  readBytes: reported(openObject({ bytesPerSecond: figure, ofCeiling: figure })),
  /** In the order in which they should be ruled out; none if all is as expected. */
  causes: v.pipe(
    v.array(openObject({ code: v.picklist(CAUSE_CODES), finding: v.picklist(CAUSE_FINDINGS), text })),
    v.maxLength(2 * CAUSE_CODES.length),
  ),
});

export type RunHeadroom = Infer<typeof runHeadroomSchema>;
