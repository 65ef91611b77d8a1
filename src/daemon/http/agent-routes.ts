// Agents of the cluster, for coordinators on this machine.

import { agentLoadRequestSchema, grantedAgentSchema } from '../../wire/api/agent-answers.ts';
import type { HttpServerOptions } from './http-options.ts';
import { RequestError } from './request-error.ts';
import { type ApiRoute, jsonAnswer, readBody, sendJson } from './route.ts';

export const agentRoutes = ({ agents }: HttpServerOptions): readonly ApiRoute[] => [
  {
    method: 'POST',
    path: '/api/agents',
    access: 'change',
    summary:
      'Requests that a node of the cluster load a target for a benchmark coordinated on this machine. The node decides by its own settings.',
    parameters: [],
    body: agentLoadRequestSchema,
    answers: {
      201: jsonAnswer('Where its agent listens, and the ticket that opens it.', grantedAgentSchema),
    },
    handle: async (request, reply) => {
      const { nodeId } = readBody(request, agentLoadRequestSchema);
      if (agents === undefined)
        throw new RequestError({ code: 'no-agents', problem: 'This daemon uses no agents.', advice: '' });
      const requested = await agents.request(nodeId, AbortSignal.timeout(ANSWER_MS));
      if (requested.kind === 'granted') return sendJson(reply.code(201), requested.agent);
      const { problem, advice } = requested;
      throw new RequestError({ code: 'agent-refused', problem, advice, reason: requested.code });
    },
  },
];

/** Longer than a peer may take to answer. */
const ANSWER_MS = 28_000;
