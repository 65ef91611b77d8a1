// The order that a daemon passes to the agent process that it starts, and the messages that the process returns. The
// order goes through the environment, which other users of the machine cannot read: the ticket is a secret.

import * as v from 'valibot';
import type { AgentPolicy } from './agent-policy.ts';
import type { AgentLoad } from './session-parts.ts';

/** This name excludes it from the environment of processes that a run starts (withoutSecrets). */
export const AGENT_ARGUMENT_VARIABLE = 'PLIMSOLL_AGENT_SECRET';

export interface AgentArgument {
  readonly ticket: string;
  /** 0 for any free one. */
  readonly port: number;
  readonly policy: AgentPolicy;
  /** Name of this machine, for people. */
  readonly name: string;
  readonly version: string;
  /** Folder for the directories of runs; created if it is missing. */
  readonly folder: string;
  /** How long the ticket stays valid without its coordinator, ms. */
  readonly waitMsMax: number;
}

export type AgentProcessMessage =
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'cannot-listen'; readonly reason: string }
  | { readonly kind: 'load'; readonly load: AgentLoad | null };

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

export const agentArgumentSchema: v.GenericSchema<unknown, AgentArgument> = v.object({
  ticket: v.string(),
  port,
  policy: policySchema,
  name: v.string(),
  version: v.string(),
  folder: v.string(),
  waitMsMax: count,
});

export const agentProcessMessageSchema: v.GenericSchema<unknown, AgentProcessMessage> = v.variant('kind', [
  v.object({ kind: v.literal('listening'), port }),
  v.object({ kind: v.literal('cannot-listen'), reason: v.string() }),
  v.object({
    kind: v.literal('load'),
    load: v.nullable(v.object({ target: v.string(), runId: v.string() })),
  }),
]);
