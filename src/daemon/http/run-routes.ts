// Runs: what is known of them, for whoever asks, and where a benchmark of this machine tells of its own.

import type { FastifyReply, FastifyRequest } from 'fastify';
import * as v from 'valibot';
import type { RunId } from '../../core/ids.ts';
import { isRunId } from '../../core/ids.ts';
import { nodeName } from '../../core/node/node-view.ts';
import { LEASE_MS, runView, runViews } from '../../core/run/run-selectors.ts';
import { runEndSchema, runProgressSchema, runStartSchema } from '../../wire/run-schema.ts';
import { count } from '../../wire/schema.ts';
import type { RunDesk, Told } from '../runs/run-desk.ts';
import type { HttpServerOptions } from './http-options.ts';
import { JSON_TYPE, toJson } from './json.ts';
import { RequestError } from './request-error.ts';
import {
  type ApiRoute,
  anyObject,
  type JsonSchema,
  jsonResponse,
  pathParameter,
  type RouteParameter,
} from './route.ts';

export const runRoutes = (options: HttpServerOptions): readonly ApiRoute[] => [
  ...readRoutes(options),
  ...tellRoutes(options),
  stopRoute(options),
];

const readRoutes = ({ clock, cluster, runs }: HttpServerOptions): readonly ApiRoute[] => [
  {
    method: 'GET',
    path: '/api/runs',
    access: 'read',
    summary: `Benchmark runs, the newest first, with the newest figures of those that run now. One that told nothing for ${LEASE_MS / 1_000} s is shown as interrupted.`,
    parameters: [],
    body: undefined,
    responses: {
      200: jsonResponse('The runs.', {
        type: 'object',
        required: ['runs'],
        properties: { runs: { type: 'array', items: anyObject('A run.') } },
      }),
    },
    handle: (_request, reply) =>
      reply.type(JSON_TYPE).send(toJson({ runs: runViews(cluster.state, clock.nowMs()) })),
  },
  {
    method: 'GET',
    path: '/api/runs/{runId}',
    access: 'read',
    summary: 'One run; with its report where it has ended and the files are on the node that answers.',
    parameters: [RUN_ID],
    body: undefined,
    responses: { 200: jsonResponse('The run.', anyObject('The run, and `report` or null.')) },
    handle: async (request, reply) => {
      const runId = askedRun(request);
      const view = runView(cluster.state, runId, clock.nowMs());
      if (view === undefined) throw noSuchRun(runId);
      const report = view.isLive ? undefined : await runs?.report(runId);
      return reply.type(JSON_TYPE).send(toJson({ run: view, report: report ?? null }));
    },
  },
  {
    method: 'GET',
    path: '/api/runs/{runId}/series',
    access: 'read',
    summary:
      'Rates and percentiles of a run over time, at most one point a second, made of its samples by when they ended. Columns of equal length; null where nothing ended.',
    parameters: [RUN_ID],
    body: undefined,
    responses: { 200: jsonResponse('The series.', anyObject('Columns by name.')) },
    handle: async (request, reply) => {
      const runId = askedRun(request);
      const answer = await runs?.series(runId);
      if (answer !== undefined) return reply.type(JSON_TYPE).send(JSON.stringify(answer));
      const view = runView(cluster.state, runId, clock.nowMs());
      if (view === undefined) throw noSuchRun(runId);
      throw new RequestError({
        code: 'run-elsewhere',
        problem: `The samples of this run lie on ${nodeName(cluster.state, view.node)}.`,
        advice: 'Ask the daemon there.',
        node: view.node,
      });
    },
  },
];

const tellRoutes = ({ runs }: HttpServerOptions): readonly ApiRoute[] => [
  {
    method: 'POST',
    path: '/api/runs',
    access: 'change',
    summary: 'A benchmark on this machine begins. Telling again changes nothing but what is told.',
    parameters: [],
    body: anyObject('What config.json of the run directory says, the limits, and the directory.'),
    responses: TAKEN,
    handle: (request, reply) => {
      const begun = bodyOf(request, runStartSchema);
      return answerTold(reply, desk(runs).start(begun));
    },
  },
  {
    method: 'PUT',
    path: '/api/runs/{runId}/progress',
    access: 'change',
    summary: 'The newest figures of a run, at most ten a second; what comes sooner is dropped.',
    parameters: [RUN_ID],
    body: anyObject('The digest of a snapshot.'),
    responses: TOLD,
    handle: (request, reply) => {
      const progress = bodyOf(request, runProgressSchema);
      checkRun(request, progress.runId);
      return answerTold(reply, desk(runs).progress(progress));
    },
  },
  {
    method: 'PUT',
    path: '/api/runs/{runId}/lease',
    access: 'change',
    summary: `Says that a run goes on; due every 2 s, and past ${LEASE_MS / 1_000} s nobody counts on it.`,
    parameters: [RUN_ID],
    body: LEASE_BODY,
    responses: TOLD,
    handle: (request, reply) => {
      const { requestsInFlight } = bodyOf(request, LEASE);
      return answerTold(reply, desk(runs).lease(askedRun(request), requestsInFlight));
    },
  },
  {
    method: 'POST',
    path: '/api/runs/{runId}/end',
    access: 'change',
    summary: 'A run has ended: its state, the digest of its report, and the directory where the report lies.',
    parameters: [RUN_ID],
    body: anyObject('State, reason, figures and directory.'),
    responses: TAKEN,
    handle: (request, reply) => {
      const ended = bodyOf(request, runEndSchema);
      checkRun(request, ended.runId);
      return answerTold(reply, desk(runs).end(ended));
    },
  },
];

const stopRoute = ({ clock, cluster, nodeId, runs }: HttpServerOptions): ApiRoute => ({
  method: 'POST',
  path: '/api/runs/{runId}/stop',
  access: 'change',
  summary:
    'Asks a run of this machine to end now, with its account, as Ctrl-C does: it is then `interrupted`. Its process hears of it with the answer to what it tells next.',
  parameters: [RUN_ID],
  body: undefined,
  responses: { 202: jsonResponse('It was asked to; it ends within seconds.', anyObject('`runId`.')) },
  handle: (request, reply) => {
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
    if (!desk(runs).stop(runId)) throw noSuchRun(runId);
    return reply.code(202).type(JSON_TYPE).send(toJson({ runId }));
  },
});

const answerTold = (reply: FastifyReply, told: Told): FastifyReply => {
  switch (told) {
    case 'taken':
      return reply.code(204).send();
    case 'stop':
      return reply.code(202).send();
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
      return told satisfies never;
  }
};

const bodyOf = <T>({ body }: FastifyRequest, schema: v.GenericSchema<unknown, T>): T => {
  const result = v.safeParse(schema, body);
  if (result.success) return result.output;
  const [issue] = result.issues;
  throw new RequestError({
    code: 'bad-body',
    problem: `The body is wrong at ${v.getDotPath(issue) ?? 'its root'}: ${issue.message.slice(0, 200)}`,
    advice: '',
  });
};

const askedRun = (request: FastifyRequest): RunId => {
  const text = pathParameter(request, 'runId');
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

const desk = (runs: RunDesk | undefined): RunDesk => {
  if (runs !== undefined) return runs;
  throw new RequestError({ code: 'no-runs', problem: 'This server takes no runs.', advice: '' });
};

const noSuchRun = (text: string): RequestError =>
  new RequestError({
    code: 'no-such-run',
    problem: `No run ${text.slice(0, 64)} is known here.`,
    advice: 'GET /api/runs lists the runs.',
  });

const LEASE = v.object({ requestsInFlight: count });
const LEASE_BODY: JsonSchema = {
  type: 'object',
  required: ['requestsInFlight'],
  properties: { requestsInFlight: { type: 'integer', minimum: 0 } },
};

const RUN_ID: RouteParameter = {
  name: 'runId',
  in: 'path',
  isRequired: true,
  description: 'The id of a run.',
  schema: { type: 'string', pattern: '^[a-zA-Z0-9_-]{1,64}$' },
};

const TAKEN = { 204: { description: 'Taken.', contentType: undefined, schema: undefined } } as const;
const TOLD = {
  ...TAKEN,
  202: {
    description: 'Taken, and somebody asked that the run end.',
    contentType: undefined,
    schema: undefined,
  },
} as const;
