// Comparisons as a program reports them to the daemon of its machine: when they start, and when they have ended.

import {
  type ComparisonFindings,
  end,
  findings,
  type ReportedComparison,
  reportedSideSchema,
  start,
} from '../core/comparison/reported-comparison.ts';

import { comparisonIdSchema, openObject, type Schema } from '../core/schema.ts';

/** What is reported at the start. */
export type ComparisonStart = Omit<ReportedComparison, 'state' | 'reason'>;
/** What is known when it has ended, with the models that were not known at its start. */
export type ComparisonEnd = ComparisonFindings &
  Pick<ReportedComparison, 'comparisonId' | 'state' | 'reason' | 'a' | 'b'>;

export const comparisonStartSchema: Schema<ComparisonStart> = openObject(start);

export const comparisonEndSchema: Schema<ComparisonEnd> = openObject({
  comparisonId: comparisonIdSchema,
  a: reportedSideSchema,
  b: reportedSideSchema,
  ...end,
  ...findings,
});
