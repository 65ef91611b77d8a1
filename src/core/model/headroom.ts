// The answer to "what should this model do here": for each place whether it fits, the bound, what engines of that kind do, and
// what keeps it from being faster. Places are ranked by the expected speed.

import type { Estimate } from '../sweep/stage.ts';
import { isUnknown, type Unknown } from '../unknown.ts';
import type { CacheType } from './cache-bytes.ts';
import { CACHE_TYPES } from './cache-bytes.ts';
import { decodeStep } from './decode-step.ts';
import type { Engine } from './engine-constants.ts';
import { engineConstants } from './engine-constants.ts';
import type { HeadroomPlace } from './headroom-place.ts';
import type { Fit, MemoryNeed } from './memory-need.ts';
import { contextThatFits, fitOf, memoryNeed } from './memory-need.ts';
import type { ModelFacts } from './model-facts.ts';
import type { PrefillTime } from './prefill.ts';
import { prefillTime } from './prefill.ts';
import type { LimitingTerm, StepTerms } from './step-time.ts';
import { stepTime } from './step-time.ts';

export interface HeadroomQuestion {
  readonly engine: Engine;
  /** Tokens in the cache of each sequence. */
  readonly contextTokens: number;
  /** Sequences at once. */
  readonly batch: number;
  readonly cacheType: CacheType;
}

export interface Headroom {
  readonly model: ModelFacts;
  readonly question: HeadroomQuestion;
  readonly need: MemoryNeed | Unknown;
  /** The fastest that fits first. */
  readonly places: readonly PlaceHeadroom[];
}

export interface PlaceHeadroom {
  readonly place: HeadroomPlace;
  readonly fit: Fit | Unknown;
  /** Tokens of context for each sequence that would fit; undefined where that is not known. */
  readonly contextThatFits: number | undefined;
  readonly decode: DecodeHeadroom | Unknown;
  /** Of a prompt as long as the context. */
  readonly prefill: PrefillTime | Unknown;
}

export interface DecodeHeadroom {
  /** Of all sequences together; no engine is faster. */
  readonly boundTokensPerSecond: number;
  readonly expectedTokensPerSecond: Estimate;
  /** Seconds of one step, by what they are for. */
  readonly terms: StepTerms;
  readonly limit: LimitingTerm;
  /** Whose constants: "llama.cpp on GB10". */
  readonly constants: string;
  /** Mean error of those constants where they were fitted, share; undefined where they are a guess. */
  readonly errorShare: number | undefined;
}

export const headroom = (
  model: ModelFacts,
  places: readonly HeadroomPlace[],
  question: HeadroomQuestion,
): Headroom => {
  const cacheBytesPerElement = CACHE_TYPES[question.cacheType];
  const held = { slots: question.batch, contextTokens: question.contextTokens, cacheBytesPerElement };
  const need = memoryNeed(model, held);
  const answered = places.map(
    (place): PlaceHeadroom => ({
      place,
      fit: fitIn(need, place),
      contextThatFits:
        isUnknown(place.memoryBytes) || isUnknown(need)
          ? undefined
          : contextThatFits(model, {
              slots: question.batch,
              capacityBytes: place.memoryBytes,
              cacheBytesPerElement,
              contextMax: isUnknown(model.contextMax) ? question.contextTokens : model.contextMax,
            }),
      decode: decodeAt(model, place, question),
      prefill: prefillAt(model, place, question),
    }),
  );
  return { model, question, need, places: answered.sort(bySpeed) };
};

const fitIn = (need: MemoryNeed | Unknown, { memoryBytes }: HeadroomPlace): Fit | Unknown => {
  if (isUnknown(need)) return need;
  return isUnknown(memoryBytes) ? memoryBytes : fitOf(need, memoryBytes);
};

const decodeAt = (
  model: ModelFacts,
  { ceiling, deviceClass }: HeadroomPlace,
  { batch, contextTokens, cacheType, engine }: HeadroomQuestion,
): DecodeHeadroom | Unknown => {
  if (isUnknown(ceiling)) return ceiling;
  if (isUnknown(model.layers)) return model.layers;
  const step = decodeStep(model, {
    batch,
    contextTokens,
    cacheBytesPerElement: CACHE_TYPES[cacheType],
  });
  if (isUnknown(step)) return step;
  const constants = constantsFor(model, engine, deviceClass);
  const time = stepTime(step, { layers: model.layers, ceiling, constants });
  const { value, low, high } = time.expectedSeconds;
  return {
    boundTokensPerSecond: batch / time.boundSeconds,
    expectedTokensPerSecond: { value: batch / value, low: batch / high, high: batch / low },
    terms: time.terms,
    limit: time.limit,
    constants: constants.label,
    errorShare: constants.errorShare,
  };
};

const prefillAt = (
  model: ModelFacts,
  { ceiling, deviceClass }: HeadroomPlace,
  { contextTokens, engine }: HeadroomQuestion,
): PrefillTime | Unknown => {
  if (isUnknown(ceiling)) return ceiling;
  const constants = constantsFor(model, engine, deviceClass);
  return prefillTime(model, { promptTokens: contextTokens, ceiling, constants });
};

const constantsFor = (
  { quantisation, experts }: ModelFacts,
  engine: Engine,
  device: HeadroomPlace['deviceClass'],
): ReturnType<typeof engineConstants> =>
  engineConstants(engine, device, {
    quantisation: isUnknown(quantisation) ? undefined : quantisation,
    hasExperts: experts !== undefined,
  });

/** What fits before what does not, then by expected speed. */
const bySpeed = (a: PlaceHeadroom, b: PlaceHeadroom): number =>
  fitRank(a.fit) - fitRank(b.fit) || speedOf(b) - speedOf(a) || a.place.name.localeCompare(b.place.name);

const fitRank = (fit: Fit | Unknown): number => FIT_RANKS[fit.kind];
const FIT_RANKS: Readonly<Record<(Fit | Unknown)['kind'], number>> = {
  fits: 0,
  tight: 1,
  unknown: 2,
  'does-not-fit': 3,
};

const speedOf = ({ decode }: PlaceHeadroom): number =>
  isUnknown(decode) ? 0 : decode.expectedTokensPerSecond.value;
