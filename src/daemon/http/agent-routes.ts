// Agents of the cluster, for coordinators on this machine.

import { agentWishSchema, grantedAgentSchema } from '../../wire/api/agent-answers.ts';
import type { HttpServerOptions } from './http-options.ts';
import { RequestError } from './request-error.ts';
import { type ApiRoute, jsonAnswer, readBody, sendJson } from './route.ts';

export const agentRoutes = ({ agents }: HttpServerOptions): readonly ApiRoute[] => [
  {
    method: 'POST',
    path: '/api/agents',
    access: 'change',
    summary:
      'Asks a node of the cluster to load a target on behalf of a benchmark that is coordinated on this machine. The node decides by its own settings.',
    parameters: [],
    body: agentWishSchema,
    answers: {
      201: jsonAnswer('Where its agent listens, and the ticket that opens it.', grantedAgentSchema),
    },
    handle: async (request, reply) => {
      const { nodeId } = readBody(request, agentWishSchema);
      if (agents === undefined)
        throw new RequestError({ code: 'no-agents', problem: 'This daemon asks no agents.', advice: '' });
      const asked = await agents.ask(nodeId, AbortSignal.timeout(ANSWER_MS));
      if (asked.kind === 'granted') return sendJson(reply.code(201), asked.agent);
      const { problem, advice } = asked;
      throw new RequestError({ code: 'agent-refused', problem, advice, reason: asked.code });
    },
  },
];

/** Longer than a peer may take to answer. */
const ANSWER_MS = 28_000;
