// What `plimsoll why --json` prints: schema plimsoll.why/1.

import * as v from 'valibot';
import { count, figure, type Infer, longText, orUnknown, text } from '../schema.ts';
import { EXPLAINED_FIGURES } from './explained-figures.ts';

/** What may make one figure of two results differ, in the order in which effects are calculated. */
export const CAUSES = {
  messages: 'messages without content',
  window: 'window',
  'token-count': 'count of tokens',
  definition: 'definition',
  percentile: 'percentile rule',
  'warm-up': 'warm-up',
  cache: 'cached prompts',
  'input-lengths': 'length of prompts',
  'output-lengths': 'length of answers',
  load: 'load',
} as const;

export type EffectCode = keyof typeof CAUSES;

const isCause = (name: string): name is EffectCode => Object.hasOwn(CAUSES, name);
const causeCode = v.picklist(Object.keys(CAUSES).filter(isCause));
const letter = v.picklist(['a', 'b']);

const described = <T>(schema: v.GenericSchema<unknown, T>, meaning: string): v.GenericSchema<unknown, T> =>
  v.pipe(schema, v.description(meaning));

const sideSchema = v.object({
  source: described(longText, 'As it was named on the command line.'),
  tool: described(text, 'The tool and its version.'),
  model: orUnknown(text),
  target: orUnknown(text),
  load: text,
  requests: described(
    orUnknown(count),
    'Measured requests that completed, each by itself; unknown if the result has only totals.',
  ),
  inputTokens: described(orUnknown(figure), 'Mean per request.'),
  outputTokens: described(orUnknown(figure), 'Mean per request.'),
});

const figureOfSide = v.object({
  figure: described(
    orUnknown(figure),
    'As its tool printed it, or by its rules from its requests if that is not stored.',
  ),
  isPrinted: described(v.boolean(), 'false: calculated from its requests by the rules of its tool.'),
  byOther: described(orUnknown(figure), 'By the rules of the other tool, from its own requests.'),
});

const causeSchema = v.object({
  code: causeCode,
  basis: described(
    v.picklist(['computed', 'estimated']),
    'computed: the same requests, counted in another way.',
  ),
  on: described(letter, 'Of whose requests it was calculated.'),
  effect: described(figure, 'In the unit of the figure: what it adds on the way from A to B.'),
  effectShare: described(figure, 'The same, as a share of A’s figure; of B’s where A’s is 0.'),
  evidence: longText,
});

export type Cause = Infer<typeof causeSchema>;

const uncomputedSchema = v.object({ code: causeCode, reason: longText });

export type UncomputedCause = Infer<typeof uncomputedSchema>;

const explainedFigureSchema = v.object({
  key: v.picklist(EXPLAINED_FIGURES.map(({ key }) => key)),
  label: text,
  unit: v.picklist(['ns', 'req/s', 'tok/s']),
  a: figureOfSide,
  b: figureOfSide,
  difference: described(figure, 'B − A: the sum of all effects and of the rest.'),
  differenceShare: described(figure, 'The same, as a share of A’s figure; of B’s where A’s is 0.'),
  isSame: described(v.boolean(), 'The difference is below 0.05 % of A’s figure, and is not explained.'),
  causes: described(v.array(causeSchema), 'The greatest effect first.'),
  unexplained: figure,
  unexplainedShare: figure,
  clientBound: described(
    orUnknown(figure),
    'By how much the clients themselves state that they may be off, in sum: part of the rest may be that.',
  ),
  uncomputed: described(
    v.array(uncomputedSchema),
    'What differs, and whose effect cannot be calculated: it is in the rest.',
  ),
});

export type ExplainedFigureDocument = Infer<typeof explainedFigureSchema>;

export const explanationSchema = v.object({
  schema: v.literal('plimsoll.why/1'),
  a: sideSchema,
  b: sideSchema,
  comparable: described(
    v.boolean(),
    'false: another model or another server; figures are shown and not explained.',
  ),
  differences: described(
    v.array(v.object({ isFatal: v.boolean(), problem: longText, a: longText, b: longText })),
    'What is not the same on both sides.',
  ),
  order: described(longText, 'In which order effects are calculated, because each depends on those before.'),
  figures: v.array(explainedFigureSchema),
});

export type ExplanationDocument = Infer<typeof explanationSchema>;
