// Comparisons by pairs as sent between processes, apart from their document: in events, and in what `plimsoll
// compare` reports to the daemon of its machine.

import * as v from 'valibot';
import {
  type ComparisonFindings,
  TOLD_LOOKS_MAX,
  TOLD_TAGS_MAX,
  type ToldComparison,
  type ToldPairs,
  type ToldSide,
} from '../core/comparison/told-comparison.ts';
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
export type ComparisonStart = Omit<ToldComparison, 'state' | 'reason'>;
/** What is known when it has ended, with the models that were not known at its start. */
export type ComparisonEnd = ComparisonFindings &
  Pick<ToldComparison, 'comparisonId' | 'state' | 'reason' | 'a' | 'b'>;

const shortText: Schema<string> = v.pipe(v.string(), v.maxLength(300));

const side: Schema<ToldSide> = openObject({
  label: shortText,
  target: reported(text),
  model: reported(shortText),
});

const findings = { sentence: text, verdict: comparisonVerdictSchema, pairsDone: count } as const;

const start = {
  comparisonId: comparisonIdSchema,
  startedAt: isoTime,
  name: reported(shortText),
  tags: v.pipe(v.array(shortText), v.maxLength(TOLD_TAGS_MAX)),
  a: side,
  b: side,
  load: text,
  looks: v.pipe(v.array(count), v.maxLength(TOLD_LOOKS_MAX)),
  command: text,
  directory: text,
  ...findings,
} as const;

const end = { state: v.picklist(['running', 'complete', 'stopped', 'interrupted']), reason: text } as const;

export const comparisonStartSchema: Schema<ComparisonStart> = openObject(start);

export const toldComparisonSchema: Schema<ToldComparison> = openObject({ ...start, ...end });

export const toldPairsSchema: Schema<ToldPairs> = openObject({
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
