// Runs: what is known about them, their series over time, and the lease of one in progress.

import { LEASE_MS } from '../../core/document/document-views.ts';
import { nodeName } from '../../core/node/node-view.ts';
import { type RunView, runView, runViews } from '../../core/run/run-selectors.ts';
import {
  type ListedRun,
  leaseBodySchema,
  runAnswerSchema,
  runSeriesAnswerSchema,
  runsAnswerSchema,
  stopAnswerSchema,
} from '../../wire/api/run-answers.ts';
import { RUN_DOCUMENT } from '../runs/run-registry.ts';
import { NOTHING } from './cluster-views.ts';
import {
  documentRoutes,
  idParameter,
  noSuchDocument,
  REPORTED,
  refuseAll,
  requestedId,
  statusOf,
} from './document-routes.ts';
import type { HttpServerOptions } from './http-options.ts';
import { RequestError } from './request-error.ts';
import { type ApiRoute, bodyRoute, jsonRoute } from './route.ts';

export const runRoutes = (options: HttpServerOptions): readonly ApiRoute[] => [
  ...readRoutes(options),
  ...documentRoutes(options, {
    kind: RUN_DOCUMENT,
    registry: options.runs,
    stopAnswer: stopAnswerSchema,
    stopped: runId => ({ runId }),
    more: [leaseRoute(options)],
  }),
];

const readRoutes = ({ clock, cluster, runs }: HttpServerOptions): readonly ApiRoute[] => [
  jsonRoute({
    method: 'GET',
    path: '/api/runs',
    access: 'read',
    summary: `Benchmark runs, newest first, with current figures of those in progress. A run without news for ${LEASE_MS / 1_000} s is shown as interrupted.`,
    description: 'The runs.',
    answer: runsAnswerSchema,
    handle: () => ({ runs: runViews(cluster.state, clock.nowMs()).map(listed) }),
  }),
  jsonRoute({
    method: 'GET',
    path: '/api/runs/{runId}',
    access: 'read',
    summary: 'One run; with its report if it has ended and its files are on the answering node.',
    parameters: [RUN_ID],
    description: 'The run.',
    answer: runAnswerSchema,
    handle: async request => {
      const runId = requestedId(RUN_DOCUMENT, request);
      const view = runView(cluster.state, runId, clock.nowMs());
      if (view === undefined) throw noSuchDocument(RUN_DOCUMENT, runId);
      const report = view.isLive ? undefined : await runs?.report(runId);
      return { run: listed(view), report: report ?? null };
    },
  }),
  jsonRoute({
    method: 'GET',
    path: '/api/runs/{runId}/series',
    access: 'read',
    summary:
      'Rates and percentiles of a run over time, at most one point a second, from its requests by end time. Columns of equal length; null where none ended.',
    parameters: [RUN_ID],
    description: 'The series.',
    answer: runSeriesAnswerSchema,
    handle: async request => {
      const runId = requestedId(RUN_DOCUMENT, request);
      const answer = await runs?.series(runId);
      if (answer !== undefined) return answer;
      const view = runView(cluster.state, runId, clock.nowMs());
      if (view === undefined) throw noSuchDocument(RUN_DOCUMENT, runId);
      throw new RequestError({
        code: 'run-elsewhere',
        problem: `The request data of this run is on ${nodeName(cluster.state, view.node)}.`,
        advice: 'Ask the daemon on that machine.',
        node: view.node,
      });
    },
  }),
];

const leaseRoute = ({ runs }: HttpServerOptions): ApiRoute =>
  bodyRoute({
    method: 'PUT',
    path: '/api/runs/{runId}/lease',
    access: 'change',
    summary: `Reports that a run is in progress; due every 2 s, and void after ${LEASE_MS / 1_000} s.`,
    parameters: [RUN_ID],
    body: leaseBodySchema,
    statuses: REPORTED,
    handle: ({ requestsInFlight }, request) =>
      statusOf(
        (runs ?? refuseAll(RUN_DOCUMENT)).lease(requestedId(RUN_DOCUMENT, request), requestsInFlight),
        RUN_DOCUMENT,
      ),
  });

const listed = (view: RunView): ListedRun => ({
  ...view,
  progress: view.progress ?? NOTHING,
});

const RUN_ID = idParameter(RUN_DOCUMENT);
