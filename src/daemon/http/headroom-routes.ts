// What a model should do on the cluster as it is now, for programs: they send the facts of the model, so that no request makes a
// daemon open a file or ask a server.

import * as v from 'valibot';
import { clusterHeadroom } from '../../core/model/cluster-headroom.ts';
import { headroomRequestSchema } from '../../wire/api/headroom-request.ts';
import type { HttpServerOptions } from './http-options.ts';
import { type ApiRoute, jsonAnswer, readBody, sendJson } from './route.ts';

export const headroomRoutes = ({ clock, cluster }: HttpServerOptions): readonly ApiRoute[] => [
  {
    method: 'POST',
    path: '/api/headroom',
    access: 'change',
    summary:
      'What a model should do on the nodes of the cluster, from its facts: its placements ranked, and what would change them.',
    parameters: [],
    body: headroomRequestSchema,
    answers: {
      200: jsonAnswer(
        'As plimsoll headroom --json.',
        v.pipe(v.unknown(), v.description('The answer, in the form of plimsoll headroom --json.')),
      ),
    },
    handle: (request, reply) => {
      const { model, question, nodes } = readBody(request, headroomRequestSchema);
      return sendJson(reply, clusterHeadroom(cluster.state, clock.nowMs(), { model, question, nodes }));
    },
  },
];
