// The mesh of this daemon: which nodes it expects and why there is no link to some of them; and one hash of what all
// nodes of a mesh must agree on, for tests and for checking whether a cluster has converged.

import * as v from 'valibot';
import { canonicalHasher } from '../../mesh/replication/canonical-hash.ts';
import {
  joinBodySchema,
  joinCodeAnswerSchema,
  joinCodeStandingSchema,
  joinedAnswerSchema,
  leftAnswerSchema,
  meshHashSchema,
} from '../../wire/api/daemon-answers.ts';
import { meshStatusSchema } from '../../wire/mesh-status.ts';
import { JoinError } from '../mesh/joining.ts';
import type { HttpServerOptions } from './http-options.ts';
import { RequestError } from './request-error.ts';
import {
  type ApiRoute,
  jsonAnswer,
  jsonRoute,
  type RouteParameter,
  readBody,
  readQuery,
  sendJson,
} from './route.ts';

export const meshRoutes = ({ nodeId, cluster, mesh, joining }: HttpServerOptions): readonly ApiRoute[] => {
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
    jsonRoute({
      method: 'POST',
      path: '/api/mesh/join-code',
      access: 'change',
      summary: 'A code with which one other machine can join: once, within ten minutes.',
      description: 'The code.',
      answer: joinCodeAnswerSchema,
      handle: () => requested(joining, each => each.issueCode()),
    }),
    jsonRoute({
      method: 'GET',
      path: '/api/mesh/join-code',
      access: 'change',
      summary: 'The state of a join code: whether a machine has joined with it, and how long it stays valid.',
      parameters: [CODE_ID],
      description: 'The state of the code.',
      answer: joinCodeStandingSchema,
      handle: request => requested(joining, async each => each.standingOf(readQuery(request, CODE_ID) ?? '')),
    }),
    {
      method: 'POST',
      path: '/api/mesh/join',
      access: 'change',
      summary: 'Joins the cluster of a code, without a restart.',
      parameters: [],
      body: joinBodySchema,
      answers: { 200: jsonAnswer('What was joined.', joinedAnswerSchema) },
      handle: async (request, reply) => {
        const { code } = readBody(request, joinBodySchema);
        return sendJson(reply, await requested(joining, each => each.join(code)));
      },
    },
    jsonRoute({
      method: 'POST',
      path: '/api/mesh/leave',
      access: 'change',
      summary: 'Leaves the cluster: deletes the key of this home and closes every link. The journal stays.',
      description: 'What was left.',
      answer: leftAnswerSchema,
      handle: () => requested(joining, each => each.leave()),
    }),
  ];
};

const requested = async <T>(
  joining: HttpServerOptions['joining'],
  request: (joining: NonNullable<HttpServerOptions['joining']>) => Promise<T>,
): Promise<T> => {
  if (joining === undefined)
    throw new RequestError({
      code: 'no-mesh',
      problem: 'The mesh of this daemon is switched off, or simulated.',
      advice: 'Start it without --mesh off, and without mesh.listen = "off" in config.toml.',
    });
  try {
    return await request(joining);
  } catch (error) {
    if (error instanceof JoinError) throw new RequestError(error.problem, { cause: error });
    throw error;
  }
};

const NO_MESH = {
  kind: 'off',
  reason: 'there is no cluster key, or the mesh is switched off',
} as const;

const CODE_ID: RouteParameter<string> = {
  name: 'id',
  in: 'query',
  description: 'The id of the code, as returned by POST.',
  schema: v.pipe(v.string(), v.maxLength(64)),
};
