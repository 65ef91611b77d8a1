// Where a person asks for a measurement now.

import * as v from 'valibot';
import { WISH_BODY } from '../probes/probe-wish.ts';
import type { HttpServerOptions } from './http-options.ts';
import { JSON_TYPE, toJson } from './json.ts';
import { RequestError } from './request-error.ts';
import { type ApiRoute, anyObject, type JsonSchema, jsonResponse } from './route.ts';

export const probeRoutes = ({ probes }: HttpServerOptions): readonly ApiRoute[] => [
  {
    method: 'POST',
    path: '/api/probes',
    access: 'change',
    summary:
      'Measures devices or connections now, however fresh their profiles are. What waits says why; how it goes on is in probeStatuses of the state.',
    parameters: [],
    body: WISH_SCHEMA,
    responses: {
      202: jsonResponse(
        'What was started, queued or refused, and by which node.',
        anyObject('`probes`, `unreached`.'),
      ),
    },
    handle: async (request, reply) => {
      const body = v.safeParse(WISH_BODY, request.body);
      if (!body.success) {
        const [issue] = body.issues;
        throw new RequestError({
          code: 'bad-body',
          problem: `The body is wrong at ${v.getDotPath(issue) ?? 'its root'}: ${issue.message.slice(0, 200)}`,
          advice: '',
        });
      }
      if (probes === undefined)
        throw new RequestError({
          code: 'no-probes',
          problem: 'This daemon measures nothing.',
          advice: '',
        });
      const answer = await probes.wish(body.output.subject, AbortSignal.timeout(ANSWER_MS));
      if (answer.probes.length === 0 && answer.unreached.length === 0)
        throw new RequestError({
          code: 'nothing-to-probe',
          problem: 'There is no such device or connection now.',
          advice: 'GET /api/state lists them.',
        });
      return reply.code(202).type(JSON_TYPE).send(toJson(answer));
    },
  },
];

const NODE: JsonSchema = { type: 'string', pattern: '^[a-z0-9]{26}$' };
const WISH_SCHEMA: JsonSchema = {
  type: 'object',
  required: ['subject'],
  properties: {
    subject: {
      oneOf: [
        { type: 'string', const: 'all' },
        {
          type: 'object',
          required: ['kind', 'nodeId'],
          properties: { kind: { const: 'gpu' }, nodeId: NODE, deviceId: { type: 'string' } },
        },
        {
          type: 'object',
          required: ['kind', 'source', 'sink'],
          properties: {
            kind: { const: 'link' },
            source: NODE,
            sink: NODE,
            connectionKey: { type: 'string' },
          },
        },
      ],
    },
  },
};

/** Past what a peer may take to answer. */
const ANSWER_MS = 8_000;
