// One agent's part of a run from many machines, as in the report: a slow or late client is visible by itself,
// not hidden in a sum.

import type { Reported, Unknown } from '../unknown.ts';
import type { FailuresByKind, SampleCounts } from './outcome.ts';

export type ReportAgent = FailuresByKind & {
  /** Name of the node, or its address. */
  readonly name: string;
  /** Version of the program. */
  readonly version: string;
  /** lost: it left the run before its end, and the outcome of its unfinished requests is unknown. */
  readonly state: 'complete' | 'interrupted' | 'incomplete' | 'lost';
  /** Why it is not complete; '' if it is. */
  readonly reason: string;
  /**
   * In the measured phase. For a lost one: its last report, with all requests without a sample as unresolved.
   */
  readonly counts: SampleCounts;
  readonly verdict: 'trustworthy' | 'client-bound' | 'unknown';
  readonly verdictReasons: readonly string[];
  /** How late it sent, p99, ns; missing from versions before 0.2. */
  readonly sendLatenessNsP99?: number | Unknown;
  /** Error of its clock: its requests are placed within this much of their true times, ms. */
  readonly clockErrorMs: number | Unknown;
  /** How much faster its clock ran than the coordinator's. */
  readonly clockDriftPpm: number | Unknown;
  /** Requests that its schedule had in the measured phase; unknown if there is no schedule. */
  readonly planned: Reported<number>;
  readonly cpu: string;
  readonly cores: number;
};

/** Achieved relative to planned, for one agent; undefined if no schedule plans it, or it is too short. */
export const skewOf = ({ planned, counts }: ReportAgent): number | undefined =>
  typeof planned !== 'number' || planned < PLANNED_MIN ? undefined : counts.issued / planned - 1;

/** Agents whose rate was not the planned one: together they sent another load than requested. */
export const skewedAgents = (agents: readonly ReportAgent[]): readonly ReportAgent[] =>
  agents.length < 2 ? [] : agents.filter(agent => Math.abs(skewOf(agent) ?? 0) > SKEW_MAX);

export const SKEW_MAX = 0.02;
/** With fewer, one more or less exceeds it. */
const PLANNED_MIN = 50;
