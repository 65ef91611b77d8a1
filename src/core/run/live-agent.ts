// What one agent does in a run in progress: a slow, lost or untrustworthy agent is visible before the end.

import * as v from 'valibot';
import { figure, type Infer, openObject, reported } from '../schema.ts';
import { sampleCountsSchema } from './outcome.ts';

/** One coordinator at a time, and no more agents than this. Listed in docs/limits.md. */
export const AGENTS_MAX = 64;

/** Length of its name, and of the reason why it is lost or not trustworthy. */
export const LIVE_AGENT_TEXT_LENGTH_MAX = 300;

export const trustVerdict = v.picklist(['trustworthy', 'client-bound', 'unknown']);

const liveAgentSchema = openObject({
  /** Name of the node, or its address. */
  agent: v.pipe(v.string(), v.maxLength(LIVE_AGENT_TEXT_LENGTH_MAX)),
  state: v.picklist(['loading', 'lost']),
  /** In the measured phase; `unresolved` are in flight, or unknown for a lost one. */
  counts: sampleCountsSchema,
  /** Completed ones, over its own window. */
  requestsPerSecond: reported(figure),
  verdict: trustVerdict,
  /** Why it is lost or not trustworthy; '' if all is well. */
  reason: v.pipe(v.string(), v.maxLength(LIVE_AGENT_TEXT_LENGTH_MAX)),
});

export type LiveAgent = Infer<typeof liveAgentSchema>;

export const liveAgentsSchema = v.pipe(v.array(liveAgentSchema), v.maxLength(AGENTS_MAX));
