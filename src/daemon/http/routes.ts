// The shape of a route. One table of these is what Fastify serves and what /openapi.json tells, so neither can know of
// a route that the other does not.

import type { FastifyReply, FastifyRequest } from 'fastify';
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

/** "/api/nodes/{nodeId}" as Fastify's router writes it. */
export const routerPath = (path: string): string =>
  path.replaceAll('{path}', '*').replaceAll(/\{(\w+)\}/g, ':$1');

/** Whether a URL path is one of a route's, whatever its method. */
export const matchesPath = (route: ApiRoute, urlPath: string): boolean => {
  const parts = route.path.split('/');
  const given = urlPath.split('/');
  if (parts.at(-1) === '{path}' ? given.length < parts.length : given.length !== parts.length) return false;
  return parts.every((part, index) => part.startsWith('{') || part === given[index]);
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
