// What would make it faster, or let it fit: each is the same calculation with one thing changed, so that a
// person sees what a cable, a setting or another file is worth before buying or downloading it.

import { minimumOf } from '../extremes.ts';
import { counted, figureText, formatNominalBitsPerSecond } from '../figure/figure.ts';
import { isUnknown, knownOr } from '../unknown.ts';
import type { HeadroomDevice } from './headroom-devices.ts';
import type { HeadroomLink } from './headroom-links.ts';
import { type ModelFacts, multiplied } from './model-facts.ts';
import type { PlacementPlan } from './placement.ts';
import { type PlacementHeadroom, placementHeadroom, rankedPlacements } from './placement-headroom.ts';
import type { PlacedModel } from './placement-time.ts';

type ChangeKind =
  | 'link-rate'
  | 'cache-type'
  | 'bandwidth'
  | 'latency'
  | 'overhead'
  | 'context'
  | 'batch'
  | 'weights';

export interface HeadroomChange {
  readonly kind: ChangeKind;
  /** "the cable spark-1–spark-2 at its negotiated 200 Gb/s" */
  readonly text: string;
  /** Expected for all sequences together, without the change and with it. */
  readonly beforeTokensPerSecond: number;
  readonly afterTokensPerSecond: number;
  /** It does not fit without the change. */
  readonly makesItFit: boolean;
}

/** @param best first of the ranking. */
export const headroomChanges = (
  placed: PlacedModel,
  devices: readonly HeadroomDevice[],
  best: PlacementHeadroom,
): readonly HeadroomChange[] => {
  const before = speedOf(best);
  if (before === undefined) return [];
  const mustFit = best.fit.kind !== 'fits' && best.fit.kind !== 'unknown';
  const change = (
    kind: ChangeKind,
    text: string,
    after: PlacementHeadroom | undefined,
  ): readonly HeadroomChange[] => {
    const speed = after === undefined ? undefined : speedOf(after);
    const makesItFit = mustFit && after?.fit.kind === 'fits';
    return speed === undefined || (mustFit ? !makesItFit : speed < before * GAIN_MIN)
      ? []
      : [{ kind, text, beforeTokensPerSecond: before, afterTokensPerSecond: speed, makesItFit }];
  };
  const asPlaced = (
    with_: Partial<PlacedModel>,
    placement: PlacementPlan = best.placement,
  ): PlacementHeadroom => placementHeadroom({ ...placed, ...with_ }, placement);
  const { question } = placed;
  return [
    ...slowLinks(placed, devices).flatMap(({ link, bytesPerSecond }) =>
      change(
        'link-rate',
        `the cable ${link.name} at its negotiated ${figureText(formatNominalBitsPerSecond(bytesPerSecond * 8))}`,
        rankedPlacements({ ...placed, links: placed.links.withRate(link, bytesPerSecond) }, devices)
          .ranked[0],
      ),
    ),
    ...(question.cacheType === 'f16' || question.cacheType === 'bf16'
      ? change(
          'cache-type',
          'the cache in 8 bits (q8_0)',
          asPlaced({ question: { ...question, cacheType: 'q8_0' } }),
        )
      : []),
    ...change('bandwidth', '10 % more memory bandwidth', asPlaced({}, withBandwidth(best.placement, 1.1))),
    ...lessOf(mustFit, best, 'linkLatency').flatMap(after => ({
      kind: 'latency' as const,
      text: 'half the latency of its links',
      beforeTokensPerSecond: before,
      afterTokensPerSecond: after,
      makesItFit: false,
    })),
    ...lessOf(mustFit, best, 'overhead').flatMap(after => ({
      kind: 'overhead' as const,
      text: "half the engine's overhead a layer",
      beforeTokensPerSecond: before,
      afterTokensPerSecond: after,
      makesItFit: false,
    })),
    ...(mustFit
      ? lettingItFit(placed, best).flatMap(({ kind, text, with: changed }) =>
          change(kind, text, asPlaced(changed)),
        )
      : []),
  ].toSorted(
    (a, b) => Number(b.makesItFit) - Number(a.makesItFit) || b.afterTokensPerSecond - a.afterTokensPerSecond,
  );
};

/** Links between these nodes that carry far less than they negotiated, the worst first. */
const slowLinks = (
  { links }: PlacedModel,
  devices: readonly HeadroomDevice[],
): readonly { readonly link: HeadroomLink; readonly bytesPerSecond: number }[] => {
  const nodes = new Set(devices.map(({ nodeId }) => nodeId));
  const slower = new Map<
    string,
    { readonly link: HeadroomLink; readonly bytesPerSecond: number; readonly share: number }
  >();
  for (const link of links.links) {
    const bytesPerSecond = knownOr(link.negotiatedBytesPerSecond, 0);
    const share = bytesPerSecond === 0 ? 1 : link.bytesPerSecond / bytesPerSecond;
    if (share >= SOUND_SHARE || !nodes.has(link.source) || !nodes.has(link.sink)) continue;
    const known = slower.get(link.name);
    if (known === undefined || share < known.share) slower.set(link.name, { link, bytesPerSecond, share });
  }
  return [...slower.values()].sort((a, b) => a.share - b.share).slice(0, LINKS_MAX);
};

const withBandwidth = ({ kind, stages }: PlacementPlan, factor: number): PlacementPlan => ({
  kind,
  stages: stages.map(stage => ({
    ...stage,
    devices: stage.devices.map(device => ({
      ...device,
      ceiling: isUnknown(device.ceiling)
        ? device.ceiling
        : { ...device.ceiling, bytesPerSecond: device.ceiling.bytesPerSecond * factor },
    })),
  })),
});

/** With half of one term; nothing if that gains little. */
const lessOf = (
  mustFit: boolean,
  { decode }: PlacementHeadroom,
  term: 'linkLatency' | 'overhead',
): readonly number[] => {
  // A placement that does not fit is not made faster by it.
  if (mustFit || isUnknown(decode)) return [];
  const { value } = decode.stepSeconds;
  const after = (decode.expectedTokensPerSecond.value * value) / (value - decode.terms[term] / 2);
  return after < decode.expectedTokensPerSecond.value * GAIN_MIN ? [] : [after];
};

const lettingItFit = (
  { model, question }: PlacedModel,
  best: PlacementHeadroom,
): readonly { readonly kind: ChangeKind; readonly text: string; readonly with: Partial<PlacedModel> }[] => {
  const found: { readonly kind: ChangeKind; readonly text: string; readonly with: Partial<PlacedModel> }[] =
    [];
  const context = knownOr(best.contextThatFits, 0);
  if (context >= CONTEXT_MIN && context < question.contextTokens)
    found.push({
      kind: 'context',
      text: `a context of ${counted(context, 'token')}`,
      with: { question: { ...question, contextTokens: context } },
    });
  if (question.batch > 1)
    found.push({
      kind: 'batch',
      text: 'one sequence at a time',
      with: { question: { ...question, batch: 1 } },
    });
  const smaller = smallerWeights(model, best);
  if (smaller !== undefined) found.push({ kind: 'weights', ...smaller });
  return found;
};

/** The most bits per weight that would fit on the same devices. */
const smallerWeights = (
  model: ModelFacts,
  { parts }: PlacementHeadroom,
): { readonly text: string; readonly with: Partial<PlacedModel> } | undefined => {
  const { weights } = model;
  if (isUnknown(weights)) return undefined;
  const shares = parts.map(({ device, need }) => {
    if (isUnknown(need) || isUnknown(device.memoryBytes)) return 0;
    return (device.memoryBytes - need.cacheBytes.high - need.reserveBytes.high) / need.weightBytes.high;
  });
  const share = minimumOf(shares);
  const parameters = weights.denseParameters.high + weights.expertParameters.high;
  if (parameters === 0) return undefined;
  const bits = (8 * (weights.denseBytes.high + weights.expertBytes.high)) / parameters;
  const fitting = Math.floor(share * bits * 10) / 10;
  if (share >= 1 || fitting < BITS_MIN) return undefined;
  return {
    text: `weights of at most ${fitting} bits in place of ${bits.toFixed(1)}`,
    with: {
      model: {
        ...model,
        weights: {
          ...weights,
          totalBytes: multiplied(weights.totalBytes, fitting / bits),
          denseBytes: multiplied(weights.denseBytes, fitting / bits),
          expertBytes: multiplied(weights.expertBytes, fitting / bits),
        },
      },
    },
  };
};

const speedOf = ({ decode }: PlacementHeadroom): number | undefined =>
  isUnknown(decode) ? undefined : decode.expectedTokensPerSecond.value;

/** A gain below a hundredth is left out. */
const GAIN_MIN = 1.01;
const SOUND_SHARE = 0.8;
/** Each one is another search. */
const LINKS_MAX = 8;
/** A shorter context is not useful; llama.cpp's own fitting stops there too. */
const CONTEXT_MIN = 4_096;
/** The smallest of published quantisations (IQ1_S). */
const BITS_MIN = 1.5625;
