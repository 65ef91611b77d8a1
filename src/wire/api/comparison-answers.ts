// Comparisons in the HTTP API: responses under /api/comparisons and of /api/compare.

import * as v from 'valibot';
import { type ComparisonDocument, comparisonSchema } from '../../core/comparison/comparison-document.ts';
import { comparisonVerdictSchema } from '../../core/comparison/judge-effect.ts';
import { reportedComparisonSchema } from '../../core/comparison/reported-comparison.ts';
import type { ComparisonId } from '../../core/ids.ts';
import { comparisonIdSchema, reported, runIdSchema, text } from '../../core/schema.ts';

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

export const comparisonsAnswerSchema = v.object({
  comparisons: v.array(listedComparisonSchema),
});

export const comparisonAnswerSchema = v.object({
  comparison: comparisonSchema,
});

/** One that may still be in progress, or whose files are elsewhere. */
export const knownComparisonAnswerSchema = v.object({
  comparison: v.nullable(comparisonSchema),
  /** As published to the cluster; null: it was never published. */
  reported: v.nullable(reportedComparisonSchema),
  /** Why there is no document; '' if there is one. */
  notice: text,
});

export const comparisonStopAnswerSchema: v.GenericSchema<unknown, { readonly comparisonId: ComparisonId }> =
  v.object({ comparisonId: comparisonIdSchema });
