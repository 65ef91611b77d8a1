// The result for each model of a mix, as stored in snapshots and reports, and the mix itself.

import * as v from 'valibot';
import {
  MIXED_MODELS_MAX,
  MIXED_URLS_MAX,
  type ModelMix,
  type UrlMix,
  type VariantFigures,
  variantPercentilesSchema,
} from '../core/run/model-mix.ts';
import { count, nonNegative, openObject, reported, text } from '../core/schema.ts';
import { failuresByKindSchema } from './failure-schema.ts';

export const variantFiguresSchema: v.GenericSchema<unknown, VariantFigures[]> = v.pipe(
  v.array(
    openObject({
      variant: count,
      completed: count,
      failed: count,
      cancelled: count,
      outputTokens: count,
      ttftNs: v.nullable(variantPercentilesSchema),
      tpotNs: v.nullable(variantPercentilesSchema),
      latencyNs: v.nullable(variantPercentilesSchema),
      errors: v.exactOptional(failuresByKindSchema),
      usageMissing: v.exactOptional(count),
      inputTokens: v.exactOptional(count),
    }),
  ),
  v.maxLength(MIXED_MODELS_MAX),
);

export const modelMixSchema: v.GenericSchema<unknown, ModelMix> = v.pipe(
  v.array(openObject({ model: text, weight: nonNegative })),
  v.maxLength(MIXED_MODELS_MAX),
);

export const urlMixSchema: v.GenericSchema<unknown, UrlMix> = v.pipe(
  v.array(openObject({ url: text, weight: nonNegative, serverKind: reported(text) })),
  v.maxLength(MIXED_URLS_MAX),
);
