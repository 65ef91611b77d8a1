// Runs: what is known of them, for whoever asks, and where a benchmark of this machine tells of its own.

import type { FastifyRequest } from 'fastify';
import type { RunId } from '../../core/ids.ts';
import { isRunId } from '../../core/ids.ts';
import { nodeName } from '../../core/node/node-view.ts';
import type { RunView } from '../../core/run/run-selectors.ts';
import { LEASE_MS, runView, runViews } from '../../core/run/run-selectors.ts';
import type { ListedRun } from '../../wire/api/run-answers.ts';
import {
  leaseBodySchema,
  runAnswerSchema,
  runSeriesAnswerSchema,
  runsAnswerSchema,
  stopAnswerSchema,
} from '../../wire/api/run-answers.ts';
import { runEndSchema, runProgressSchema, runStartSchema } from '../../wire/run-schema.ts';
import { runIdSchema } from '../../wire/schema.ts';
import { JOURNAL_RETRY_MS } from '../event-recorder.ts';
import type { RunRegistry, Told } from '../runs/run-registry.ts';
import { NOTHING } from './cluster-views.ts';
import type { HttpServerOptions } from './http-options.ts';
import { RequestError } from './request-error.ts';
import { type ApiRoute, bodyRoute, jsonRoute, pathText, type RouteParameter } from './route.ts';

export const runRoutes = (options: HttpServerOptions): readonly ApiRoute[] => [
  ...readRoutes(options),
  ...tellRoutes(options),
  stopRoute(options),
];

const readRoutes = ({ clock, cluster, runs }: HttpServerOptions): readonly ApiRoute[] => [
  jsonRoute({
    method: 'GET',
    path: '/api/runs',
    access: 'read',
    summary: `Benchmark runs, the newest first, with the newest figures of those that run now. One that told nothing for ${LEASE_MS / 1_000} s is shown as interrupted.`,
    description: 'The runs.',
    answer: runsAnswerSchema,
    handle: () => ({ runs: runViews(cluster.state, clock.nowMs()).map(listed) }),
  }),
  jsonRoute({
    method: 'GET',
    path: '/api/runs/{runId}',
    access: 'read',
    summary: 'One run; with its report where it has ended and the files are on the node that answers.',
    parameters: [RUN_ID],
    description: 'The run.',
    answer: runAnswerSchema,
    handle: async request => {
      const runId = askedRun(request);
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
      'Rates and percentiles of a run over time, at most one point a second, made of its samples by when they ended. Columns of equal length; null where nothing ended.',
    parameters: [RUN_ID],
    description: 'The series.',
    answer: runSeriesAnswerSchema,
    handle: async request => {
      const runId = askedRun(request);
      const answer = await runs?.series(runId);
      if (answer !== undefined) return answer;
      const view = runView(cluster.state, runId, clock.nowMs());
      if (view === undefined) throw noSuchRun(runId);
      throw new RequestError({
        code: 'run-elsewhere',
        problem: `The samples of this run lie on ${nodeName(cluster.state, view.node)}.`,
        advice: 'Ask the daemon there.',
        node: view.node,
      });
    },
  }),
];

const tellRoutes = ({ runs }: HttpServerOptions): readonly ApiRoute[] => [
  bodyRoute({
    method: 'POST',
    path: '/api/runs',
    access: 'change',
    summary: 'A benchmark on this machine begins. Telling again changes nothing but what is told.',
    body: runStartSchema,
    statuses: { 204: TOLD[204] },
    handle: begun => {
      checkTold(registryOf(runs).start(begun));
      return 204;
    },
  }),
  bodyRoute({
    method: 'PUT',
    path: '/api/runs/{runId}/progress',
    access: 'change',
    summary: 'The newest figures of a run, at most ten a second; what comes sooner is dropped.',
    parameters: [RUN_ID],
    body: runProgressSchema,
    statuses: TOLD,
    handle: (progress, request) => {
      checkRun(request, progress.runId);
      return statusOf(registryOf(runs).progress(progress));
    },
  }),
  bodyRoute({
    method: 'PUT',
    path: '/api/runs/{runId}/lease',
    access: 'change',
    summary: `Says that a run goes on; due every 2 s, and past ${LEASE_MS / 1_000} s nobody counts on it.`,
    parameters: [RUN_ID],
    body: leaseBodySchema,
    statuses: TOLD,
    handle: ({ requestsInFlight }, request) =>
      statusOf(registryOf(runs).lease(askedRun(request), requestsInFlight)),
  }),
  bodyRoute({
    method: 'POST',
    path: '/api/runs/{runId}/end',
    access: 'change',
    summary: 'A run has ended: its state, the digest of its report, and the directory where the report lies.',
    parameters: [RUN_ID],
    body: runEndSchema,
    statuses: { 204: TOLD[204] },
    handle: (ended, request) => {
      checkRun(request, ended.runId);
      checkTold(registryOf(runs).end(ended));
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
      'Asks a run of this machine to end now, with its account, as Ctrl-C does: it is then `interrupted`. Its process hears of it with the answer to what it tells next.',
    parameters: [RUN_ID],
    status: 202,
    description: 'It was asked to; it ends within seconds.',
    answer: stopAnswerSchema,
    handle: request => {
      const runId = askedRun(request);
      const view = runView(cluster.state, runId, clock.nowMs());
      if (view === undefined) throw noSuchRun(runId);
      if (!view.isLive)
        throw new RequestError({
          code: 'run-not-live',
          problem: 'This run does not go on: it has ended, or its process fell silent.',
          advice: '',
        });
      if (view.node !== nodeId)
        throw new RequestError(
          {
            code: 'run-elsewhere',
            problem: `The process of this run is on ${nodeName(cluster.state, view.node)}, where this daemon cannot reach it.`,
            advice: 'Stop it on the page there, or with Ctrl-C.',
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

const statusOf = (told: Told): 202 | 204 => {
  checkTold(told);
  return told === 'stop' ? 202 : 204;
};

const checkTold = (told: Told): void => {
  switch (told) {
    case 'taken':
    case 'stop':
      return;
    case 'waiting':
      throw new RequestError(
        {
          code: 'not-stored',
          problem:
            'The disk of this daemon refuses it: it is held in memory, and is lost if the daemon ends.',
          advice: 'Free some space, and tell it again.',
        },
        { headers: { 'retry-after': String(JOURNAL_RETRY_MS / 1_000) } },
      );
    case 'unknown':
      throw new RequestError({
        code: 'no-such-run',
        problem: 'No such run was begun here.',
        advice: 'POST /api/runs first.',
      });
    case 'full':
      throw new RequestError(
        {
          code: 'too-many-runs',
          problem: 'As many runs as this daemon follows are going on already.',
          advice: '',
        },
        { headers: { 'retry-after': '10' } },
      );
    default:
      told satisfies never;
  }
};

const askedRun = (request: FastifyRequest): RunId => {
  const text = pathText(request, RUN_ID);
  if (isRunId(text)) return text;
  throw noSuchRun(text);
};

const checkRun = (request: FastifyRequest, told: RunId): void => {
  if (askedRun(request) === told) return;
  throw new RequestError({
    code: 'bad-body',
    problem: 'The body speaks of another run than the path.',
    advice: '',
  });
};

const registryOf = (runs: RunRegistry | undefined): RunRegistry => {
  if (runs !== undefined) return runs;
  throw new RequestError({ code: 'no-runs', problem: 'This server takes no runs.', advice: '' });
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

const TOLD = { 204: 'Taken.', 202: 'Taken, and somebody asked that the run end.' } as const;
