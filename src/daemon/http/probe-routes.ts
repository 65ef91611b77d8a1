// Requests for probes.

import { loadsAnswerSchema, loadsRequestSchema } from '../../wire/api/load-answers.ts';
import { probeRequestSchema, probesAnswerSchema } from '../../wire/api/probe-answers.ts';
import type { HttpServerOptions } from './http-options.ts';
import { RequestError } from './request-error.ts';
import { type ApiRoute, jsonAnswer, readBody, sendJson } from './route.ts';

export const probeRoutes = ({ probes }: HttpServerOptions): readonly ApiRoute[] => [
  {
    method: 'POST',
    path: '/api/probes',
    access: 'change',
    summary:
      'Measures devices or connections now, however fresh their profiles are. If one has to wait, the answer says why; progress is in probeStatuses of the state.',
    parameters: [],
    body: probeRequestSchema,
    answers: {
      202: jsonAnswer('What was started, queued or refused, by each node.', probesAnswerSchema),
    },
    handle: async (request, reply) => {
      const { subject } = readBody(request, probeRequestSchema);
      if (probes === undefined)
        throw new RequestError({ code: 'no-probes', problem: 'This daemon measures nothing.', advice: '' });
      const answer = await probes.request(subject, AbortSignal.timeout(ANSWER_MS));
      if (answer.probes.length === 0 && answer.unreached.length === 0)
        throw new RequestError({
          code: 'nothing-to-probe',
          problem: 'There is no such device or connection now.',
          advice: 'GET /api/state lists them.',
        });
      return sendJson(reply.code(202), answer);
    },
  },
  {
    method: 'POST',
    path: '/api/loads',
    access: 'change',
    summary:
      'Keeps devices and connections of some nodes busy at once, for some seconds, and replies with what they reached. Runners have priority, and each node decides: what it did not load has the reason.',
    parameters: [],
    body: loadsRequestSchema,
    answers: { 200: jsonAnswer('What was loaded, by each node.', loadsAnswerSchema) },
    handle: async (request, reply) => {
      const requested = readBody(request, loadsRequestSchema);
      if (probes === undefined)
        throw new RequestError({ code: 'no-probes', problem: 'This daemon measures nothing.', advice: '' });
      return sendJson(reply, await probes.load(requested, AbortSignal.timeout(LOAD_MS)));
    },
  },
];

/** More than the two minutes of a request between nodes. */
const LOAD_MS = 125_000;
/** Longer than a peer may take to answer. */
const ANSWER_MS = 8_000;
