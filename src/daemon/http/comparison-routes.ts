// Comparisons: two finished runs of this machine, compared when somebody asks, those that `plimsoll compare` wrote, and where one
// that goes on announces itself.

import type { FastifyRequest } from 'fastify';
import {
  type ComparisonView,
  comparisonView,
  comparisonViews,
} from '../../core/comparison/comparison-selectors.ts';
import { type ComparisonId, isComparisonId, type RunId } from '../../core/ids.ts';
import { nodeName } from '../../core/node/node-view.ts';
import { LEASE_MS } from '../../core/run/run-selectors.ts';
import {
  comparisonAnswerSchema,
  comparisonStopAnswerSchema,
  comparisonsAnswerSchema,
  knownComparisonAnswerSchema,
  type ListedComparison,
} from '../../wire/api/comparison-answers.ts';
import {
  comparisonEndSchema,
  comparisonStartSchema,
  reportedPairsSchema,
} from '../../wire/reported-comparison-schema.ts';
import { comparisonIdSchema, runIdSchema } from '../../wire/schema.ts';
import type { ComparisonRegistry } from '../runs/comparison-registry.ts';
import type { RunComparisons } from '../runs/run-comparisons.ts';
import type { HttpServerOptions } from './http-options.ts';
import { checkReportResponse, REPORTED, type ReportResponseOf, statusOf } from './report-response.ts';
import { RequestError } from './request-error.ts';
import { type ApiRoute, bodyRoute, jsonRoute, pathText, type RouteParameter, readQuery } from './route.ts';

export const comparisonRoutes = (options: HttpServerOptions): readonly ApiRoute[] => [
  ...readRoutes(options),
  ...reportRoutes(options),
  stopRoute(options),
  compareRoute(options),
];

const readRoutes = ({
  clock,
  cluster,
  nodeId,
  comparing,
  comparisons,
}: HttpServerOptions): readonly ApiRoute[] => [
  jsonRoute({
    method: 'GET',
    path: '/api/comparisons',
    access: 'read',
    summary: `Comparisons by pairs of every node and all in the home of the answering node, newest first. One in progress without news for ${LEASE_MS / 1_000} s is shown as interrupted.`,
    description: 'The comparisons.',
    answer: comparisonsAnswerSchema,
    handle: async () => {
      const reported = comparisonViews(cluster.state, clock.nowMs()).map(listed);
      const kept = (await comparisons?.list()) ?? [];
      const known = new Set(reported.map(({ id }) => id));
      return {
        comparisons: [...reported, ...kept.filter(({ id }) => !known.has(id))].sort((a, b) =>
          a.startedAt < b.startedAt ? 1 : -1,
        ),
      };
    },
  }),
  jsonRoute({
    method: 'GET',
    path: '/api/comparisons/{comparisonId}',
    access: 'read',
    summary:
      'One comparison: its comparison.json, also while it is in progress, if its files are on the answering node; else what the cluster has of it.',
    parameters: [COMPARISON_ID],
    description: 'The comparison.',
    answer: knownComparisonAnswerSchema,
    handle: async request => {
      const id = pathText(request, COMPARISON_ID);
      const view = comparisonView(cluster.state, id, clock.nowMs());
      const kept = await comparisons?.read(id);
      if (view === undefined && kept === undefined) throw noSuchComparison();
      const reported = view?.reported ?? null;
      if (kept !== undefined) return { comparison: kept, reported, notice: '' };
      const here =
        view?.node === nodeId
          ? ((await comparing?.document(id)) ?? '')
          : `its files are on ${view === undefined ? 'another node' : nodeName(cluster.state, view.node)}`;
      return typeof here === 'string'
        ? { comparison: null, reported, notice: here }
        : { comparison: here, reported, notice: '' };
    },
  }),
];

const reportRoutes = ({ comparing }: HttpServerOptions): readonly ApiRoute[] => [
  bodyRoute({
    method: 'POST',
    path: '/api/comparisons',
    access: 'change',
    summary: 'A comparison by pairs starts on this machine; its segments are reported as runs.',
    body: comparisonStartSchema,
    statuses: { 204: REPORTED[204] },
    handle: begun => {
      checkReportResponse(registryOf(comparing).start(begun), COMPARISON);
      return 204;
    },
  }),
  bodyRoute({
    method: 'PUT',
    path: '/api/comparisons/{comparisonId}/progress',
    access: 'change',
    summary: `What is known so far; due every 2 s, and the comparison counts as interrupted after ${LEASE_MS / 1_000} s.`,
    parameters: [COMPARISON_ID],
    body: reportedPairsSchema,
    statuses: REPORTED,
    handle: (reported, request) => {
      checkComparison(request, reported.comparisonId);
      return statusOf(registryOf(comparing).update(reported), COMPARISON);
    },
  }),
  bodyRoute({
    method: 'POST',
    path: '/api/comparisons/{comparisonId}/end',
    access: 'change',
    summary: 'A comparison has ended: its state, its answer and the sentence about it.',
    parameters: [COMPARISON_ID],
    body: comparisonEndSchema,
    statuses: { 204: REPORTED[204] },
    handle: (ended, request) => {
      checkComparison(request, ended.comparisonId);
      checkReportResponse(registryOf(comparing).end(ended), COMPARISON);
      return 204;
    },
  }),
];

const stopRoute = ({ clock, cluster, nodeId, comparing }: HttpServerOptions): ApiRoute =>
  jsonRoute({
    method: 'POST',
    path: '/api/comparisons/{comparisonId}/stop',
    access: 'change',
    summary:
      'Requests that a comparison on this machine stop now and keep the pairs that are done, as Ctrl-C does. Its process receives the request with the reply to its next update.',
    parameters: [COMPARISON_ID],
    status: 202,
    description: 'The stop was requested; it ends within seconds.',
    answer: comparisonStopAnswerSchema,
    handle: request => {
      const comparisonId = pathText(request, COMPARISON_ID);
      const view = comparisonView(cluster.state, comparisonId, clock.nowMs());
      if (view === undefined || !isComparisonId(comparisonId)) throw noSuchComparison();
      if (!view.isLive)
        throw new RequestError({
          code: 'run-not-live',
          problem: 'This comparison is not in progress: it has ended, or its process no longer responds.',
          advice: '',
        });
      if (view.node !== nodeId || !registryOf(comparing).stop(comparisonId))
        throw new RequestError(
          {
            code: 'run-elsewhere',
            problem: `The process of this comparison is on ${nodeName(cluster.state, view.node)}, where this daemon cannot reach it.`,
            advice: 'Stop it on the page of that machine, or with Ctrl-C.',
            node: view.node,
          },
          { status: 409 },
        );
      return { comparisonId };
    },
  });

const compareRoute = ({ comparisons }: HttpServerOptions): ApiRoute =>
  jsonRoute({
    method: 'GET',
    path: '/api/compare',
    access: 'read',
    summary:
      'Two finished runs of the answering node against each other. One run each, so the verdict is at most "different".',
    parameters: [A, B],
    description: 'The comparison.',
    answer: comparisonAnswerSchema,
    handle: async request => {
      const [a, b] = [readQuery(request, A), readQuery(request, B)];
      if (a === undefined || b === undefined)
        throw new RequestError({
          code: 'bad-query',
          problem: 'Both a and b are needed: the ids of two runs.',
          advice: 'GET /api/compare?a=RUN&b=RUN',
        });
      return await compared(comparisons, a, b);
    },
  });

const listed = ({ reported, sentence, verdict, state }: ComparisonView): ListedComparison => ({
  id: reported.comparisonId,
  name: reported.name,
  startedAt: reported.startedAt,
  state,
  mode: 'pairs',
  sentence,
  verdict,
});

const checkComparison = (request: FastifyRequest, reported: string): void => {
  if (pathText(request, COMPARISON_ID) === reported) return;
  throw new RequestError({
    code: 'bad-body',
    problem: 'The body names another comparison than the path.',
    advice: '',
  });
};

const registryOf = (comparing: ComparisonRegistry | undefined): ComparisonRegistry => {
  if (comparing !== undefined) return comparing;
  throw new RequestError({
    code: 'no-runs',
    problem: 'This server does not accept comparisons.',
    advice: '',
  });
};

const noSuchComparison = (): RequestError =>
  new RequestError({
    code: 'no-such-comparison',
    problem: 'No comparison of that id is known here, and the home has none that can be read.',
    advice: 'GET /api/comparisons lists them.',
  });

const compared = async (
  comparisons: RunComparisons | undefined,
  a: RunId,
  b: RunId,
): Promise<{ readonly comparison: Extract<CompareResult, { readonly kind: 'compared' }>['document'] }> => {
  const result = (await comparisons?.compare(a, b)) ?? 'elsewhere';
  if (result === 'elsewhere')
    throw new RequestError({
      code: 'run-elsewhere',
      problem: 'The files of one of these runs are not on this machine.',
      advice: 'Ask the daemon of the machine that ran both.',
    });
  if (result === 'busy')
    throw new RequestError({
      code: 'too-busy',
      problem: 'Too many comparisons are waiting.',
      advice: 'Try again in a few seconds.',
    });
  if (result.kind === 'compared') return { comparison: result.document };
  throw new RequestError({ code: 'no-such-run', problem: result.reason, advice: '' });
};

type CompareResult = Exclude<Awaited<ReturnType<RunComparisons['compare']>>, string>;

const COMPARISON_ID: RouteParameter<ComparisonId> = {
  name: 'comparisonId',
  in: 'path',
  description: 'The id of a comparison.',
  schema: comparisonIdSchema,
};
const A: RouteParameter<RunId> = {
  name: 'a',
  in: 'query',
  description: 'The run that was before.',
  schema: runIdSchema,
};
const B: RouteParameter<RunId> = { name: 'b', in: 'query', description: 'The new one.', schema: runIdSchema };
const COMPARISON: ReportResponseOf = {
  one: 'comparison',
  unknown: 'no-such-comparison',
  full: 'too-many-comparisons',
  path: '/api/comparisons',
};
