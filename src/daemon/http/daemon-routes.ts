// The daemon about itself: who it is, whether it lives, what it measures, what it answers to.

import { noticesAnswer } from '../../wire/notice.ts';
import { httpUrl } from './host.ts';
import type { HttpServerOptions } from './http-options.ts';
import { JSON_TYPE, toJson } from './json.ts';
import { METRICS_TYPE, renderMetrics } from './metrics/render-metrics.ts';
import { openApi } from './openapi.ts';
import type { RequestGuard } from './request-guard.ts';
import { type ApiRoute, anyObject, jsonResponse } from './route.ts';
import type { StreamHub } from './stream/stream-hub.ts';

export interface DaemonRouteParts {
  readonly guard: RequestGuard;
  readonly hub: StreamHub;
  readonly bound: () => { readonly host: string; readonly port: number } | undefined;
  /** Every route, these among them. */
  readonly routes: () => readonly ApiRoute[];
}

export const daemonRoutes = (options: HttpServerOptions, parts: DaemonRouteParts): readonly ApiRoute[] => {
  const { clock, nodeId, version, notices, home, recording } = options;
  const startedAtWallMs = clock.wallMs();
  const startedAtMs = clock.nowMs();
  return [
    {
      method: 'GET',
      path: '/api/daemon',
      access: 'read',
      summary: 'The daemon that answers: node, version, uptime, and what a person should know now.',
      parameters: [],
      body: undefined,
      responses: { 200: jsonResponse('The daemon.', anyObject('The daemon.')) },
      handle: (_request, reply) => {
        const bound = parts.bound();
        return reply.type(JSON_TYPE).send(
          toJson({
            nodeId,
            version,
            startedAtWallMs,
            uptimeMs: clock.nowMs() - startedAtMs,
            isLoopback: parts.guard.isLoopback,
            ...(bound === undefined ? {} : { url: httpUrl(bound) }),
            ...(parts.guard.isLoopback && home !== undefined ? { home } : {}),
            ...noticesAnswer(notices()),
            ...(recording === undefined ? {} : { recording }),
            streams: parts.hub.counts(),
          }),
        );
      },
    },
    {
      method: 'GET',
      path: '/healthz',
      access: 'public',
      summary: 'Answers while the daemon serves.',
      parameters: [],
      body: undefined,
      responses: {
        200: jsonResponse('It serves.', { type: 'object', properties: { status: { const: 'ok' } } }),
      },
      handle: (_request, reply) => reply.type(JSON_TYPE).send('{"status":"ok"}'),
    },
    {
      method: 'GET',
      path: '/metrics',
      access: 'read',
      summary: 'Prometheus. What is unknown or stale is absent; the age of each reading tells why.',
      parameters: [],
      body: undefined,
      responses: {
        200: { description: 'Text format 0.0.4.', contentType: 'text/plain', schema: { type: 'string' } },
      },
      handle: async (_request, reply) => {
        const page = await renderMetrics({
          state: options.cluster.state,
          nowMs: clock.nowMs(),
          nodeId,
          connectionsMax: options.limits.metricsConnectionsMax,
          version,
          startedAtWallMs,
          resources: options.resources(),
          streams: parts.hub.counts(),
          mesh: options.mesh?.(),
        });
        return reply.type(METRICS_TYPE).send(page);
      },
    },
    {
      method: 'GET',
      path: '/openapi.json',
      access: 'read',
      summary: 'This description.',
      parameters: [],
      body: undefined,
      responses: { 200: jsonResponse('OpenAPI 3.1.', anyObject('OpenAPI 3.1.')) },
      handle: (_request, reply) => reply.type(JSON_TYPE).send(toJson(openApi(parts.routes(), version))),
    },
  ];
};
