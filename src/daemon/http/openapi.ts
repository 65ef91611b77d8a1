// The OpenAPI description of the route table.

import { API_PROBLEMS } from '../../wire/api/api-problem.ts';
import type { ApiRoute, JsonSchema } from './route.ts';

export const openApi = (routes: readonly ApiRoute[], version: string): JsonSchema => ({
  openapi: '3.1.0',
  info: {
    title: 'Plimsoll daemon',
    version,
    description:
      'One machine and the cluster it sees. Loopback reads are free; beyond loopback, and for whatever changes state, send the access token.',
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [{ url: '/' }],
  paths: Object.fromEntries(
    [...Map.groupBy(routes, route => route.path)].map(([path, group]) => [
      path,
      Object.fromEntries(group.map(route => [route.method.toLowerCase(), operation(route)])),
    ]),
  ),
  components: {
    schemas: { Problem: PROBLEM_SCHEMA },
    // A problem's `type` leads here.
    examples: Object.fromEntries(
      Object.entries(API_PROBLEMS).map(([code, { title }]) => [code, { summary: title }]),
    ),
    securitySchemes: {
      token: { type: 'http', scheme: 'bearer' },
      cookie: {
        type: 'apiKey',
        in: 'cookie',
        name: 'plimsoll-<node>',
        description: 'Set by POST /api/access/code; named after the first 12 characters of the node id.',
      },
    },
  },
});

const operation = (route: ApiRoute): JsonSchema => ({
  operationId: `${route.method.toLowerCase()}${route.path.replaceAll(/[^a-zA-Z0-9]+(.)?/g, (_, next = '') => String(next).toUpperCase())}`,
  summary: route.summary,
  security: SECURITY[route.access],
  parameters: route.parameters.map(parameter => ({
    name: parameter.name,
    in: parameter.in,
    required: parameter.isRequired,
    description: parameter.description,
    schema: parameter.schema,
  })),
  ...(route.body === undefined
    ? {}
    : { requestBody: { required: true, content: { 'application/json': { schema: route.body } } } }),
  responses: {
    ...Object.fromEntries(
      Object.entries(route.responses).map(([status, response]) => [
        status,
        {
          description: response.description,
          ...(response.contentType === undefined
            ? {}
            : { content: { [response.contentType]: { schema: response.schema ?? {} } } }),
        },
      ]),
    ),
    default: {
      description: 'Refused or failed.',
      content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
    },
  },
});

const SECURITY: Readonly<Record<ApiRoute['access'], readonly JsonSchema[]>> = {
  public: [],
  // {} is "or nothing": loopback reads need no token.
  read: [{}, { token: [] }, { cookie: [] }],
  change: [{ token: [] }, { cookie: [] }],
};

const PROBLEM_SCHEMA: JsonSchema = {
  type: 'object',
  description: 'RFC 9457. What else stands in it are facts, by the names of their code.',
  required: ['type', 'title', 'status', 'detail', 'code', 'advice'],
  properties: {
    type: { type: 'string', description: 'Leads to the example of the code in this document.' },
    title: { type: 'string', description: 'The same for every problem of a code.' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What, and where: of this one problem.' },
    code: { type: 'string', description: 'Stable; for programs.' },
    advice: { type: 'string', description: 'What to do about it; empty where there is nothing to do.' },
  },
};
