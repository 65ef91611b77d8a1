// Comparisons: two finished runs of this machine, compared when somebody asks, and those that `plimsoll compare` wrote.

import type { RunId } from '../../core/ids.ts';
import { comparisonAnswerSchema, comparisonsAnswerSchema } from '../../wire/api/comparison-answers.ts';
import { runIdSchema } from '../../wire/schema.ts';
import type { RunComparisons } from '../runs/run-comparisons.ts';
import type { HttpServerOptions } from './http-options.ts';
import { RequestError } from './request-error.ts';
import { type ApiRoute, jsonRoute, pathText, type RouteParameter, readQuery } from './route.ts';

export const comparisonRoutes = ({ comparisons }: HttpServerOptions): readonly ApiRoute[] => [
  jsonRoute({
    method: 'GET',
    path: '/api/comparisons',
    access: 'read',
    summary: 'Comparisons in the home of the answering node, newest first.',
    description: 'The comparisons.',
    answer: comparisonsAnswerSchema,
    handle: async () => ({ comparisons: (await comparisons?.list()) ?? [] }),
  }),
  jsonRoute({
    method: 'GET',
    path: '/api/comparisons/{comparisonId}',
    access: 'read',
    summary: 'One comparison of the home, as its comparison.json says.',
    parameters: [COMPARISON_ID],
    description: 'The comparison.',
    answer: comparisonAnswerSchema,
    handle: async request => {
      const comparison = await comparisons?.read(pathText(request, COMPARISON_ID));
      if (comparison !== undefined) return { comparison };
      throw new RequestError({
        code: 'no-such-comparison',
        problem: 'This home has no such comparison that can be read.',
        advice: 'GET /api/comparisons lists them.',
      });
    },
  }),
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
  }),
];

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
      problem: 'Too many comparisons wait already.',
      advice: 'Ask again in a few seconds.',
    });
  if (result.kind === 'compared') return { comparison: result.document };
  throw new RequestError({ code: 'no-such-run', problem: result.reason, advice: '' });
};

type CompareResult = Exclude<Awaited<ReturnType<RunComparisons['compare']>>, string>;

const COMPARISON_ID: RouteParameter<RunId> = {
  name: 'comparisonId',
  in: 'path',
  description: 'The id of a comparison.',
  schema: runIdSchema,
};
const A: RouteParameter<RunId> = {
  name: 'a',
  in: 'query',
  description: 'The run that was before.',
  schema: runIdSchema,
};
const B: RouteParameter<RunId> = { name: 'b', in: 'query', description: 'The new one.', schema: runIdSchema };
