// The agents of a run in progress, in its snapshots and in its reports to the daemon.

import * as v from 'valibot';
import type { LiveAgent } from '../core/run/live-agent.ts';
import { sampleCountsSchema } from '../core/run/outcome.ts';
import { figure, openObject, reported } from '../core/schema.ts';
import { AGENTS_MAX } from './agent-request.ts';

/** Length of its name, and of the reason why it is lost or not trustworthy. */
export const LIVE_AGENT_TEXT_LENGTH_MAX = 300;

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
