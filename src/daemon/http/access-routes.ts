// Signing a browser in: a program that holds the token asks for a code, the page swaps the code for a cookie.

import { codeBodySchema, oneTimeCodeSchema } from '../../wire/api/daemon-answers.ts';
import { CODE_LIFE_MS, cookieName, setCookie } from './access.ts';
import type { HttpServerOptions } from './http-options.ts';
import { RequestError } from './request-error.ts';
import type { RequestGuard } from './request-guard.ts';
import { type ApiRoute, bodyRoute, jsonRoute } from './route.ts';

export const accessRoutes = (
  { access, nodeId }: HttpServerOptions,
  guard: RequestGuard,
): readonly ApiRoute[] => [
  bodyRoute({
    method: 'POST',
    path: '/api/access/code',
    access: 'public',
    summary: 'Exchanges a one-time code, as printed in the fragment of the URL, for a cookie.',
    body: codeBodySchema,
    statuses: { 204: 'Signed in.' },
    handle: ({ code }, request, reply) => {
      // Checked first: wrong codes from the same address must not keep the owner from signing in.
      const cookie = access.redeemCode(code);
      if (cookie === undefined) {
        guard.checkRefusals(request.raw);
        guard.noteRefusal(request.raw);
        throw new RequestError({
          code: 'code-not-good',
          problem: 'This code was used already or is older than ten minutes.',
          advice: 'Run "plimsoll open" for a new one.',
        });
      }
      reply.header('set-cookie', setCookie(cookieName(nodeId), cookie));
      return 204;
    },
  }),
  jsonRoute({
    method: 'POST',
    path: '/api/access/one-time-code',
    access: 'change',
    summary: 'Creates a one-time code: open the page at /#code=<code> while it is valid.',
    status: 201,
    description: 'The code.',
    answer: oneTimeCodeSchema,
    handle: () => ({ code: access.issueCode(), expiresInMs: CODE_LIFE_MS }),
  }),
];
