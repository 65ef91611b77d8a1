// The daemon about itself: identity, health, what it measures, its API.

import * as v from 'valibot';
import {
  daemonAnswerSchema,
  healthSchema,
  readySchema,
  type StreamCounts,
} from '../../wire/api/daemon-answers.ts';
import { httpUrl } from './host.ts';
import type { HttpServerOptions } from './http-options.ts';
import { metricsRoute } from './metrics-route.ts';
import { type OpenApiDocument, openApi } from './openapi.ts';
import { RequestError } from './request-error.ts';
import type { RequestGuard } from './request-guard.ts';
import { type ApiRoute, jsonRoute } from './route.ts';

interface DaemonRouteParts {
  readonly guard: RequestGuard;
  readonly streams: () => StreamCounts;
  readonly bound: () => { readonly host: string; readonly port: number } | undefined;
  /** Every route, these among them. */
  readonly routes: () => readonly ApiRoute[];
}

export const daemonRoutes = (options: HttpServerOptions, parts: DaemonRouteParts): readonly ApiRoute[] => {
  const { clock, nodeId, version, notices, home, program, recording } = options;
  const startedAtWallMs = clock.wallMs();
  const startedAtMs = clock.nowMs();
  /** Created on first request: most daemons never need it. */
  let document: OpenApiDocument | undefined;
  return [
    jsonRoute({
      method: 'GET',
      path: '/api/daemon',
      access: 'read',
      summary: 'The answering daemon: node, version, uptime and notices.',
      description: 'The daemon.',
      answer: daemonAnswerSchema,
      handle: () => {
        const bound = parts.bound();
        const otlp = options.otlp?.();
        const webhooks = options.webhooks?.() ?? [];
        return {
          nodeId,
          version,
          startedAtWallMs,
          uptimeMs: clock.nowMs() - startedAtMs,
          isLoopback: parts.guard.isLoopback,
          ...(bound === undefined ? {} : { url: httpUrl(bound) }),
          ...(parts.guard.isLoopback && home !== undefined ? { home } : {}),
          ...(parts.guard.isLoopback && program !== undefined ? { program } : {}),
          problems: notices(),
          ...(recording === undefined ? {} : { recording }),
          streams: parts.streams(),
          ...(otlp === undefined ? {} : { otlp }),
          ...(webhooks.length === 0 ? {} : { webhooks }),
        };
      },
    }),
    jsonRoute({
      method: 'GET',
      path: '/healthz',
      access: 'public',
      summary: 'Answers while the daemon is up.',
      description: 'It is up.',
      answer: healthSchema,
      handle: () => ({ status: 'ok' as const }),
    }),
    jsonRoute({
      method: 'GET',
      path: '/readyz',
      access: 'public',
      summary:
        'Answers 200 while the daemon may be used: its journal is read and its first readings are there.',
      description: 'It is ready. Otherwise 503 `not-ready`, with what is missing.',
      answer: readySchema,
      handle: () => {
        const missing = options.readiness?.missing ?? [];
        if (missing.length === 0) return { status: 'ready' as const };
        throw new RequestError(
          {
            code: 'not-ready',
            problem: `This daemon is not ready: ${missing.join(', ')}.`,
            advice: '',
            missing,
          },
          { headers: { 'retry-after': '1' } },
        );
      },
    }),
    metricsRoute(options, { streams: parts.streams, startedAtWallMs }),
    jsonRoute({
      method: 'GET',
      path: '/openapi.json',
      access: 'read',
      summary: 'This description.',
      description: 'OpenAPI 3.1.',
      answer: documentSchema,
      handle: async () => {
        document ??= openApi(await Promise.all(parts.routes().map(withBody)), { version, nodeId });
        return document;
      },
    }),
  ];
};

const withBody = async (route: ApiRoute): Promise<ApiRoute> =>
  route.loadBody === undefined ? route : { ...route, body: await route.loadBody() };

const documentSchema: v.GenericSchema<unknown, OpenApiDocument> = v.looseObject({
  openapi: v.pipe(v.string(), v.regex(/^3\.1\.\d+$/)),
  info: v.looseObject({ title: v.string(), version: v.string() }),
  paths: v.record(
    v.string(),
    v.record(v.string(), v.looseObject({ operationId: v.string(), summary: v.string() })),
  ),
});
