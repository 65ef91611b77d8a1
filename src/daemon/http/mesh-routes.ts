// The mesh of the daemon that answers: which nodes it expects and why it has no link to those without one.

import type { HttpServerOptions } from './http-options.ts';
import { JSON_TYPE, toJson } from './json.ts';
import { type ApiRoute, anyObject, jsonResponse } from './routes.ts';

export const meshRoutes = ({ mesh }: HttpServerOptions): readonly ApiRoute[] => [
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
          toJson(mesh?.() ?? { kind: 'off', reason: 'there is no cluster key, or the mesh is switched off' }),
        ),
  },
];
