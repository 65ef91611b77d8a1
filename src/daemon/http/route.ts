// The shape of a route, and how a table of them is served: Fastify matches the address once, and what it matched says who
// may ask. /openapi.json is made of the same table, so neither can know of a route that the other does not.

import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { RequestError } from './request-error.ts';
import type { RouteAccess } from './request-guard.ts';

export interface ApiRoute {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** As OpenAPI writes it: "/api/nodes/{nodeId}". A parameter named `path` takes the rest of the URL. */
  readonly path: string;
  readonly access: RouteAccess;
  readonly summary: string;
  readonly parameters: readonly RouteParameter[];
  /** JSON schema of the body; undefined where there is none. */
  readonly body: JsonSchema | undefined;
  readonly responses: Readonly<Record<number, RouteResponse>>;
  /** Never ends by itself, and is bounded by its own means. */
  readonly isStream?: true;
  readonly handle: (request: FastifyRequest, reply: FastifyReply) => unknown;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Undefined where an address is refused, or is the dashboard's. */
    readonly apiRoute?: ApiRoute;
  }
}

export interface RouteParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly isRequired: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
}

export interface RouteResponse {
  readonly description: string;
  /** Undefined where there is no body. */
  readonly contentType: string | undefined;
  readonly schema: JsonSchema | undefined;
}

export type JsonSchema = { readonly [keyword: string]: unknown };

export const jsonResponse = (description: string, schema: JsonSchema): RouteResponse => ({
  description,
  contentType: 'application/json',
  schema,
});

export const anyObject = (description: string): JsonSchema => ({ type: 'object', description });

/** Serves the table. What else is asked of an address is 405 with what it takes, and 404 beneath /api/ where there is none. */
export const addApiRoutes = (app: FastifyInstance, routes: readonly ApiRoute[]): void => {
  for (const [path, group] of Map.groupBy(routes, route => route.path)) {
    const url = path.replace('{path}', '*').replaceAll(/\{(\w+)\}/g, ':$1');
    for (const route of group) {
      app.route({
        method: route.method,
        url,
        config: { apiRoute: route },
        handler: async (request, reply) => route.handle(request, reply),
      });
    }
    refuseOtherMethods(
      app,
      url,
      group.map(({ method }) => method),
    );
  }
  app.route({ method: [...ROUTED_METHODS], url: '/api/*', onRequest: refuseUnknown, handler: refuseUnknown });
  app.setNotFoundHandler(refuseUnknown);
};

/** Before a body is read. */
export const refuseOtherMethods = (app: FastifyInstance, url: string, taken: readonly string[]): void => {
  const allowed = [...taken, ...(taken.includes('GET') ? ['HEAD'] : [])].sort();
  const allow = allowed.join(', ');
  const refuse = (): never => {
    throw new RequestError(
      { code: 'method-not-allowed', problem: `This address takes ${allow}.`, advice: '', allowed },
      { headers: { allow } },
    );
  };
  const method = ROUTED_METHODS.filter(each => !allowed.includes(each));
  app.route({ method, url, onRequest: refuse, handler: refuse });
};

const refuseUnknown = (request: FastifyRequest): never => {
  throw nothingAt(request);
};

export const nothingAt = (request: FastifyRequest): RequestError =>
  new RequestError({
    code: 'not-found',
    problem: `There is nothing at ${urlPath(request.url).slice(0, 200)}.`,
    advice: '/openapi.json lists what there is.',
  });

/**
 * Gives a method that no route takes the name of one of them: it is refused like any other, and the router, which keeps a
 * tree a method, need not know all thirty-five.
 */
export const foldMethod = (request: IncomingMessage): void => {
  if (!ROUTED_METHODS.includes(request.method ?? '')) request.method = 'OPTIONS';
};

/** The path of a URL, before any decoding. */
export const urlPath = (url: string): string => url.split(/[?#]/, 1)[0] ?? '';

/** A path parameter, decoded; '' where the route has none of that name. */
export const pathParameter = (request: FastifyRequest, name: string): string => {
  const { params } = request;
  if (typeof params !== 'object' || params === null) return '';
  const value: unknown = Object.getOwnPropertyDescriptor(params, name)?.value;
  return typeof value === 'string' ? value : '';
};

/** Every value of a query parameter, in order. */
export const queryValues = (request: FastifyRequest, name: string): readonly string[] =>
  new URLSearchParams(request.url.split('?', 2)[1] ?? '').getAll(name);

const ROUTED_METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'OPTIONS'];
