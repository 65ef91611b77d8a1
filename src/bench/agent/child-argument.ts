// The order that a daemon passes to the agent process that it starts, and the messages that the process returns. The
// order goes through the environment, which other users of the machine cannot read: the ticket is a secret.

import * as v from 'valibot';
import type { Infer } from '../../core/schema.ts';
import type { AgentPolicy } from './agent-policy.ts';

/** This name excludes it from the environment of processes that a run starts (withoutSecrets). */
export const AGENT_ARGUMENT_VARIABLE = 'PLIMSOLL_AGENT_SECRET';

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const port = v.pipe(count, v.maxValue(65_535));

const policySchema: v.GenericSchema<unknown, AgentPolicy> = v.object({
  isAgent: v.boolean(),
  targets: v.array(v.string()),
  keys: v.array(
    v.object({
      origin: v.string(),
      source: v.variant('kind', [
        v.object({ kind: v.literal('variable'), name: v.string() }),
        v.object({ kind: v.literal('file'), path: v.string() }),
      ]),
    }),
  ),
  requestsPerSecondMax: count,
  connectionsMax: count,
  durationMsMax: count,
  samplesMax: count,
});

export const agentArgumentSchema = v.object({
  ticket: v.string(),
  /** 0 for any free one. */
  port,
  policy: policySchema,
  /** Name of this machine, for people. */
  name: v.string(),
  version: v.string(),
  /** Folder for the directories of runs; created if it is missing. */
  folder: v.string(),
  /** How long the ticket stays valid without its coordinator, ms. */
  waitMsMax: count,
});

export type AgentArgument = Infer<typeof agentArgumentSchema>;

export const agentProcessMessageSchema = v.variant('kind', [
  v.object({ kind: v.literal('listening'), port }),
  v.object({ kind: v.literal('cannot-listen'), reason: v.string() }),
  v.object({
    kind: v.literal('load'),
    load: v.nullable(v.object({ target: v.string(), runId: v.string() })),
  }),
]);

export type AgentProcessMessage = Infer<typeof agentProcessMessageSchema>;
