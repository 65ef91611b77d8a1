// The result of one placement: whether it fits, the bound, what is expected, and what limits it; and all
// placements in order.

import { maximumOf } from '../extremes.ts';
import type { Estimate } from '../sweep/stage.ts';
import { isUnknown, type Reported, type Unknown, unknown } from '../unknown.ts';
import { constantsFor } from './constants-for.ts';
import { type HeadroomDevice, type HeadroomQuestion, storedBy } from './headroom-devices.ts';
import { contextThatFits, type Fit, fitOf, type MemoryNeed, memoryNeed } from './memory-need.ts';
import { modelPart } from './model-part.ts';
import { devicesOf, type PlacementPlan, placementName } from './placement.ts';
import { placementPrefill, type Serving, servingOf } from './placement-prefill.ts';
import { placementKey, placements } from './placement-search.ts';
import { type CountedExchange, type PlacedModel, placementTime } from './placement-time.ts';
import type { PrefillTime } from './prefill.ts';
import type { PlacementTerm, PlacementTerms } from './step-time.ts';

export interface PlacementHeadroom {
  /** Stays the same while the same devices have the same layers. */
  readonly key: string;
  /** "TP 2: spark-1 + spark-2" */
  readonly name: string;
  readonly placement: PlacementPlan;
  /** The part of each device, in stage order. */
  readonly parts: readonly PlacementPart[];
  /** The fit of the device with the least room. */
  readonly fit: Fit | Unknown;
  /**
   * The same for the memory that no program uses now; a server that has the model loaded already counts as a
   * program.
   */
  readonly fitNow: Fit | Unknown;
  /** Tokens of context per sequence that would fit. */
  readonly contextThatFits: Reported<number>;
  readonly decode: DecodeHeadroom | Unknown;
  /** For a prompt as long as the context. */
  readonly prefill: PrefillTime | Unknown;
  /** For requests that follow each other, as many at once as the batch. */
  readonly serving: Serving | Unknown;
}

export interface PlacementPart {
  readonly device: HeadroomDevice;
  readonly need: MemoryNeed | Unknown;
  /** In the total memory of the device. */
  readonly fit: Fit | Unknown;
  readonly fitNow: Fit | Unknown;
}

interface DecodeHeadroom {
  /** For all sequences together; no engine is faster. */
  readonly boundTokensPerSecond: number;
  readonly expectedTokensPerSecond: Estimate;
  /** For the step in which each sequence gets a token. */
  readonly stepSeconds: Estimate;
  /** Seconds of one step, by purpose. */
  readonly terms: PlacementTerms;
  /** "capacity" if it does not fit. */
  readonly limit: PlacementTerm | 'capacity';
  readonly exchanges: readonly CountedExchange[];
  /** Label of the constants: "llama.cpp on GB10". */
  readonly constants: string;
  /** Mean error of those constants on the figures that they were fitted to, as a share. */
  readonly errorShare: Reported<number>;
}

/** All placements, the fastest that fits first. */
export const rankedPlacements = (
  placed: PlacedModel,
  devices: readonly HeadroomDevice[],
): { readonly ranked: readonly PlacementHeadroom[]; readonly nodesLeftOut: number } => {
  const found = placements(placed, devices);
  return {
    ranked: found.placements.map(placement => placementHeadroom(placed, placement)).sort(bySpeed),
    nodesLeftOut: found.nodesLeftOut,
  };
};

/** One way to place it. */
export const placementHeadroom = (placed: PlacedModel, placement: PlacementPlan): PlacementHeadroom => {
  const parts = placement.stages.flatMap(({ layers, devices }) =>
    devices.map((device): PlacementPart & { readonly layers: number; readonly shared: number } => {
      const part = modelPart(placed.model, { layers, parts: devices.length });
      const need = memoryNeed(part, storedBy(placed.question));
      const { memoryBytes, memoryFreeBytes = NO_MACHINE } = device;
      const [fit, fitNow] = [fitIn(need, memoryBytes), fitIn(need, memoryFreeBytes)];
      return { device, need, fit, fitNow, layers, shared: devices.length };
    }),
  );
  const fit = parts.map(part => part.fit).reduce(worse);
  const decode = decodeOver(placed, placement, fit);
  const prefill = placementPrefill(placed, placement);
  return {
    key: placementKey(placement),
    name: placementName(placement),
    placement,
    parts: parts.map(({ layers: _, shared: __, ...part }) => part),
    fit,
    fitNow: parts.map(part => part.fitNow).reduce(worse),
    contextThatFits: parts
      .map(({ device, layers, shared }) => contextIn(placed, device, { layers, parts: shared }))
      .reduce((least, one) => {
        if (isUnknown(least) || isUnknown(one)) return isUnknown(least) ? least : one;
        return Math.min(least, one);
      }),
    decode,
    prefill,
    serving: serving(placed.question, decode, prefill),
  };
};

const fitIn = (need: MemoryNeed | Unknown, capacityBytes: Reported<number>): Fit | Unknown => {
  if (isUnknown(need)) return need;
  return isUnknown(capacityBytes) ? capacityBytes : fitOf(need, capacityBytes);
};

const contextIn = (
  { model, question }: PlacedModel,
  { memoryBytes }: HeadroomDevice,
  of: { readonly layers: number; readonly parts: number },
): Reported<number> => {
  if (isUnknown(memoryBytes)) return memoryBytes;
  const part = modelPart(model, of);
  const { slots, cacheBytesPerElement } = storedBy(question);
  const need = memoryNeed(part, storedBy(question));
  if (isUnknown(need)) return need;
  const contextMax = isUnknown(model.contextMax) ? question.contextTokens : model.contextMax;
  return contextThatFits(part, { slots, capacityBytes: memoryBytes, cacheBytesPerElement, contextMax });
};

const decodeOver = (
  placed: PlacedModel,
  placement: PlacementPlan,
  fit: Fit | Unknown,
): DecodeHeadroom | Unknown => {
  const time = placementTime(placed, placement);
  if (isUnknown(time)) return time;
  const { model, question } = placed;
  const { value, low, high } = time.expectedSeconds;
  if (!(time.boundSeconds > 0 && low > 0))
    return unknown('by what it reports, a token might need no reads at all');
  const constants = devicesOf(placement).map(device => constantsFor(model, question.engine, device));
  const errors = constants.map(({ errorShare }) => errorShare);
  return {
    boundTokensPerSecond: question.batch / time.boundSeconds,
    expectedTokensPerSecond: {
      value: question.batch / value,
      low: question.batch / high,
      high: question.batch / low,
    },
    stepSeconds: time.expectedSeconds,
    terms: time.terms,
    limit: fit.kind === 'does-not-fit' ? 'capacity' : time.limit,
    exchanges: time.exchanges,
    constants: [...new Set(constants.map(({ label }) => label))].join(', '),
    errorShare: errors.every(error => error !== undefined)
      ? maximumOf(errors)
      : unknown('not fitted to figures of this engine on such a device'),
  };
};

const serving = (
  question: HeadroomQuestion,
  decode: DecodeHeadroom | Unknown,
  prefill: PrefillTime | Unknown,
): Serving | Unknown => {
  if (isUnknown(decode)) return decode;
  if (isUnknown(prefill)) return prefill;
  return servingOf(question, { stepSeconds: decode.stepSeconds, prefillSeconds: prefill.expectedSeconds });
};

/** Placements that fit first, then by expected speed; of two equal ones the one on fewer devices. */
const bySpeed = (a: PlacementHeadroom, b: PlacementHeadroom): number =>
  FIT_RANKS[a.fit.kind] - FIT_RANKS[b.fit.kind] ||
  speedOf(b) - speedOf(a) ||
  a.parts.length - b.parts.length ||
  (a.key < b.key ? -1 : 1);

const worse = (a: Fit | Unknown, b: Fit | Unknown): Fit | Unknown => {
  if (FIT_RANKS[a.kind] !== FIT_RANKS[b.kind]) return FIT_RANKS[a.kind] > FIT_RANKS[b.kind] ? a : b;
  return roomOf(b) < roomOf(a) ? b : a;
};

const roomOf = (fit: Fit | Unknown): number => {
  if (fit.kind === 'unknown') return 0;
  return fit.kind === 'fits' ? fit.freeBytes : -fit.missingBytes;
};

/** Of what only a daemon reads. */
export const NO_MACHINE: Unknown = unknown('no machine of this cluster');

const FIT_RANKS: Readonly<Record<(Fit | Unknown)['kind'], number>> = {
  fits: 0,
  tight: 1,
  unknown: 2,
  'does-not-fit': 3,
};

const speedOf = ({ decode }: PlacementHeadroom): number =>
  isUnknown(decode) ? 0 : decode.expectedTokensPerSecond.value;
