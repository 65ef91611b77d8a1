// Ways to place a model on what is there now, as the page draws them: the time of one step by what it is for, its bound and its
// interval, and why it is not the best.

import {
  figureText,
  formatBytes,
  formatBytesPerSecond,
  formatThreeDigits,
} from '../../../src/core/figure/figure.ts';
import type { NodeId } from '../../../src/core/ids.ts';
import type { HeadroomQuestion, PlaceHeadroom } from '../../../src/core/model/headroom.ts';
import { headroom } from '../../../src/core/model/headroom.ts';
import type { HeadroomPlace } from '../../../src/core/model/headroom-place.ts';
import { headroomPlaces } from '../../../src/core/model/headroom-place.ts';
import type { Fit, MemoryNeed } from '../../../src/core/model/memory-need.ts';
import type { ModelFacts } from '../../../src/core/model/model-facts.ts';
import type { StepTerm } from '../../../src/core/model/step-time.ts';
import type { NodeView } from '../../../src/core/node/node-view.ts';
import type { Estimate } from '../../../src/core/sweep/stage.ts';
import type { Unknown } from '../../../src/core/unknown.ts';
import { isUnknown } from '../../../src/core/unknown.ts';

export interface ModelPlacement {
  /** Stands in addresses: "one:atlas". */
  readonly key: string;
  /** "One node" */
  readonly name: string;
  /** "atlas + hermes" */
  readonly on: string;
  readonly nodes: readonly NodeId[];
  readonly fit: Fit | Unknown;
  readonly time: PlacementTime | Unknown;
  /** "reading weights"; '' where nothing is known. */
  readonly limit: string;
  /** Of the best that it is the best; of any other why it is not. */
  readonly why: string;
}

/** Seconds of one step, which makes a token of each sequence. A type, not an interface: it stands beside `Unknown`. */
export type PlacementTime = {
  readonly layers: readonly PlacementLayer[];
  readonly seconds: Estimate;
  readonly boundSeconds: number;
  /** Of all sequences together. */
  readonly tokensPerSecond: Estimate;
  readonly boundTokensPerSecond: number;
};

export type LayerTerm = StepTerm;

export interface PlacementLayer {
  readonly term: LayerTerm;
  readonly seconds: number;
}

export interface ModelPlacements {
  readonly need: MemoryNeed | Unknown;
  /** The fastest that fits first. */
  readonly ranked: readonly ModelPlacement[];
  /** Of each device, in the order of the ranking. */
  readonly devices: readonly PlacedDevice[];
}

/** A device by itself: what it must hold, what was measured of it, whose constants were used. */
export interface PlacedDevice {
  readonly answer: PlaceHeadroom;
  readonly nodeId: NodeId;
}

export const placementsOn = (
  model: ModelFacts,
  views: readonly NodeView[],
  question: HeadroomQuestion,
): ModelPlacements => {
  const nodeOf = new Map<HeadroomPlace, NodeId>();
  for (const view of views)
    if (view.presence !== 'offline') for (const place of headroomPlaces(view)) nodeOf.set(place, view.nodeId);
  const { need, places } = headroom(model, [...nodeOf.keys()], question);
  const devices = places.flatMap(answer => {
    const nodeId = nodeOf.get(answer.place);
    return nodeId === undefined ? [] : [{ answer, nodeId }];
  });
  return { need, devices, ranked: devices.map(device => placementOf(device, devices[0], question)) };
};

const placementOf = (
  { answer, nodeId }: PlacedDevice,
  best: PlacedDevice | undefined,
  { batch }: HeadroomQuestion,
): ModelPlacement => ({
  key: `one:${answer.place.name}`,
  name: 'One device',
  on: answer.place.name,
  nodes: [nodeId],
  fit: answer.fit,
  time: timeOf(answer, batch),
  limit: isUnknown(answer.decode) ? '' : LIMIT_WORDS[answer.decode.limit],
  why: whyOf(answer, best?.answer ?? answer),
});

const timeOf = ({ decode }: PlaceHeadroom, batch: number): PlacementTime | Unknown => {
  if (isUnknown(decode)) return decode;
  const { expectedTokensPerSecond: expected, boundTokensPerSecond, terms } = decode;
  return {
    layers: LAYER_ORDER.map(term => ({ term, seconds: terms[term] })).filter(({ seconds }) => seconds > 0),
    seconds: { value: batch / expected.value, low: batch / expected.high, high: batch / expected.low },
    boundSeconds: batch / boundTokensPerSecond,
    tokensPerSecond: expected,
    boundTokensPerSecond,
  };
};

const whyOf = (answer: PlaceHeadroom, best: PlaceHeadroom): string => {
  const { fit, decode, place } = answer;
  if (fit.kind === 'does-not-fit')
    return `${figureText(formatBytes(fit.missingBytes))} of memory are missing${
      answer.contextThatFits === undefined || answer.contextThatFits === 0
        ? ', and less context does not help'
        : `; ${answer.contextThatFits} tokens of context would fit`
    }`;
  if (isUnknown(decode)) return decode.reason;
  if (answer === best)
    return fit.kind === 'unknown' ? `whether it fits is unknown: ${fit.reason}` : 'the best of those here';
  if (fit.kind === 'tight')
    return `it may not fit: up to ${figureText(formatBytes(fit.missingBytes))} are missing`;
  if (fit.kind === 'unknown') return `whether it fits is unknown: ${fit.reason}`;
  if (isUnknown(best.decode) || isUnknown(place.ceiling) || isUnknown(best.place.ceiling)) return '';
  const ofBest = best.decode.terms;
  const [most] = LAYER_ORDER.map(term => ({ term, more: decode.terms[term] - ofBest[term] })).sort(
    (a, b) => b.more - a.more,
  );
  if (most === undefined || most.more <= 0) return `as fast as ${best.place.name}`;
  const more = `${formatThreeDigits(most.more * 1_000)} ms more for ${LAYER_WORDS[most.term]}`;
  return most.term === 'overhead' || most.term === 'compute'
    ? more
    : `${more}: it reads at ${figureText(formatBytesPerSecond(place.ceiling.bytesPerSecond))}, ${best.place.name} at ${figureText(formatBytesPerSecond(best.place.ceiling.bytesPerSecond))}`;
};

/** From the keel up. */
export const LAYER_ORDER: readonly LayerTerm[] = ['weights', 'experts', 'cache', 'compute', 'overhead'];

export const LAYER_WORDS: Readonly<Record<LayerTerm, string>> = {
  weights: 'weights',
  experts: 'experts',
  cache: 'KV cache',
  compute: 'compute',
  overhead: 'overhead',
};

const LIMIT_WORDS: Readonly<Record<StepTerm, string>> = {
  weights: 'memory bandwidth, for weights',
  experts: 'memory bandwidth, for experts',
  cache: 'memory bandwidth, for the KV cache',
  compute: 'compute',
  overhead: "the engine's overhead",
};
