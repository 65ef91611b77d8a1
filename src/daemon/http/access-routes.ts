// Signing a browser in: a program that holds the token asks for a code, the page swaps the code for a cookie.

import type { FastifyRequest } from 'fastify';
import { CODE_LIFE_MS, cookieName, setCookie } from './access.ts';
import type { HttpServerOptions } from './http-options.ts';
import { JSON_TYPE, toJson } from './json.ts';
import { RequestError } from './request-error.ts';
import type { RequestGuard } from './request-guard.ts';
import { type ApiRoute, jsonResponse } from './route.ts';

export const accessRoutes = (
  { access, nodeId }: HttpServerOptions,
  guard: RequestGuard,
): readonly ApiRoute[] => [
  {
    method: 'POST',
    path: '/api/access/code',
    access: 'public',
    summary: 'Swaps a one-time code, as printed in the fragment of the URL, for a cookie.',
    parameters: [],
    body: {
      type: 'object',
      required: ['code'],
      properties: { code: { type: 'string', maxLength: CODE_LENGTH_MAX } },
    },
    responses: { 204: { description: 'Signed in.', contentType: undefined, schema: undefined } },
    handle: (request, reply) => {
      guard.checkRefusals(request.raw);
      const cookie = access.redeemCode(codeOf(request));
      if (cookie === undefined) {
        guard.noteRefusal(request.raw);
        throw new RequestError({
          code: 'code-not-good',
          problem: 'This code was used already or is older than ten minutes.',
          advice: 'Run "plimsoll open" for a new one.',
        });
      }
      return reply
        .code(204)
        .header('set-cookie', setCookie(cookieName(nodeId), cookie))
        .send();
    },
  },
  {
    method: 'POST',
    path: '/api/access/one-time-code',
    access: 'change',
    summary: 'Makes a one-time code: open the page at /#code=<code> within its life.',
    parameters: [],
    body: undefined,
    responses: {
      201: jsonResponse('The code.', {
        type: 'object',
        required: ['code', 'expiresInMs'],
        properties: { code: { type: 'string' }, expiresInMs: { type: 'integer' } },
      }),
    },
    handle: (_request, reply) =>
      reply
        .code(201)
        .type(JSON_TYPE)
        .send(toJson({ code: access.issueCode(), expiresInMs: CODE_LIFE_MS })),
  },
];

const CODE_LENGTH_MAX = 64;

const codeOf = ({ body }: FastifyRequest): string => {
  if (typeof body === 'object' && body !== null && 'code' in body) {
    const { code } = body;
    if (typeof code === 'string' && code.length > 0 && code.length <= CODE_LENGTH_MAX) return code;
  }
  throw new RequestError({
    code: 'bad-body',
    problem: 'The body holds no code.',
    advice: 'Send {"code": "…"} as JSON.',
  });
};
