// Comparisons in the HTTP API: responses under /api/comparisons and of /api/compare.

import * as v from 'valibot';
import { comparisonSchema } from '../../core/comparison/comparison-document.ts';
import { reportedComparisonSchema } from '../../core/comparison/reported-comparison.ts';
import { comparisonIdSchema, type Infer, text } from '../../core/schema.ts';

const { id, name, startedAt, state, mode, sentence, verdict } = comparisonSchema.entries;

const listedComparisonSchema = v.object({ id, name, startedAt, state, mode, sentence, verdict });

/** A comparison in a list. */
export type ListedComparison = Infer<typeof listedComparisonSchema>;

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

export const comparisonStopAnswerSchema = v.object({ comparisonId: comparisonIdSchema });
