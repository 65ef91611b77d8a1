// One hash of what every node of a mesh must agree on: two nodes that answer the same hold the same durable facts. For
// tests, and for a person who wants to know whether a cluster has settled.

import { canonicalHasher } from '../../mesh/replication/canonical-hash.ts';
import type { HttpServerOptions } from './http-options.ts';
import { JSON_TYPE } from './json.ts';
import type { ApiRoute } from './routes.ts';
import { jsonResponse } from './routes.ts';

export const meshHashRoute = ({ nodeId, cluster }: HttpServerOptions): ApiRoute => {
  const hashOf = canonicalHasher();
  return {
    method: 'GET',
    path: '/api/mesh/hash',
    access: 'read',
    summary:
      'SHA-256 of the durable state: current values and how far each origin is known. Equal on all nodes of a mesh that has settled.',
    parameters: [],
    body: undefined,
    responses: {
      200: jsonResponse('The hash.', {
        type: 'object',
        required: ['nodeId', 'hash'],
        properties: { nodeId: { type: 'string' }, hash: { type: 'string', pattern: '^[0-9a-f]{64}$' } },
      }),
    },
    handle: (_request, reply) =>
      reply.type(JSON_TYPE).send(JSON.stringify({ nodeId, hash: hashOf(cluster.state) })),
  };
};
