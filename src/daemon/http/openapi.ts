// The OpenAPI description of the route table: every schema in it is generated from the one that validates, so they
// cannot differ. Named schemas appear once, and the rest refers to them.

import * as v from 'valibot';
import type { NodeId } from '../../core/ids.ts';
import { API_PROBLEMS, apiProblemSchema } from '../../wire/api/api-problem.ts';
import { API_COMPONENTS, BODY_COMPONENTS } from '../../wire/api/components.ts';
import { cookieName } from './access.ts';
import { jsonSchemaOf } from './json-schema.ts';
import type { ApiRoute, RouteAnswer } from './route.ts';

type Json = { readonly [keyword: string]: unknown };

export interface OpenApiDocument extends Json {
  readonly openapi: string;
  readonly info: Json & { readonly title: string; readonly version: string };
  /** By path, then by method. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation extends Json {
  readonly operationId: string;
  readonly summary: string;
}

export const openApi = (
  routes: readonly ApiRoute[],
  { version, nodeId }: { readonly version: string; readonly nodeId: NodeId },
): OpenApiDocument => {
  const answers = describe('output', API_COMPONENTS, [
    apiProblemSchema,
    ...routes.flatMap(({ parameters }) => parameters.map(({ schema }) => schema)),
    ...routes.flatMap(route => Object.values(route.answers).flatMap(({ content }) => content?.schema ?? [])),
  ]);
  const bodies = describe(
    'input',
    BODY_COMPONENTS,
    routes.flatMap(({ body }) => body ?? []),
  );
  return {
    openapi: '3.1.0',
    info: {
      title: 'Plimsoll daemon',
      version,
      description:
        'One machine and the cluster it sees. Reading on loopback needs no token; from other machines, and to change state, send the access token.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    paths: Object.fromEntries(
      [...Map.groupBy(routes, route => route.path)].map(([path, group]) => [
        path,
        Object.fromEntries(
          group.map(route => [route.method.toLowerCase(), operation(route, answers.of, bodies.of)]),
        ),
      ]),
    ),
    components: {
      schemas: { ...answers.components, ...bodies.components },
      // A problem's `type` leads here.
      examples: Object.fromEntries(
        Object.entries(API_PROBLEMS).map(([code, { title }]) => [code, { summary: title }]),
      ),
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer' },
        cookie: {
          type: 'apiKey',
          in: 'cookie',
          name: cookieName(nodeId),
          description: 'Set by POST /api/access/code; every node names its own.',
        },
      },
    },
  };
};

type Described = (schema: v.GenericSchema) => unknown;

const operation = (route: ApiRoute, answerOf: Described, bodyOf: Described): Operation => ({
  operationId: `${route.method.toLowerCase()}${route.path.replaceAll(/[^a-zA-Z0-9]+(.)?/g, (_, next = '') => String(next).toUpperCase())}`,
  summary: route.summary,
  security: SECURITY[route.access],
  parameters: route.parameters.map(({ name, in: location, description, schema }) => ({
    name,
    in: location,
    required: location === 'path',
    description,
    schema: answerOf(schema),
  })),
  ...(route.body === undefined
    ? {}
    : { requestBody: { required: true, content: { 'application/json': { schema: bodyOf(route.body) } } } }),
  responses: {
    ...Object.fromEntries(
      Object.entries(route.answers).map(([status, answer]) => [status, response(answer, answerOf)]),
    ),
    default: {
      description: 'Refused or failed.',
      content: { 'application/problem+json': { schema: answerOf(apiProblemSchema) } },
    },
  },
});

const response = ({ description, content }: RouteAnswer, answerOf: Described): Json => ({
  description,
  ...(content === undefined ? {} : { content: { [content.type]: { schema: answerOf(content.schema) } } }),
});

/** All at once, because each conversion includes every named schema. */
const describe = (
  typeMode: 'input' | 'output',
  definitions: Readonly<Record<string, v.GenericSchema>>,
  schemas: readonly v.GenericSchema[],
): { readonly components: Json; readonly of: Described } => {
  const keys = new Map([...new Set(schemas)].map((schema, index) => [schema, `${index}`]));
  const all = v.object(Object.fromEntries([...keys].map(([schema, key]) => [key, schema])));
  const { properties = {}, $defs = {} } = jsonSchemaOf(all, {
    typeMode,
    definitions,
    referenceTo: name => `#/components/schemas/${name}`,
  });
  return { components: $defs, of: schema => properties[keys.get(schema) ?? ''] };
};

const SECURITY: Readonly<Record<ApiRoute['access'], readonly Json[]>> = {
  public: [],
  // {} is "or nothing": loopback reads need no token.
  read: [{}, { token: [] }, { cookie: [] }],
  change: [{ token: [] }, { cookie: [] }],
};
