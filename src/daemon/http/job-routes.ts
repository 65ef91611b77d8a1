// Jobs: starts what a command would start, by a request with the options of that command, and reports what came of it.

import * as v from 'valibot';
import { isJsonObject } from '../../core/json.ts';
import {
  jobAnswerSchema,
  jobRequestSchema,
  jobSchema,
  jobsAnswerSchema,
} from '../../wire/api/job-answers.ts';
import type { JobRunner } from '../jobs/job-runner.ts';
import type { HttpServerOptions } from './http-options.ts';
import { RequestError } from './request-error.ts';
import type { RequestGuard } from './request-guard.ts';
import { type ApiRoute, jsonAnswer, jsonRoute, pathText, readBody, sendJson } from './route.ts';

export const jobRoutes = ({ jobs }: HttpServerOptions, guard: RequestGuard): readonly ApiRoute[] => [
  jsonRoute({
    method: 'GET',
    path: '/api/jobs',
    access: 'read',
    summary: 'What was started by requests since this daemon started, the newest first.',
    description: 'The jobs.',
    answer: jobsAnswerSchema,
    handle: () => ({ jobs: jobs?.jobs ?? [] }),
  }),
  {
    method: 'POST',
    path: '/api/jobs',
    access: 'change',
    summary:
      'Starts a run, sweep, load line, comparison, calibration or import on this machine. The fields are the options of the command; files are read only for a request over the socket of the home.',
    parameters: [],
    body: jobRequestSchema,
    loadBody: async () =>
      jobs === undefined ? jobRequestSchema : v.union((await jobs.kinds()).map(({ body }) => body)),
    answers: { 202: jsonAnswer('It was started; what comes of it is at /api/jobs/{jobId}.', jobSchema) },
    handle: async (request, reply) => {
      const { command } = readBody(request, jobRequestSchema);
      const runner = jobs ?? refuseAll();
      const kinds = await runner.kinds();
      const kind = kinds.find(each => each.command === command);
      if (kind === undefined)
        throw badJob(
          `there is no job ${JSON.stringify(command.slice(0, 40))}`,
          `Use one of ${kinds.map(each => each.command).join(', ')}.`,
        );
      const body: unknown = readBody(request, kind.body);
      if (!isJsonObject(body)) throw badJob('it is not an object', '');
      if (runner.isFull)
        throw new RequestError(
          {
            code: 'too-many-jobs',
            problem: 'This daemon already does as many jobs as it can.',
            advice: 'Try again when one has ended: GET /api/jobs.',
          },
          { headers: { 'retry-after': '10' } },
        );
      const started = runner.start(kind, body, guard.isHomeSocket(request.raw));
      if (started.kind === 'wrong') throw badJob(started.problem, started.advice);
      return sendJson(reply.code(202), started.value);
    },
  },
  jsonRoute({
    method: 'GET',
    path: '/api/jobs/{jobId}',
    access: 'read',
    summary: 'One job, with what its command prints for programs once it has ended.',
    parameters: [JOB_ID],
    description: 'The job.',
    answer: jobAnswerSchema,
    handle: request => {
      const jobId = pathText(request, JOB_ID);
      const found = jobs?.find(jobId);
      if (found === undefined) throw noSuchJob(jobId);
      return { job: found.job, result: found.result };
    },
  }),
  jsonRoute({
    method: 'POST',
    path: '/api/jobs/{jobId}/stop',
    access: 'change',
    summary: 'Requests that a job end now and report what was done, as Ctrl-C does.',
    parameters: [JOB_ID],
    status: 202,
    description: 'The stop was requested; it ends within seconds.',
    answer: jobSchema,
    handle: request => {
      const jobId = pathText(request, JOB_ID);
      const found = jobs?.find(jobId);
      if (found === undefined) throw noSuchJob(jobId);
      if (jobs?.stop(jobId) !== true)
        throw new RequestError({ code: 'run-not-live', problem: 'This job has ended.', advice: '' });
      return found.job;
    },
  }),
];

/** @throws RequestError always */
const refuseAll = (): JobRunner => {
  throw new RequestError({ code: 'no-runs', problem: 'This server starts no jobs.', advice: '' });
};

const badJob = (problem: string, advice: string): RequestError =>
  new RequestError({ code: 'bad-body', problem: `The request cannot be started: ${problem}.`, advice });

const noSuchJob = (jobId: string): RequestError =>
  new RequestError({
    code: 'no-such-job',
    problem: `No job ${jobId.slice(0, 64)} was started here.`,
    advice:
      'GET /api/jobs lists them; what one has measured is among /api/runs, /api/sweeps and /api/comparisons.',
  });

const JOB_ID = { name: 'jobId', in: 'path', description: 'Of a job.', schema: v.string() } as const;
