// The state itself, whole or a part of it, with every age counted up to now.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { withAgesAt } from '../../wire/stream-message.ts';
import { RequestError } from './http-error.ts';
import type { HttpServerOptions } from './http-options.ts';
import { JSON_TYPE } from './json.ts';
import { pathSegments, walkOwn } from './own-path.ts';
import { type ApiRoute, anyObject, jsonResponse, urlPath } from './routes.ts';

export const stateRoutes = ({ clock, cluster }: HttpServerOptions): readonly ApiRoute[] => {
  const stateNow = () => {
    const nowMs = clock.nowMs();
    return { ...withAgesAt(cluster.state, nowMs), nowMs };
  };
  const send = (reply: FastifyReply, value: unknown): FastifyReply =>
    reply.type(JSON_TYPE).send(JSON.stringify(value));
  return [
    {
      method: 'GET',
      path: '/api/state',
      access: 'read',
      summary:
        'The whole state: mappings by kind, keyed by node id. Sizes are in bytes, ages in milliseconds.',
      parameters: [],
      body: undefined,
      responses: {
        200: jsonResponse('The state.', {
          type: 'object',
          required: ['nowMs'],
          properties: { nowMs: { type: 'number', description: "The daemon's monotonic clock, ms." } },
          additionalProperties: { type: 'object' },
        }),
      },
      handle: (_request, reply) => send(reply, stateNow()),
    },
    {
      method: 'GET',
      path: '/api/state/{path}',
      access: 'read',
      summary: 'A part of the state, by its path: /api/state/nodeMemories/<node>/value/totalBytes.',
      parameters: [
        {
          name: 'path',
          in: 'path',
          isRequired: true,
          description: 'Keys, each percent-encoded, divided by slashes.',
          schema: { type: 'string' },
        },
      ],
      body: undefined,
      responses: { 200: jsonResponse('The part.', anyObject('Whatever lies there; also a plain value.')) },
      handle: (request: FastifyRequest, reply) => {
        const segments = pathSegments(urlPath(request.url).slice('/api/state'.length));
        if (segments === undefined) {
          throw new RequestError({ status: 400, code: 'bad-url' }, 'An escape in the path is malformed.');
        }
        const walked = walkOwn(stateNow(), segments);
        if (walked.kind === 'found') return send(reply, walked.value);
        throw new RequestError(
          { status: 404, code: 'not-in-state' },
          `The state has nothing at ${segments.join(' / ').slice(0, 200)}. GET /api/state shows its keys.`,
        );
      },
    },
  ];
};
