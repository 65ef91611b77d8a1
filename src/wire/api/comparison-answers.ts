// Comparisons in the HTTP API: responses under /api/comparisons and of /api/compare.

import * as v from 'valibot';
import type { ComparisonDocument } from '../../core/comparison/comparison-document.ts';
import type { ReportedComparison } from '../../core/comparison/reported-comparison.ts';
import type { ComparisonId } from '../../core/ids.ts';
import { comparisonSchema, comparisonVerdictSchema } from '../comparison-schema.ts';
import { reportedComparisonSchema } from '../reported-comparison-schema.ts';
import { comparisonIdSchema, reported, runIdSchema, text } from '../schema.ts';

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

interface ComparisonsAnswer {
  readonly comparisons: readonly ListedComparison[];
}

export const comparisonsAnswerSchema: v.GenericSchema<unknown, ComparisonsAnswer> = v.object({
  comparisons: v.array(listedComparisonSchema),
});

interface ComparisonAnswer {
  readonly comparison: ComparisonDocument;
}

export const comparisonAnswerSchema: v.GenericSchema<unknown, ComparisonAnswer> = v.object({
  comparison: comparisonSchema,
});

/** One that may still be in progress, or whose files are elsewhere. */
interface KnownComparisonAnswer {
  readonly comparison: ComparisonDocument | null;
  /** As published to the cluster; null: it was never published. */
  readonly reported: ReportedComparison | null;
  /** Why there is no document; '' if there is one. */
  readonly notice: string;
}

export const knownComparisonAnswerSchema: v.GenericSchema<unknown, KnownComparisonAnswer> = v.object({
  comparison: v.nullable(comparisonSchema),
  reported: v.nullable(reportedComparisonSchema),
  notice: text,
});

export const comparisonStopAnswerSchema: v.GenericSchema<unknown, { readonly comparisonId: ComparisonId }> =
  v.object({ comparisonId: comparisonIdSchema });
