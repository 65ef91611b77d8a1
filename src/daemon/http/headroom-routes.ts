// What a model should do on the cluster as it is now, for programs: they send the facts of the model, so that no request makes a
// daemon open a file or ask a server.

import { clusterHeadroom } from '../../core/model/cluster-headroom.ts';
import { headroomDocument } from '../../core/model/headroom-document.ts';
import { headroomRequestSchema } from '../../wire/api/headroom-request.ts';
import { headroomDocumentSchema } from '../../wire/headroom-schema.ts';
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
      200: jsonAnswer('As plimsoll headroom --json.', headroomDocumentSchema),
    },
    handle: (request, reply) => {
      const { model, question, nodes } = readBody(request, headroomRequestSchema);
      const answer = clusterHeadroom(cluster.state, clock.nowMs(), { model, question, nodes });
      return sendJson(reply, headroomDocument(answer));
    },
  },
];
