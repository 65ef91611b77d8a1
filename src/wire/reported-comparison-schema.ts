// Comparisons by pairs as sent between processes, apart from their document: in events, and in what `plimsoll
// compare` reports to the daemon of its machine.

import * as v from 'valibot';
import {
  type ComparisonFindings,
  REPORTED_LOOKS_MAX,
  REPORTED_TAGS_MAX,
  type ReportedComparison,
  type ReportedPairs,
  type ReportedSide,
} from '../core/comparison/reported-comparison.ts';
import { comparisonVerdictSchema } from './comparison-schema.ts';
import {
  comparisonIdSchema,
  count,
  figure,
  isoTime,
  openObject,
  reported,
  type Schema,
  text,
} from './schema.ts';

/** What is reported at the start. */
export type ComparisonStart = Omit<ReportedComparison, 'state' | 'reason'>;
/** What is known when it has ended, with the models that were not known at its start. */
export type ComparisonEnd = ComparisonFindings &
  Pick<ReportedComparison, 'comparisonId' | 'state' | 'reason' | 'a' | 'b'>;

const shortText: Schema<string> = v.pipe(v.string(), v.maxLength(300));

const side: Schema<ReportedSide> = openObject({
  label: shortText,
  target: reported(text),
  model: reported(shortText),
});

const findings = { sentence: text, verdict: comparisonVerdictSchema, pairsDone: count } as const;

const start = {
  comparisonId: comparisonIdSchema,
  startedAt: isoTime,
  name: reported(shortText),
  tags: v.pipe(v.array(shortText), v.maxLength(REPORTED_TAGS_MAX)),
  a: side,
  b: side,
  load: text,
  looks: v.pipe(v.array(count), v.maxLength(REPORTED_LOOKS_MAX)),
  command: text,
  directory: text,
  ...findings,
} as const;

const end = { state: v.picklist(['running', 'complete', 'stopped', 'interrupted']), reason: text } as const;

export const comparisonStartSchema: Schema<ComparisonStart> = openObject(start);

export const reportedComparisonSchema: Schema<ReportedComparison> = openObject({ ...start, ...end });

export const reportedPairsSchema: Schema<ReportedPairs> = openObject({
  comparisonId: comparisonIdSchema,
  ...findings,
  segment: reported(openObject({ pair: count, side: v.picklist(['a', 'b']) })),
  nextLookMs: reported(v.pipe(figure, v.minValue(0))),
});

export const comparisonEndSchema: Schema<ComparisonEnd> = openObject({
  comparisonId: comparisonIdSchema,
  a: side,
  b: side,
  ...end,
  ...findings,
});
