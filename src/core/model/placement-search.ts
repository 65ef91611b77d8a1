// All ways to place a model on the devices of a cluster: one device, each layer shared by nodes that have
// measured links between every two, and rows of nodes. For each set of nodes only the best row is stored: the
// order with the least handover and the best split of layers, which is what trying all orders and splits
// would find.

import { maximumOf, minimumOf } from '../extremes.ts';
import { isUnknown, knownOr } from '../unknown.ts';
import { runsAcross } from './engine-constants.ts';
import { exchangingNodes, handOver } from './exchange.ts';
import { type HeadroomDevice, type HeadroomQuestion, storedBy } from './headroom-devices.ts';
import { memoryNeed } from './memory-need.ts';
import { canShareLayers, modelPart } from './model-part.ts';
import { type PlacementPlan, type PlacementStage, wholePlacement } from './placement.ts';
import { ACTIVATION_BYTES, exchangeSeconds, type PlacedModel, stageTime, turnsOf } from './placement-time.ts';

/** @param available of nodes that take part; the devices of a node count as one each, or all together. */
export const placements = (
  placed: PlacedModel,
  available: readonly HeadroomDevice[],
): { readonly placements: readonly PlacementPlan[]; readonly nodesLeftOut: number } => {
  const alone = available.map(device => wholePlacement(placed.model, [device]));
  const nodes = [
    ...Map.groupBy(
      available.filter(({ nodeId }) => nodeId !== undefined),
      ({ nodeId }) => nodeId,
    ),
  ]
    .map(([, devices]) => devices)
    .sort((a, b) => speedOf(b) - speedOf(a));
  const taken = nodes.slice(0, NODES_TOGETHER_MAX);
  const groups = subsets(taken).filter(group =>
    runsAcross(
      placed.question.engine,
      group.flat().map(({ deviceClass }) => deviceClass),
    ),
  );
  const found = groups.flatMap(group => [
    ...tensorPlacements(placed, group),
    ...pipelinePlacements(placed, group),
  ]);
  const seen = new Map([...alone, ...found].map(placement => [placementKey(placement), placement]));
  return { placements: [...seen.values()], nodesLeftOut: nodes.length - taken.length };
};

const tensorPlacements = (
  { model, links, question }: PlacedModel,
  group: readonly (readonly HeadroomDevice[])[],
): readonly PlacementPlan[] => {
  if (!canPartLayers(question)) return [];
  return [group.map(devices => devices.slice(0, 1)), group]
    .map(chosen => chosen.flat())
    .filter(
      devices =>
        devices.length > 1 &&
        canShareLayers(model, devices.length) &&
        (exchangingNodes(devices).length === 1 || links.among(exchangingNodes(devices)) !== undefined),
    )
    .map(devices => wholePlacement(model, devices));
};

const pipelinePlacements = (
  placed: PlacedModel,
  group: readonly (readonly HeadroomDevice[])[],
): readonly PlacementPlan[] => {
  const { model, question } = placed;
  const alone = group.map(devices => devices.map(device => [device]));
  const together = group.map(devices =>
    devices.length > 1 && canPartLayers(question) && canShareLayers(model, devices.length)
      ? [devices]
      : devices.map(device => [device]),
  );
  const ways = group.some(devices => devices.length > 1) ? [alone, together] : [alone];
  return ways.flatMap(way => bestRow(placed, way) ?? []);
};

/** @param nodes the stages of each node, which stay together. */
const bestRow = (
  placed: PlacedModel,
  nodes: readonly (readonly (readonly HeadroomDevice[])[])[],
): PlacementPlan | undefined => {
  const { model, question } = placed;
  const stageCount = nodes.flat().length;
  if (isUnknown(model.layers) || isUnknown(model.hiddenSize) || stageCount < 2) return undefined;
  const turns = turnsOf(question.batch, stageCount);
  const bytes = (question.batch / turns) * model.hiddenSize * ACTIVATION_BYTES;
  const hop = (source: HeadroomDevice | undefined, sink: HeadroomDevice | undefined): number => {
    if (source === undefined || sink === undefined) return Number.POSITIVE_INFINITY;
    const exchange = handOver([source, sink], { links: placed.links, bytes, engine: question.engine });
    return isUnknown(exchange) ? Number.POSITIVE_INFINITY : exchangeSeconds(exchange).value;
  };
  const between = nodes.map(one => nodes.map(other => hop(one.at(-1)?.at(-1), other[0]?.[0])));
  const within = nodes
    .flatMap(stages => stages.slice(1).map((stage, index) => hop(stages[index]?.at(-1), stage[0])))
    .reduce((sum, seconds) => sum + seconds, 0);
  const order = shortestRow(between);
  if (order === undefined) return undefined;
  const row = order.devices.flatMap(index => nodes[index] ?? []);
  const stages = row.map(devices => {
    const one = stageTime(placed, { layers: 1, devices }, question.batch / turns);
    return {
      layerSeconds: isUnknown(one) ? 1 : one.expectedSeconds.value,
      layersMax: layersThatFit(placed, devices),
    };
  });
  const layers =
    bestSplit(stages, { layers: model.layers, turns, handOverSeconds: order.seconds + within })?.layers ??
    splitPastMemory(
      stages.map(({ layersMax }) => layersMax),
      model.layers,
    );
  return layers === undefined
    ? undefined
    : {
        kind: 'pipeline',
        stages: row.map((devices, index): PlacementStage => ({ devices, layers: layers[index] ?? 0 })),
      };
};

interface Row {
  readonly devices: readonly number[];
  readonly seconds: number;
}

/**
 * The order with the least time for handovers: for each set the best row for each last member (Held and Karp,
 * 1962).
 * @param between seconds from each to each; infinite without a link.
 */
const shortestRow = (between: readonly (readonly number[])[]): Row | undefined => {
  let rows = between.map((_, index): Row => ({ devices: [index], seconds: 0 }));
  for (let length = 1; length < between.length; length += 1) {
    const longer = new Map<string, Row>();
    for (const row of rows) {
      for (const next of between.keys()) {
        const seconds = row.seconds + (between[row.devices.at(-1) ?? 0]?.[next] ?? Number.POSITIVE_INFINITY);
        if (row.devices.includes(next) || seconds === Number.POSITIVE_INFINITY) continue;
        const devices = [...row.devices, next];
        const key = `${devices.toSorted((a, b) => a - b).join(' ')}, ${next}`;
        const known = longer.get(key);
        if (known === undefined || seconds < known.seconds) longer.set(key, { devices, seconds });
      }
    }
    rows = [...longer.values()];
  }
  return rows.reduce<Row | undefined>(
    (best, row) => (best !== undefined && best.seconds <= row.seconds ? best : row),
    undefined,
  );
};

/** Layers whose parts fit on each of these devices; all layers if unknown. */
const layersThatFit = ({ model, question }: PlacedModel, devices: readonly HeadroomDevice[]): number => {
  const all = knownOr(model.layers, 0);
  const need = memoryNeed(modelPart(model, { layers: 1, parts: devices.length }), storedBy(question));
  if (isUnknown(need)) return all;
  const layerBytes = need.totalBytes.high - need.reserveBytes.high;
  const room =
    minimumOf(devices.map(({ memoryBytes }) => knownOr(memoryBytes, Number.POSITIVE_INFINITY))) -
    need.reserveBytes.high;
  return layerBytes <= 0 ? all : Math.max(0, Math.min(all, Math.floor(room / layerBytes)));
};

/** If the stages cannot store all layers: as many as fit on each, the rest on the largest. */
const splitPastMemory = (most: readonly number[], layers: number): readonly number[] | undefined => {
  if (layers < most.length) return undefined;
  const split = most.map(() => 1);
  let left = layers - most.length;
  for (const [index, count] of most.entries()) {
    const more = Math.min(left, Math.max(0, count - 1));
    split[index] = 1 + more;
    left -= more;
  }
  const largest = most.indexOf(maximumOf(most));
  split[largest] = (split[largest] ?? 0) + left;
  return split;
};

/** llama.cpp gives each device whole layers; engines that split layers use one process per device. */
export const canPartLayers = ({ engine }: Pick<HeadroomQuestion, 'engine'>): boolean =>
  engine !== 'llama.cpp';

/** The same devices with the same layers are one placement, regardless of how they were found. */
export const placementKey = (placement: PlacementPlan): string =>
  `${placement.kind}:${placement.stages
    .map(
      ({ layers, devices }) =>
        `${layers}@${devices.map(({ nodeId, deviceId, name }) => (nodeId === undefined ? name : `${nodeId}/${deviceId}`)).join('+')}`,
    )
    .join('>')}`;

/** Every set of one or more, in a stable order. */
const subsets = <T>(all: readonly T[]): readonly (readonly T[])[] =>
  Array.from({ length: 2 ** all.length - 1 }, (_, index) =>
    all.filter((_each, bit) => ((index + 1) >> bit) % 2 === 1),
  );

const speedOf = (devices: readonly HeadroomDevice[]): number =>
  devices.reduce((sum, { ceiling }) => sum + (isUnknown(ceiling) ? 0 : ceiling.bytesPerSecond), 0);

/** More nodes have too many groupings; those with the most bandwidth are tried. */
const NODES_TOGETHER_MAX = 8;

// Splits layers over a row of stages so that a step is as short as possible: the best of all splits, without
// trying all of them. A stage's time grows with its layers, so for any limit of the slowest stage the
// cheapest stages are filled first; the limit itself is searched for.
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
const bestSplit = (
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
