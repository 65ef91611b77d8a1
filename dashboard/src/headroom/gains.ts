// What would make a placement faster: the same arithmetic with one thing changed at a time.

import type { CacheType } from '../../../src/core/model/cache-bytes.ts';
import { CACHE_TYPES } from '../../../src/core/model/cache-bytes.ts';
import { headroom } from '../../../src/core/model/headroom.ts';
import type { HeadroomPlace } from '../../../src/core/model/headroom-place.ts';
import type { HeadroomQuestion } from '../../../src/core/model/headroom-question.ts';
import type { ModelFacts } from '../../../src/core/model/model-facts.ts';
import { isUnknown } from '../../../src/core/unknown.ts';
import type { PlacedDevice } from './placement.ts';

export interface Gain {
  readonly what: string;
  /** Of the expected speed: 0.048. */
  readonly share: number;
}

/** The largest last; none where its speed is not known. */
export const gainsAt = (
  model: ModelFacts,
  { answer, place }: Pick<PlacedDevice, 'answer' | 'place'>,
  question: HeadroomQuestion,
): readonly Gain[] => {
  const { decode } = answer;
  if (isUnknown(decode) || isUnknown(place.ceiling)) return [];
  const now = decode.expectedTokensPerSecond.value;
  const after = (changedPlace: HeadroomPlace, changed: HeadroomQuestion): number | undefined => {
    const [found] = headroom(model, [changedPlace], changed).placements;
    return found === undefined || isUnknown(found.decode)
      ? undefined
      : found.decode.expectedTokensPerSecond.value / now - 1;
  };
  const faster = {
    ...place,
    ceiling: { ...place.ceiling, bytesPerSecond: place.ceiling.bytesPerSecond * 1.1 },
  };
  const total = Object.values(decode.terms).reduce((sum, seconds) => sum + seconds, 0);
  const changes: readonly (readonly [string, number | undefined])[] = [
    ...(CACHE_TYPES[question.cacheType] > CACHE_TYPES[NARROW]
      ? [['KV cache in 8 bits', after(place, { ...question, cacheType: NARROW })] as const]
      : []),
    ['Half the context', after(place, { ...question, contextTokens: Math.ceil(question.contextTokens / 2) })],
    ['10\u202f% more memory bandwidth', after(faster, question)],
    ['Half the overhead a layer', total / (total - decode.terms.overhead / 2) - 1],
  ];
  return changes
    .flatMap(([what, share]) => (share === undefined || share < LEAST ? [] : [{ what, share }]))
    .sort((a, b) => a.share - b.share);
};

const NARROW: CacheType = 'fp8';
/** What is less is not worth doing, and rounds to nothing. */
const LEAST = 0.001;
