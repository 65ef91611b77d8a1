// What the HTTP API tells of comparisons: answers under /api/comparisons and of /api/compare.

import * as v from 'valibot';
import type { ComparisonDocument } from '../../core/comparison/comparison-document.ts';
import { comparisonSchema, comparisonVerdictSchema } from '../comparison-schema.ts';
import { reported, runIdSchema, text } from '../schema.ts';

/** A comparison in a list. */
export type ListedComparison = Pick<
  ComparisonDocument,
  'id' | 'name' | 'startedAt' | 'state' | 'mode' | 'sentence' | 'verdict'
>;

const listedComparisonSchema: v.GenericSchema<unknown, ListedComparison> = v.object({
  id: runIdSchema,
  name: reported(text),
  startedAt: text,
  state: v.picklist(['running', 'complete', 'stopped', 'interrupted']),
  mode: v.picklist(['pairs', 'runs', 'sets']),
  sentence: v.pipe(v.string(), v.maxLength(16_384)),
  verdict: comparisonVerdictSchema,
});

export interface ComparisonsAnswer {
  readonly comparisons: readonly ListedComparison[];
}

export const comparisonsAnswerSchema: v.GenericSchema<unknown, ComparisonsAnswer> = v.object({
  comparisons: v.array(listedComparisonSchema),
});

export interface ComparisonAnswer {
  readonly comparison: ComparisonDocument;
}

export const comparisonAnswerSchema: v.GenericSchema<unknown, ComparisonAnswer> = v.object({
  comparison: comparisonSchema,
});
