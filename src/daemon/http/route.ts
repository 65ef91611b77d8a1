// The shape of a route, and how a table of them is served: Fastify matches the address once, and the matched route declares
// who may call it. Bodies and parameters are read by the schemas in /openapi.json, and the compiler checks a route's
// reply against its schema.

import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as v from 'valibot';
import type { Infer } from '../../core/schema.ts';
import { showable } from '../../core/text/single-line.ts';
import { RequestError } from './request-error.ts';
import type { RouteAccess } from './request-guard.ts';

export interface ApiRoute {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** As OpenAPI writes it: "/api/nodes/{nodeId}". A parameter named `path` takes the rest of the URL. */
  readonly path: string;
  readonly access: RouteAccess;
  readonly summary: string;
  readonly parameters: readonly RouteParameter[];
  /** Undefined where there is none. */
  readonly body: v.GenericSchema | undefined;
  /** The whole schema, where only the description of the API needs it. */
  readonly loadBody?: () => Promise<v.GenericSchema>;
  /** By status. */
  readonly answers: Readonly<Record<number, RouteAnswer>>;
  /** Never ends by itself, and limits itself. */
  readonly isStream?: true;
  readonly handle: (request: FastifyRequest, reply: FastifyReply) => unknown;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Undefined where an address is refused, or is the dashboard's. */
    readonly apiRoute?: ApiRoute;
  }
}

export interface RouteParameter<T = unknown> {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description: string;
  readonly schema: v.GenericSchema<unknown, T>;
}

export interface RouteAnswer {
  readonly description: string;
  /** Undefined where there is no body. */
  readonly content: { readonly type: string; readonly schema: v.GenericSchema } | undefined;
}

type RouteHead = Pick<ApiRoute, 'method' | 'path' | 'access' | 'summary'> & {
  readonly parameters?: readonly RouteParameter[];
};

type Handler<T> = (request: FastifyRequest, reply: FastifyReply) => T | Promise<T>;

/** A route without a body that answers JSON, with one status. */
export const jsonRoute = <Answer extends v.GenericSchema>({
  status = 200,
  description,
  answer,
  handle,
  ...head
}: RouteHead & {
  readonly status?: 200 | 201 | 202;
  readonly description: string;
  readonly answer: Answer;
  readonly handle: Handler<Infer<Answer>>;
}): ApiRoute => ({
  parameters: [],
  body: undefined,
  ...head,
  answers: { [status]: jsonAnswer(description, answer) },
  handle: async (request, reply) => sendJson(reply.code(status), await handle(request, reply)),
});

/** A route that takes JSON and answers with a status alone. */
export const bodyRoute = <Body, Status extends number>({
  body,
  statuses,
  handle,
  ...head
}: RouteHead & {
  readonly body: v.GenericSchema<unknown, Body>;
  /** What each means. */
  readonly statuses: Readonly<Record<Status, string>>;
  readonly handle: (body: Body, ...requested: Parameters<Handler<Status>>) => Status;
}): ApiRoute => ({
  parameters: [],
  body,
  ...head,
  answers: Object.fromEntries(
    Object.entries<string>(statuses).map(([status, description]) => [
      status,
      { description, content: undefined },
    ]),
  ),
  handle: (request, reply) => {
    const status: number = handle(readBody(request, body), request, reply);
    return reply.code(status).send();
  },
});

export const jsonAnswer = (description: string, schema: v.GenericSchema): RouteAnswer => ({
  description,
  content: { type: 'application/json', schema },
});

export const sendJson = (reply: FastifyReply, value: unknown): FastifyReply =>
  sendJsonText(reply, JSON.stringify(value));

/** Text from others reaches pages and terminals from here: it must not contain bidirectional control characters. */
export const sendJsonText = (reply: FastifyReply, text: string): FastifyReply =>
  reply.type('application/json; charset=utf-8').send(showable(text));

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
      { code: 'method-not-allowed', problem: `This address supports ${allow}.`, advice: '', allowed },
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
    advice: '/openapi.json lists all addresses.',
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

/** Everything after the first "?". */
const urlQuery = (url: string): URLSearchParams =>
  new URLSearchParams(/^[^?#]*\?([^#]*)/.exec(url)?.[1] ?? '');

/** A path parameter, decoded; '' where the route has none of that name. */
export const pathText = ({ params }: FastifyRequest, { name }: RouteParameter): string => {
  if (typeof params !== 'object' || params === null) return '';
  const value: unknown = Object.getOwnPropertyDescriptor(params, name)?.value;
  return typeof value === 'string' ? value : '';
};

/**
 * A query parameter; undefined where it is not given.
 * @throws RequestError 400 when it is given twice, or is not of its schema.
 */
export const readQuery = <T>({ url }: FastifyRequest, { name, schema }: RouteParameter<T>): T | undefined => {
  const [text, ...others] = urlQuery(url).getAll(name);
  if (text === undefined) return undefined;
  const read = v.safeParse(schema, text);
  if (read.success && others.length === 0) return read.output;
  throw new RequestError({
    code: 'bad-query',
    problem: `The query parameter "${name}" ${read.success ? 'is used more than once' : `is wrong: ${issueText(read.issues[0])}`}.`,
    advice: '',
    parameter: name,
  });
};

/**
 * A parameter that was mistyped would otherwise give an answer to another question than was asked.
 * @throws RequestError 400 when the query has one that the route does not know.
 */
export const checkQuery = (url: string, { parameters }: ApiRoute): void => {
  const allowed = parameters.filter(each => each.in === 'query').map(({ name }) => name);
  for (const name of urlQuery(url).keys()) {
    if (allowed.includes(name)) continue;
    const parameter = name.slice(0, NAME_LENGTH_MAX);
    throw new RequestError({
      code: 'bad-query',
      problem: `The query parameter "${parameter}" does not exist here.`,
      advice: allowed.length === 0 ? 'This address has none.' : `Use ${EITHER.format(allowed)}.`,
      parameter,
      allowed,
    });
  }
};

/** @throws RequestError 400 when the body is not of its schema. */
export const readBody = <Body>({ body }: FastifyRequest, schema: v.GenericSchema<unknown, Body>): Body => {
  const read = v.safeParse(schema, body);
  if (read.success) return read.output;
  const [issue] = read.issues;
  throw new RequestError({
    code: 'bad-body',
    problem: `The body is wrong at ${v.getDotPath(issue) ?? 'its root'}: ${issueText(issue)}.`,
    advice: 'The right form is in /openapi.json.',
    at: v.getDotPath(issue) ?? '',
  });
};

const issueText = ({ message }: { readonly message: string }): string => message.slice(0, 200);

const EITHER = new Intl.ListFormat('en-GB', { type: 'disjunction' });
const NAME_LENGTH_MAX = 64;
const ROUTED_METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'OPTIONS'];
