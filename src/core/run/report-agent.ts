// One agent's part of a run from many machines, as in the report: a slow or late client is visible by itself,
// not hidden in a sum.

import * as v from 'valibot';
import { count, figure, type Infer, longText, openObject, reported, text } from '../schema.ts';
import { arrivalStampsSchema } from './arrival-stamps.ts';
import { trustVerdict } from './live-agent.ts';
import { failuresByKindSchema, sampleCountsSchema } from './outcome.ts';

export const sentences = v.pipe(v.array(longText), v.maxLength(1_024));

/** The counts at the end, which agree with each other. */
export const reportCountsSchema = openObject({ ...sampleCountsSchema.entries, unresolved: count });

export const reportAgentSchema = openObject({
  /** Name of the node, or its address. */
  name: text,
  /** Version of the program. */
  version: text,
  /** lost: it left the run before its end, and the outcome of its unfinished requests is unknown. */
  state: v.picklist(['complete', 'interrupted', 'incomplete', 'lost']),
  /** Why it is not complete; '' if it is. */
  reason: longText,
  /**
   * In the measured phase. For a lost one: its last report, with all requests without a sample as unresolved.
   */
  counts: reportCountsSchema,
  errors: failuresByKindSchema,
  verdict: trustVerdict,
  verdictReasons: sentences,
  /** Who took the timestamps of its replies, and why. */
  stamps: reported(arrivalStampsSchema),
  /** How late it sent, p99, ns; missing from versions before 0.2. */
  sendLatenessNsP99: v.exactOptional(reported(figure)),
  /** Error of its clock: its requests are placed within this much of their true times, ms. */
  clockErrorMs: reported(figure),
  /** How much faster its clock ran than the coordinator's. */
  clockDriftPpm: reported(figure),
  /** Requests that its schedule had in the measured phase; unknown if there is no schedule. */
  planned: reported(count),
  cpu: text,
  cores: count,
});

export type ReportAgent = Infer<typeof reportAgentSchema>;

/** Achieved relative to planned, for one agent; undefined if no schedule plans it, or it is too short. */
export const skewOf = ({ planned, counts }: ReportAgent): number | undefined =>
  typeof planned !== 'number' || planned < PLANNED_MIN ? undefined : counts.issued / planned - 1;

/** Agents whose rate was not the planned one: together they sent another load than requested. */
export const skewedAgents = (agents: readonly ReportAgent[]): readonly ReportAgent[] =>
  agents.length < 2 ? [] : agents.filter(agent => Math.abs(skewOf(agent) ?? 0) > SKEW_MAX);

export const SKEW_MAX = 0.02;
/** With fewer, one more or less exceeds it. */
const PLANNED_MIN = 50;
