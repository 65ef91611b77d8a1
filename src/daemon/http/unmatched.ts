// What a request gets that no route takes: the methods that its address does take, or that there is nothing.

import type { IncomingMessage } from 'node:http';
import { RequestError } from './http-error.ts';
import { type ApiRoute, matchesPath, urlPath } from './routes.ts';

export const unmatched = (request: IncomingMessage, routes: readonly ApiRoute[]): RequestError => {
  const path = urlPath(request.url ?? '');
  const methods = new Set<string>(
    routes.filter(route => matchesPath(route, path)).map(route => route.method),
  );
  const isPage = methods.size === 0 && !path.startsWith('/api/');
  if (methods.has('GET') || isPage) methods.add('GET').add('HEAD');
  if (methods.size === 0 || methods.has(request.method ?? '')) {
    return new RequestError(
      { status: 404, code: 'not-found' },
      `There is nothing at ${path.slice(0, 200)}. /openapi.json lists what there is.`,
    );
  }
  const allow = [...methods].sort().join(', ');
  return new RequestError(
    { status: 405, code: 'method-not-allowed', headers: { allow } },
    `This address takes ${allow}.`,
  );
};
