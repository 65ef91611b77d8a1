// Runs: what is known about them, and where a benchmark on this machine announces its own.

import type { FastifyRequest } from 'fastify';
import { isRunId, type RunId } from '../../core/ids.ts';
import { nodeName } from '../../core/node/node-view.ts';
import { LEASE_MS, type RunView, runView, runViews } from '../../core/run/run-selectors.ts';
import {
  type ListedRun,
  leaseBodySchema,
  runAnswerSchema,
  runSeriesAnswerSchema,
  runsAnswerSchema,
  stopAnswerSchema,
} from '../../wire/api/run-answers.ts';
import { runEndSchema, runProgressSchema, runStartSchema } from '../../wire/run-schema.ts';
import { runIdSchema } from '../../wire/schema.ts';
import type { RunRegistry } from '../runs/run-registry.ts';
import { NOTHING } from './cluster-views.ts';
import type { HttpServerOptions } from './http-options.ts';
import { checkReportResponse, REPORTED, type ReportResponseOf, statusOf } from './report-response.ts';
import { RequestError } from './request-error.ts';
import { type ApiRoute, bodyRoute, jsonRoute, pathText, type RouteParameter } from './route.ts';

export const runRoutes = (options: HttpServerOptions): readonly ApiRoute[] => [
  ...readRoutes(options),
  ...reportRoutes(options),
  stopRoute(options),
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
      const runId = requestedRun(request);
      const view = runView(cluster.state, runId, clock.nowMs());
      if (view === undefined) throw noSuchRun(runId);
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
      const runId = requestedRun(request);
      const answer = await runs?.series(runId);
      if (answer !== undefined) return answer;
      const view = runView(cluster.state, runId, clock.nowMs());
      if (view === undefined) throw noSuchRun(runId);
      throw new RequestError({
        code: 'run-elsewhere',
        problem: `The request data of this run is on ${nodeName(cluster.state, view.node)}.`,
        advice: 'Ask the daemon on that machine.',
        node: view.node,
      });
    },
  }),
];

const reportRoutes = ({ runs }: HttpServerOptions): readonly ApiRoute[] => [
  bodyRoute({
    method: 'POST',
    path: '/api/runs',
    access: 'change',
    summary: 'A benchmark starts on this machine. Repeating the call only updates what it reports.',
    body: runStartSchema,
    statuses: { 204: REPORTED[204] },
    handle: begun => {
      checkReportResponse(registryOf(runs).start(begun), RUN);
      return 204;
    },
  }),
  bodyRoute({
    method: 'PUT',
    path: '/api/runs/{runId}/progress',
    access: 'change',
    summary: 'The newest figures of a run, at most ten a second; earlier ones are dropped.',
    parameters: [RUN_ID],
    body: runProgressSchema,
    statuses: REPORTED,
    handle: (progress, request) => {
      checkRun(request, progress.runId);
      return statusOf(registryOf(runs).progress(progress), RUN);
    },
  }),
  bodyRoute({
    method: 'PUT',
    path: '/api/runs/{runId}/lease',
    access: 'change',
    summary: `Reports that a run is in progress; due every 2 s, and void after ${LEASE_MS / 1_000} s.`,
    parameters: [RUN_ID],
    body: leaseBodySchema,
    statuses: REPORTED,
    handle: ({ requestsInFlight }, request) =>
      statusOf(registryOf(runs).lease(requestedRun(request), requestsInFlight), RUN),
  }),
  bodyRoute({
    method: 'POST',
    path: '/api/runs/{runId}/end',
    access: 'change',
    summary: 'A run has ended: its state, the digest of its report, and the directory of the report.',
    parameters: [RUN_ID],
    body: runEndSchema,
    statuses: { 204: REPORTED[204] },
    handle: (ended, request) => {
      checkRun(request, ended.runId);
      checkReportResponse(registryOf(runs).end(ended), RUN);
      return 204;
    },
  }),
];

const stopRoute = ({ clock, cluster, nodeId, runs }: HttpServerOptions): ApiRoute =>
  jsonRoute({
    method: 'POST',
    path: '/api/runs/{runId}/stop',
    access: 'change',
    summary:
      'Requests that a run on this machine stop now and report, as Ctrl-C does; it is then `interrupted`. Its process receives the request with the reply to its next update.',
    parameters: [RUN_ID],
    status: 202,
    description: 'The stop was requested; it ends within seconds.',
    answer: stopAnswerSchema,
    handle: request => {
      const runId = requestedRun(request);
      const view = runView(cluster.state, runId, clock.nowMs());
      if (view === undefined) throw noSuchRun(runId);
      if (!view.isLive)
        throw new RequestError({
          code: 'run-not-live',
          problem: 'This run is not in progress: it has ended, or its process no longer responds.',
          advice: '',
        });
      if (view.node !== nodeId)
        throw new RequestError(
          {
            code: 'run-elsewhere',
            problem: `The process of this run is on ${nodeName(cluster.state, view.node)}, where this daemon cannot reach it.`,
            advice: 'Stop it on the page of that machine, or with Ctrl-C.',
            node: view.node,
          },
          { status: 409 },
        );
      if (!registryOf(runs).stop(runId)) throw noSuchRun(runId);
      return { runId };
    },
  });

const listed = (view: RunView): ListedRun => ({
  ...view,
  progress: view.progress ?? NOTHING,
});

const requestedRun = (request: FastifyRequest): RunId => {
  const text = pathText(request, RUN_ID);
  if (isRunId(text)) return text;
  throw noSuchRun(text);
};

const checkRun = (request: FastifyRequest, reported: RunId): void => {
  if (requestedRun(request) === reported) return;
  throw new RequestError({
    code: 'bad-body',
    problem: 'The body names another run than the path.',
    advice: '',
  });
};

const registryOf = (runs: RunRegistry | undefined): RunRegistry => {
  if (runs !== undefined) return runs;
  throw new RequestError({ code: 'no-runs', problem: 'This server does not accept runs.', advice: '' });
};

const noSuchRun = (text: string): RequestError =>
  new RequestError({
    code: 'no-such-run',
    problem: `No run ${text.slice(0, 64)} is known here.`,
    advice: 'GET /api/runs lists the runs.',
  });

const RUN_ID: RouteParameter<RunId> = {
  name: 'runId',
  in: 'path',
  description: 'The id of a run.',
  schema: runIdSchema,
};

const RUN: ReportResponseOf = {
  unknown: 'no-such-run',
  full: 'too-many-runs',
  one: 'run',
  path: '/api/runs',
};
