// The agents of a run that goes on, in its snapshots and in what it tells the daemon.

import * as v from 'valibot';
import type { LiveAgent } from '../core/run/live-agent.ts';
import type { SampleCounts } from '../core/run/outcome.ts';
import { AGENTS_MAX } from './agent-request.ts';
import { count, figure, openObject, reported } from './schema.ts';

/** Of its name, and of why it is lost or not trustworthy. */
export const LIVE_AGENT_TEXT_LENGTH_MAX = 300;

/** In the measured phase. */
export const sampleCountsSchema: v.GenericSchema<unknown, SampleCounts> = openObject({
  issued: count,
  completed: count,
  failed: count,
  cancelled: count,
  // Counters of one snapshot may be read a moment apart.
  unresolved: figure,
});

export const liveAgentsSchema: v.GenericSchema<unknown, readonly LiveAgent[]> = v.pipe(
  v.array(
    openObject({
      agent: v.pipe(v.string(), v.maxLength(LIVE_AGENT_TEXT_LENGTH_MAX)),
      state: v.picklist(['loading', 'lost']),
      counts: sampleCountsSchema,
      requestsPerSecond: reported(figure),
      verdict: v.picklist(['trustworthy', 'client-bound', 'unknown']),
      reason: v.pipe(v.string(), v.maxLength(LIVE_AGENT_TEXT_LENGTH_MAX)),
    }),
  ),
  v.maxLength(AGENTS_MAX),
);
