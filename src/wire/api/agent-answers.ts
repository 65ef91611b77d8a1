// What a coordinator on this machine requests from its daemon: body and response of POST /api/agents.

import * as v from 'valibot';
import type { HostPort } from '../../core/address/host-port.ts';
import type { NodeId } from '../../core/ids.ts';
import { nodeIdSchema, text } from '../schema.ts';

export interface AgentLoadRequest {
  readonly nodeId: NodeId;
}

export const agentLoadRequestSchema: v.GenericSchema<unknown, AgentLoadRequest> = v.object({
  nodeId: nodeIdSchema,
});

export interface GrantedAgent {
  readonly nodeId: NodeId;
  readonly name: string;
  /** Addresses of that node, best first. */
  readonly addresses: readonly HostPort[];
  readonly ticket: string;
}

export const grantedAgentSchema: v.GenericSchema<unknown, GrantedAgent> = v.object({
  nodeId: nodeIdSchema,
  name: text,
  addresses: v.pipe(
    v.array(v.object({ host: text, port: v.pipe(v.number(), v.integer(), v.maxValue(65_535)) })),
    v.description('Addresses of its agent, best first.'),
  ),
  ticket: v.pipe(v.string(), v.description('Opens the agent once, within half a minute. A secret.')),
});
