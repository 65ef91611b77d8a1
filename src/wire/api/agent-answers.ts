// What a coordinator on this machine requests from its daemon: body and response of POST /api/agents.

import * as v from 'valibot';
import { type Infer, nodeIdSchema, text } from '../../core/schema.ts';

export const agentLoadRequestSchema = v.object({
  nodeId: nodeIdSchema,
});

export const grantedAgentSchema = v.object({
  nodeId: nodeIdSchema,
  name: text,
  /** Addresses of that node, best first. */
  addresses: v.pipe(
    v.array(v.object({ host: text, port: v.pipe(v.number(), v.integer(), v.maxValue(65_535)) })),
    v.description('Addresses of its agent, best first.'),
  ),
  ticket: v.pipe(v.string(), v.description('Opens the agent once, within half a minute. A secret.')),
});

export type GrantedAgent = Infer<typeof grantedAgentSchema>;
