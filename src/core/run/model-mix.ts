// Several models requested in one run, each with a share of its requests: a base model and its adapters, or
// the models of one server or gateway. Their results are reported separately.

import * as v from 'valibot';
import { pushAll } from '../push-all.ts';
import { type SeededRandom, seededRandom } from '../random.ts';
import { count, figure, type Infer, nonNegative, openObject, reported, text } from '../schema.ts';
import { failuresByKindSchema } from './outcome.ts';

/** Listed in docs/limits.md. */
export const MIXED_MODELS_MAX = 64;

export const modelMixSchema = v.pipe(
  v.array(
    openObject({
      model: text,
      /** Above 0, of the sum of all. */
      weight: nonNegative,
    }),
  ),
  v.maxLength(MIXED_MODELS_MAX),
);

export type ModelMix = Infer<typeof modelMixSchema>;

const variantPercentilesSchema = openObject({ mean: figure, p50: figure, p90: figure, p99: figure });

export type VariantPercentiles = Infer<typeof variantPercentilesSchema>;

const variantSchema = openObject({
  /** Position in the mix, or among the URLs. */
  variant: count,
  completed: count,
  failed: count,
  cancelled: count,
  outputTokens: count,
  ttftNs: v.nullable(variantPercentilesSchema),
  tpotNs: v.nullable(variantPercentilesSchema),
  latencyNs: v.nullable(variantPercentilesSchema),
  errors: v.exactOptional(failuresByKindSchema),
  /** Completed ones whose server reported no token count. */
  usageMissing: v.exactOptional(count),
  /** As the servers reported them. */
  inputTokens: v.exactOptional(count),
});

/** For one model of a mix, or one of several URLs. A figure that none of its requests had is null. */
export type VariantFigures = Infer<typeof variantSchema>;

export const variantFiguresSchema = v.pipe(v.array(variantSchema), v.maxLength(MIXED_MODELS_MAX));

/** As it is written: "base=0.7,adapter=0.3". */
export const mixText = (mix: ModelMix): string =>
  mix.map(({ model, weight }) => `${model}=${weight}`).join(',');

/**
 * Which model each of `count` requests names, or to which URL it goes. For any number sent, each gets its
 * share to within a few: every block of requests has the weighted numbers, in an order that the seed
 * shuffles.
 */
export const mixedOrder = (
  mix: readonly { readonly weight: number }[],
  count: number,
  seed: number,
): readonly number[] => {
  const total = mix.reduce((sum, { weight }) => sum + weight, 0);
  const random = seededRandom((seed ^ MIX_STREAM) >>> 0);
  const order: number[] = [];
  for (let from = 0; from < count; from += MIX_BLOCK) {
    const to = Math.min(count, from + MIX_BLOCK);
    const block: number[] = [];
    let upTo = 0;
    for (const [variant, { weight }] of mix.entries()) {
      const [first, last] = [(from * upTo) / total, (to * upTo) / total].map(Math.round);
      upTo += weight;
      const [firstEnd, lastEnd] = [(from * upTo) / total, (to * upTo) / total].map(Math.round);
      const repeats = (lastEnd ?? 0) - (firstEnd ?? 0) - ((last ?? 0) - (first ?? 0));
      for (let each = 0; each < repeats; each += 1) block.push(variant);
    }
    pushAll(order, shuffled(block, random));
  }
  return order;
};

const shuffled = (values: number[], random: SeededRandom): readonly number[] => {
  for (let at = values.length - 1; at > 0; at -= 1) {
    const other = random.below(at + 1);
    const swapped = values[at] ?? 0;
    values[at] = values[other] ?? 0;
    values[other] = swapped;
  }
  return values;
};

/** Prompts are repeated up to at least this many requests, so that small shares have some. */
export const MIXED_REQUESTS_MIN = 1_000;
/** The order of requests has this length and then repeats: a smaller share does not occur in it. */
export const MIXED_SHARE_MIN: number = 1 / MIXED_REQUESTS_MIN;
const MIX_BLOCK = 20;
/** Separates these draws from others of the seed. */
const MIX_STREAM = 0x0a11_0ca7;

// Several base URLs loaded in one run, each with a share of its requests or sessions. Their results are
// reported separately; the client that loads them is one.
/** Listed in docs/limits.md. */
export const MIXED_URLS_MAX = 16;

const mixedUrlSchema = openObject({
  /** Without credentials. */
  url: text,
  /** Above 0, of the sum of all. */
  weight: nonNegative,
  serverKind: reported(text),
});

export const urlMixSchema = v.pipe(v.array(mixedUrlSchema), v.maxLength(MIXED_URLS_MAX));

export type UrlMix = Infer<typeof urlMixSchema>;

/** The target of a run on one line. */
export const urlsText = (urls: readonly Pick<UrlMix[number], 'url'>[]): string =>
  urls.map(({ url }) => url).join(', ');
