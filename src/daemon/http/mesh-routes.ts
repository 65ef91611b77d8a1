// The mesh of the daemon that answers: which nodes it expects and why it has no link to those without one; and one hash of
// what all nodes of a mesh must agree on, for tests and for a person who wants to know whether a cluster has settled.

import { canonicalHasher } from '../../mesh/replication/canonical-hash.ts';
import type { HttpServerOptions } from './http-options.ts';
import { JSON_TYPE, toJson } from './json.ts';
import { type ApiRoute, anyObject, jsonResponse } from './route.ts';

export const meshRoutes = ({ nodeId, cluster, mesh }: HttpServerOptions): readonly ApiRoute[] => {
  const hashOf = canonicalHasher();
  return [
    {
      method: 'GET',
      path: '/api/mesh',
      access: 'read',
      summary:
        'The mesh as this node sees it: links, expected peers with what came of each of their addresses, and what is amiss with beacons.',
      parameters: [],
      body: undefined,
      responses: { 200: jsonResponse('The mesh.', anyObject('`kind` is "on", or "off" with a reason.')) },
      handle: (_request, reply) =>
        reply
          .type(JSON_TYPE)
          .send(
            toJson(
              mesh?.() ?? { kind: 'off', reason: 'there is no cluster key, or the mesh is switched off' },
            ),
          ),
    },
    {
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
    },
  ];
};
