// Sweeps and load lines: what is known about them, and where a search on this machine announces its own.

import type { FastifyRequest } from 'fastify';
import { isSweepId, type SweepId } from '../../core/ids.ts';
import { nodeName } from '../../core/node/node-view.ts';
import { LEASE_MS } from '../../core/run/run-selectors.ts';
import { type SweepView, sweepView, sweepViews } from '../../core/sweep/sweep-selectors.ts';
import {
  type ListedSweep,
  sweepAnswerSchema,
  sweepStopAnswerSchema,
  sweepsAnswerSchema,
} from '../../wire/api/sweep-answers.ts';
import { sweepIdSchema } from '../../wire/schema.ts';
import { sweepEndSchema, sweepStartSchema, sweepUpdateSchema } from '../../wire/sweep-digest-schema.ts';
import type { SweepRegistry } from '../runs/sweep-registry.ts';
import { NOTHING } from './cluster-views.ts';
import type { HttpServerOptions } from './http-options.ts';
import { checkReportResponse, REPORTED, type ReportResponseOf, statusOf } from './report-response.ts';
import { RequestError } from './request-error.ts';
import { type ApiRoute, bodyRoute, jsonRoute, pathText, type RouteParameter } from './route.ts';

export const sweepRoutes = (options: HttpServerOptions): readonly ApiRoute[] => [
  ...readRoutes(options),
  ...reportRoutes(options),
  stopRoute(options),
];

const readRoutes = ({ clock, cluster, nodeId, sweeps }: HttpServerOptions): readonly ApiRoute[] => [
  jsonRoute({
    method: 'GET',
    path: '/api/sweeps',
    access: 'read',
    summary: `Sweeps and load lines, newest first. One in progress without news for ${LEASE_MS / 1_000} s is shown as interrupted.`,
    description: 'The sweeps and lines.',
    answer: sweepsAnswerSchema,
    handle: () => ({ sweeps: sweepViews(cluster.state, clock.nowMs()).map(listed) }),
  }),
  jsonRoute({
    method: 'GET',
    path: '/api/sweeps/{sweepId}',
    access: 'read',
    summary:
      'One sweep or line: its stages so far while it is in progress, then its document if its files are on the answering node.',
    parameters: [SWEEP_ID],
    description: 'The sweep or line.',
    answer: sweepAnswerSchema,
    handle: async request => {
      const sweepId = requestedSweep(request);
      const view = sweepView(cluster.state, sweepId, clock.nowMs());
      if (view === undefined) throw noSuchSweep(sweepId);
      const here = view.node === nodeId ? await sweeps?.contents(sweepId) : undefined;
      return {
        sweep: listed(view),
        document: here?.document ?? null,
        stages: here?.stages ?? [],
        notice: here?.notice ?? `its files are on ${nodeName(cluster.state, view.node)}`,
      };
    },
  }),
];

const reportRoutes = ({ sweeps }: HttpServerOptions): readonly ApiRoute[] => [
  bodyRoute({
    method: 'POST',
    path: '/api/sweeps',
    access: 'change',
    summary: 'A sweep or a search for a load line starts on this machine; its stages are reported as runs.',
    body: sweepStartSchema,
    statuses: { 204: REPORTED[204] },
    handle: begun => {
      checkReportResponse(registryOf(sweeps).start(begun), SWEEP);
      return 204;
    },
  }),
  bodyRoute({
    method: 'PUT',
    path: '/api/sweeps/{sweepId}/progress',
    access: 'change',
    summary: `What is known so far, with the stages that changed; due every 2 s, and the sweep counts as interrupted after ${LEASE_MS / 1_000} s.`,
    parameters: [SWEEP_ID],
    body: sweepUpdateSchema,
    statuses: REPORTED,
    handle: (update, request) => {
      checkSweep(request, update.sweepId);
      return statusOf(registryOf(sweeps).update(update), SWEEP);
    },
  }),
  bodyRoute({
    method: 'POST',
    path: '/api/sweeps/{sweepId}/end',
    access: 'change',
    summary: 'A sweep or search has ended: its state, its line and the sentence about it.',
    parameters: [SWEEP_ID],
    body: sweepEndSchema,
    statuses: { 204: REPORTED[204] },
    handle: (ended, request) => {
      checkSweep(request, ended.sweepId);
      checkReportResponse(registryOf(sweeps).end(ended), SWEEP);
      return 204;
    },
  }),
];

const stopRoute = ({ clock, cluster, nodeId, sweeps }: HttpServerOptions): ApiRoute =>
  jsonRoute({
    method: 'POST',
    path: '/api/sweeps/{sweepId}/stop',
    access: 'change',
    summary:
      'Requests that a sweep or search on this machine stop now and keep what is known, as Ctrl-C does. Its process receives the request with the reply to its next update.',
    parameters: [SWEEP_ID],
    status: 202,
    description: 'The stop was requested; it ends within seconds.',
    answer: sweepStopAnswerSchema,
    handle: request => {
      const sweepId = requestedSweep(request);
      const view = sweepView(cluster.state, sweepId, clock.nowMs());
      if (view === undefined) throw noSuchSweep(sweepId);
      if (!view.isLive)
        throw new RequestError({
          code: 'run-not-live',
          problem: 'This sweep is not in progress: it has ended, or its process no longer responds.',
          advice: '',
        });
      if (view.node !== nodeId || !registryOf(sweeps).stop(sweepId))
        throw new RequestError(
          {
            code: 'run-elsewhere',
            problem: `The process of this sweep is on ${nodeName(cluster.state, view.node)}, where this daemon cannot reach it.`,
            advice: 'Stop it on the page of that machine, or with Ctrl-C.',
            node: view.node,
          },
          { status: 409 },
        );
      return { sweepId };
    },
  });

const listed = (view: SweepView): ListedSweep => ({ ...view, progress: view.progress ?? NOTHING });

const requestedSweep = (request: FastifyRequest): SweepId => {
  const text = pathText(request, SWEEP_ID);
  if (isSweepId(text)) return text;
  throw noSuchSweep(text);
};

const checkSweep = (request: FastifyRequest, reported: SweepId): void => {
  if (requestedSweep(request) === reported) return;
  throw new RequestError({
    code: 'bad-body',
    problem: 'The body names another sweep than the path.',
    advice: '',
  });
};

const registryOf = (sweeps: SweepRegistry | undefined): SweepRegistry => {
  if (sweeps !== undefined) return sweeps;
  throw new RequestError({ code: 'no-runs', problem: 'This server does not accept sweeps.', advice: '' });
};

const noSuchSweep = (text: string): RequestError =>
  new RequestError({
    code: 'no-such-sweep',
    problem: `No sweep ${text.slice(0, 64)} is known here.`,
    advice: 'GET /api/sweeps lists them.',
  });

const SWEEP_ID: RouteParameter<SweepId> = {
  name: 'sweepId',
  in: 'path',
  description: 'The id of a sweep or line.',
  schema: sweepIdSchema,
};

const SWEEP: ReportResponseOf = {
  one: 'sweep',
  unknown: 'no-such-sweep',
  full: 'too-many-sweeps',
  path: '/api/sweeps',
};
