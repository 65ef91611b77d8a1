// Comparisons: two finished runs of this machine, compared on request, those that `plimsoll compare` wrote, and those in progress.

import {
  type ComparisonView,
  comparisonView,
  comparisonViews,
} from '../../core/comparison/comparison-selectors.ts';
import { LEASE_MS } from '../../core/document/document-views.ts';
import type { RunId } from '../../core/ids.ts';
import { nodeName } from '../../core/node/node-view.ts';
import { runIdSchema } from '../../core/schema.ts';
import {
  comparisonAnswerSchema,
  comparisonStopAnswerSchema,
  comparisonsAnswerSchema,
  knownComparisonAnswerSchema,
  type ListedComparison,
} from '../../wire/api/comparison-answers.ts';
import { COMPARISON_DOCUMENT, type ComparisonTypes } from '../runs/comparison-kind.ts';
import type { RoutedKind } from '../runs/document-kind.ts';
import type { RunComparisons } from '../runs/run-comparisons.ts';
import { documentRoutes, idParameter, noSuchDocument, requestedId } from './document-routes.ts';
import type { HttpServerOptions } from './http-options.ts';
import { RequestError } from './request-error.ts';
import { type ApiRoute, jsonRoute, type RouteParameter, readQuery } from './route.ts';

export const comparisonRoutes = (options: HttpServerOptions): readonly ApiRoute[] => [
  ...readRoutes(options),
  ...documentRoutes(options, {
    kind: KIND,
    registry: options.comparing,
    stopAnswer: comparisonStopAnswerSchema,
    stopped: comparisonId => ({ comparisonId }),
  }),
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
    parameters: [idParameter(KIND)],
    description: 'The comparison.',
    answer: knownComparisonAnswerSchema,
    handle: async request => {
      const id = requestedId(KIND, request);
      const view = comparisonView(cluster.state, id, clock.nowMs());
      const kept = await comparisons?.read(id);
      if (view === undefined && kept === undefined) throw noSuchDocument(KIND, id);
      const reported = view?.reported ?? null;
      if (kept !== undefined) return { comparison: kept, reported, notice: '' };
      if (view?.node !== nodeId) {
        const where = view === undefined ? 'another node' : nodeName(cluster.state, view.node);
        return { comparison: null, reported, notice: `its files are on ${where}` };
      }
      const file = await comparing?.file(id);
      return file !== undefined && 'document' in file
        ? { comparison: file.document, reported, notice: '' }
        : { comparison: null, reported, notice: file?.reason ?? '' };
    },
  }),
];

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

const KIND: RoutedKind<ComparisonTypes> = COMPARISON_DOCUMENT;
const A: RouteParameter<RunId> = {
  name: 'a',
  in: 'query',
  description: 'The run that was before.',
  schema: runIdSchema,
};
const B: RouteParameter<RunId> = { name: 'b', in: 'query', description: 'The new one.', schema: runIdSchema };
