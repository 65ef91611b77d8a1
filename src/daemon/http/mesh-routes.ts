// The mesh of this daemon: which nodes it expects and why there is no link to some of them; and one hash of what all
// nodes of a mesh must agree on, for tests and for checking whether a cluster has converged.

import { canonicalHasher } from '../../mesh/replication/canonical-hash.ts';
import { meshHashSchema } from '../../wire/api/daemon-answers.ts';
import { meshStatusSchema } from '../../wire/mesh-status.ts';
import type { HttpServerOptions } from './http-options.ts';
import { type ApiRoute, jsonRoute } from './route.ts';

export const meshRoutes = ({ nodeId, cluster, mesh }: HttpServerOptions): readonly ApiRoute[] => {
  const hashOf = canonicalHasher();
  return [
    jsonRoute({
      method: 'GET',
      path: '/api/mesh',
      access: 'read',
      summary:
        'The mesh as this node sees it: links, expected peers with the outcome for each of their addresses, and problems with beacons.',
      description: 'The mesh; `kind` is "on", or "off" with a reason.',
      answer: meshStatusSchema,
      handle: () => mesh?.() ?? NO_MESH,
    }),
    jsonRoute({
      method: 'GET',
      path: '/api/mesh/hash',
      access: 'read',
      summary:
        'SHA-256 of the durable state: current values and how far each origin is known. Equal on all nodes once the mesh has converged.',
      description: 'The hash.',
      answer: meshHashSchema,
      handle: () => ({ nodeId, hash: hashOf(cluster.state) }),
    }),
  ];
};

const NO_MESH = {
  kind: 'off',
  reason: 'there is no cluster key, or the mesh is switched off',
} as const;
