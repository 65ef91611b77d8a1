// One agent's part of a run from many machines, as the report tells it: a slow or late client shows as itself, not as a mixture.

import type { Reported, Unknown } from '../unknown.ts';
import type { FailuresByKind, SampleCounts } from './outcome.ts';

export type ReportAgent = FailuresByKind & {
  /** Of the node, or its address. */
  readonly name: string;
  /** Of the program. */
  readonly version: string;
  /** lost: it left the run before its end, and nobody knows what became of its unfinished requests. */
  readonly state: 'complete' | 'interrupted' | 'incomplete' | 'lost';
  /** Why it is not complete; '' where it is. */
  readonly reason: string;
  /** Of the measured phase. Of a lost one: what it had told last, and all without a sample unresolved. */
  readonly counts: SampleCounts;
  readonly verdict: 'trustworthy' | 'client-bound' | 'unknown';
  readonly verdictReasons: readonly string[];
  /** How late it sent, p99, ns; a version before 0.2 does not tell. */
  readonly sendLatenessNsP99?: number | Unknown;
  /** Its clock places its requests within so much of where they were. */
  readonly clockErrorMs: number | Unknown;
  /** How much faster its clock ran than the coordinator's. */
  readonly clockDriftPpm: number | Unknown;
  /** Requests that its schedule had in the measured phase; unknown where none says it. */
  readonly planned: Reported<number>;
  readonly cpu: string;
  readonly cores: number;
};

/** Achieved against planned, of one agent; undefined where no schedule plans, or it is too short to say. */
export const skewOf = ({ planned, counts }: ReportAgent): number | undefined =>
  typeof planned !== 'number' || planned < PLANNED_MIN ? undefined : counts.issued / planned - 1;

/** Agents whose rate was not the planned one: what they sent together was another load than was asked for. */
export const skewedAgents = (agents: readonly ReportAgent[]): readonly ReportAgent[] =>
  agents.length < 2 ? [] : agents.filter(agent => Math.abs(skewOf(agent) ?? 0) > SKEW_MAX);

export const SKEW_MAX = 0.02;
/** Of fewer one more or less is past it. */
const PLANNED_MIN = 50;
