// Splits layers over a row of stages so that a step is as short as possible: the best of all splits, without
// trying all of them. A stage's time grows with its layers, so for any limit of the slowest stage the
// cheapest stages are filled first; the limit itself is searched for.

import { maximumOf } from '../extremes.ts';

interface SplitStage {
  /** Seconds for one layer, at least 0. */
  readonly layerSeconds: number;
  /** Layers that fit into its memory. */
  readonly layersMax: number;
}

interface LayerSplit {
  readonly layers: readonly number[];
  readonly seconds: number;
}

/**
 * Minimises max(Σ stages + handover, turns × slowest stage).
 * @param turns parts of the batch that are under way at once.
 * @returns undefined if the layers do not fit into the stages, or are more than there are layers.
 */
export const bestSplit = (
  stages: readonly SplitStage[],
  {
    layers,
    turns,
    handOverSeconds,
  }: { readonly layers: number; readonly turns: number; readonly handOverSeconds: number },
): LayerSplit | undefined => {
  const filled = (limitSeconds: number): LayerSplit | undefined => {
    const split = fill(stages, layers, limitSeconds);
    if (split === undefined) return undefined;
    const each = split.map((count, index) => count * (stages[index]?.layerSeconds ?? 0));
    const sum = each.reduce((total, seconds) => total + seconds, 0);
    return { layers: split, seconds: Math.max(sum + handOverSeconds, turns * maximumOf(each)) };
  };
  const loosest = filled(Number.POSITIVE_INFINITY);
  if (loosest === undefined || turns === 1) return loosest;
  const limits = limitsOf(stages, layers);
  // The first limit at which the slowest stage determines the step; below it only the sum grows.
  let low = 0;
  let high = limits.length - 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const limit = limits[middle] ?? 0;
    const at = filled(limit);
    if (at !== undefined && turns * limit >= at.seconds * (1 - ROUNDING)) high = middle;
    else low = middle + 1;
  }
  return [loosest, ...limits.slice(Math.max(0, low - 1), low + 2).map(filled)].reduce((best, one) =>
    best !== undefined && (one === undefined || best.seconds <= one.seconds) ? best : one,
  );
};

/** One layer each, then the rest to the fastest stage, as far as memory and the limit allow. */
const fill = (
  stages: readonly SplitStage[],
  layers: number,
  limitSeconds: number,
): readonly number[] | undefined => {
  const most = stages.map(({ layerSeconds, layersMax }) =>
    layerSeconds <= 0
      ? layersMax
      : Math.min(layersMax, Math.floor((limitSeconds / layerSeconds) * (1 + ROUNDING))),
  );
  if (most.some(count => count < 1) || layers < stages.length) return undefined;
  const split = stages.map(() => 1);
  let left = layers - stages.length;
  const quickest = stages
    .map(({ layerSeconds }, index) => ({ layerSeconds, index }))
    .sort((a, b) => a.layerSeconds - b.layerSeconds);
  for (const { index } of quickest) {
    const more = Math.min(left, (most[index] ?? 1) - 1);
    split[index] = 1 + more;
    left -= more;
  }
  return left === 0 ? split : undefined;
};

/** Every possible time of a stage, ascending. */
const limitsOf = (stages: readonly SplitStage[], layers: number): readonly number[] => [
  ...new Set(
    stages
      .flatMap(({ layerSeconds, layersMax }) =>
        Array.from({ length: Math.min(layers, layersMax) }, (_, index) => layerSeconds * (index + 1)),
      )
      .sort((a, b) => a - b),
  ),
];

/** Rounding of doubles: 3 × 0.1 is above 0.3. */
const ROUNDING = 1e-12;
