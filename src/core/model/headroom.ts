// The result of "how should this model run here": every way to place it, the fastest that fits first, each
// with the bound, what engines of that kind reach, and why it is slower than the first; and what would make
// it faster.

import { formatNanoseconds } from '../figure/duration.ts';
import {
  counted,
  figureText,
  formatBitsPerSecond,
  formatBytes,
  formatBytesPerSecond,
} from '../figure/figure.ts';
import { isUnknown, knownOr, type Reported, type Unknown, unknown } from '../unknown.ts';
import { runsOn } from './engine-constants.ts';
import { type HeadroomChange, headroomChanges } from './headroom-changes.ts';
import { type HeadroomDevice, type HeadroomQuestion, storedBy } from './headroom-devices.ts';
import { type HeadroomLink, HeadroomLinkTable } from './headroom-links.ts';
import { type MemoryNeed, memoryNeed } from './memory-need.ts';
import type { Interval, ModelCache, ModelFacts, ModelWeights } from './model-facts.ts';
import { type PlacementHeadroom, rankedPlacements } from './placement-headroom.ts';
import { canPartLayers } from './placement-search.ts';
import { type CountedExchange, exchangeSeconds } from './placement-time.ts';
import type { PlacementTerm, PlacementTerms } from './step-time.ts';

export interface Headroom {
  readonly model: ModelFacts;
  readonly question: HeadroomQuestion;
  /** For the model as a whole. */
  readonly need: MemoryNeed | Unknown;
  /** The fastest that fits first; at most `PLACEMENTS_MAX`. */
  readonly placements: readonly RankedPlacement[];
  /** Number ranked after those, or no faster than a part of their devices; not stored. */
  readonly placementsLeftOut: number;
  /** What was not tried, one sentence each. */
  readonly notes: readonly string[];
  /** What would make it faster or let it fit, greatest gain first. */
  readonly changes: readonly HeadroomChange[];
}

export interface RankedPlacement extends PlacementHeadroom {
  /** Why it ranks below the first one, in one line; '' for the first. */
  readonly behind: string;
}

export const headroom = (
  claimed: ModelFacts,
  devices: readonly HeadroomDevice[],
  question: HeadroomQuestion,
  links: readonly HeadroomLink[] = [],
): Headroom => {
  const model = credibleModel(claimed);
  const placed = { model, question, links: new HeadroomLinkTable(links) };
  const usable = devices.filter(({ deviceClass }) => runsOn(question.engine, deviceClass));
  const { ranked: all, nodesLeftOut } = rankedPlacements(placed, usable);
  const ranked = worthReporting(all);
  const [best] = ranked;
  const nodes = new Set(devices.flatMap(({ nodeId }) => nodeId ?? []));
  const notes: string[] = [];
  if (usable.length < devices.length)
    notes.push(
      `${question.engine} does not run on ${devices.length - usable.length} of the ${counted(devices.length, 'device')}: ${[...new Set(devices.filter(device => !usable.includes(device)).map(({ name }) => name))].slice(0, NAMES_SHOWN).join(', ')}`,
    );
  if (nodesLeftOut > 0)
    notes.push(
      `of ${counted(nodes.size, 'node')} the ${nodes.size - nodesLeftOut} with the most memory bandwidth were tried together; --nodes picks others`,
    );
  if (!canPartLayers(question) && devices.length > 1)
    notes.push(
      'llama.cpp gives each device whole layers: sharing layers (tensor parallel) was not tried; --engine mlx, vllm or sglang does',
    );
  return {
    model,
    question,
    need: memoryNeed(model, storedBy(question)),
    placements: ranked
      .slice(0, PLACEMENTS_MAX)
      .map(one => ({ ...one, behind: best === undefined || one === best ? '' : whyBehind(one, best) })),
    placementsLeftOut: all.length - Math.min(ranked.length, PLACEMENTS_MAX),
    notes,
    changes: best === undefined ? [] : headroomChanges(placed, usable, best),
  };
};

/**
 * Placements on more devices that are no faster are many and similar: of those no faster than some of their
 * devices alone, only the first of each kind and number is shown.
 */
const worthReporting = (ranked: readonly PlacementHeadroom[]): readonly PlacementHeadroom[] => {
  const reported = new Set<string>();
  const kept: { readonly devices: ReadonlySet<HeadroomDevice>; readonly fits: boolean }[] = [];
  return ranked.filter(({ parts, placement, fit }) => {
    const devices = new Set(parts.map(({ device }) => device));
    const fits = fit.kind !== 'does-not-fit';
    const isMore =
      parts.length > 1 &&
      (!fits ||
        kept.some(
          other => other.fits && other.devices.size < devices.size && other.devices.isSubsetOf(devices),
        ));
    const kind = `${placement.kind} ${parts.length}`;
    if (isMore && reported.has(kind)) return false;
    reported.add(kind);
    kept.push({ devices, fits });
    return true;
  });
};

/** Limit of the placements in a result. */
const PLACEMENTS_MAX = 50;
/** Names of devices in a note. */
const NAMES_SHOWN = 8;

// Limits the facts of a model to plausible values: a header, a server or a program may claim anything, and
// nothing is computed from a model that no machine could store. The result would be figures without limit, or
// a search over billions of layers.
const MODEL_LAYERS_MAX = 4_096;

/** The same facts; impossible ones are unknown, with what was claimed. */
const credibleModel = (model: ModelFacts): ModelFacts => ({
  ...model,
  layers: within(model.layers, 'layers', { least: 1, most: MODEL_LAYERS_MAX }),
  hiddenSize: within(model.hiddenSize, 'wide', { least: 1, most: WIDTH_MOST }),
  weights: isUnknown(model.weights) ? model.weights : credibleWeights(model.weights),
  cache: isUnknown(model.cache) ? model.cache : credibleCache(model.cache),
});

const within = (
  reported: Reported<number>,
  what: string,
  { least, most }: { readonly least: number; readonly most: number },
): Reported<number> =>
  isUnknown(reported) || (reported >= least && reported <= most)
    ? reported
    : unknown(`it claims to have ${reported} ${what}, which no model has`);

const credibleWeights = (weights: ModelWeights): Reported<ModelWeights> => {
  const { denseBytes, expertBytes } = weights;
  if (denseBytes.high + expertBytes.high < 1) return unknown('it claims to have no weights');
  return Object.values(weights).every(isCredible)
    ? weights
    : unknown('it claims more weights than any machine holds');
};

const credibleCache = (cache: ModelCache): Reported<ModelCache> => {
  const { groups, attentionWidth } = cache;
  const isSmall =
    groups.every(group => {
      const perLayer = group.kind === 'state' ? group.bytes.high : group.elementsPerToken;
      return group.layers <= MODEL_LAYERS_MAX && perLayer <= CACHE_MOST;
    }) &&
    (isUnknown(attentionWidth) || attentionWidth <= WIDTH_MOST * MODEL_LAYERS_MAX);
  return isSmall ? cache : unknown('it claims a cache that no machine holds');
};

const isCredible = ({ high }: Interval): boolean => high <= WEIGHTS_MOST;

/** A thousand times the largest that people run. */
const WIDTH_MOST = 16_777_216;
const WEIGHTS_MOST = 1e18;
/** For one layer: elements per token, or bytes of its state. */
const CACHE_MOST = 1e12;

// Why a placement is slower than the first one, in one line that a person can check.
const whyBehind = (one: PlacementHeadroom, best: PlacementHeadroom): string => {
  const { fit, parts, decode } = one;
  if (fit.kind === 'does-not-fit' || (fit.kind === 'tight' && best.fit.kind === 'fits')) {
    const short = parts.find(part => part.fit === fit);
    const text = fit.kind === 'tight' ? 'may not fit: up to ' : 'does not fit: ';
    return `${text}${figureText(formatBytes(fit.missingBytes))} are missing on ${short?.device.name ?? 'a device'}`;
  }
  if (fit.kind === 'unknown' && best.fit.kind !== 'unknown')
    return `whether it fits is unknown: ${fit.reason}`;
  if (isUnknown(decode)) return `its speed is unknown: ${decode.reason}`;
  if (isUnknown(best.decode)) return '';
  const more = mostMore(decode.terms, best.decode.terms);
  if (more === undefined) return 'as fast, on more devices';
  switch (more.term) {
    case 'linkLatency':
    case 'linkBandwidth':
      return exchangeText(decode.exchanges[0], more.term);
    case 'overhead':
      return `${duration(more.seconds)} more overhead of the engine: ${decode.constants}`;
    case 'compute':
      return `${duration(more.seconds)} more of arithmetic`;
    default:
      return `${duration(more.seconds)} more for reading ${READ_LABELS[more.term]}: ${slowestText(one)}`;
  }
};

/** The term with the greatest additional cost; undefined if none costs more. */
const mostMore = (
  terms: PlacementTerms,
  best: PlacementTerms,
): { readonly term: PlacementTerm; readonly seconds: number } | undefined => {
  const found = TERMS.map(term => ({ term, seconds: terms[term] - best[term] })).reduce((a, b) =>
    b.seconds > a.seconds ? b : a,
  );
  return found.seconds > 0 ? found : undefined;
};

/** "160 exchanges per step × 210 µs over spark-1–spark-2 (Ethernet) = 34 ms" */
const exchangeText = (
  exchange: CountedExchange | undefined,
  term: 'linkLatency' | 'linkBandwidth',
): string => {
  if (exchange === undefined) return 'its devices wait for each other';
  const { count, each } = exchange;
  const seconds = exchangeSeconds(each).value;
  const where =
    each.way === undefined ? 'inside the machine' : `over ${each.way.name} (${each.way.typeName})`;
  const rate =
    term === 'linkBandwidth' && each.way !== undefined
      ? `, at ${figureText(formatBitsPerSecond(each.way.bytesPerSecond * 8))}`
      : '';
  return `${counted(count, 'exchange')} a step × ${duration(seconds)} ${where}${rate} = ${duration(count * seconds)}`;
};

const slowestText = ({ placement: { kind, stages }, parts }: PlacementHeadroom): string => {
  const rates = parts.map(({ device }) => ({
    name: device.name,
    rate: knownOr(device.ceiling, undefined)?.bytesPerSecond ?? 0,
  }));
  const slowest = rates.reduce((a, b) => (b.rate < a.rate ? b : a));
  const rate = figureText(formatBytesPerSecond(slowest.rate));
  if (kind === 'one') return `all of it passes one memory at ${rate}`;
  if (kind === 'tensor') return `${slowest.name} reads its part at ${rate}, and the others wait for it`;
  return `a token passes ${counted(stages.length, 'stage')} in turn, and ${slowest.name} reads at ${rate}`;
};

const duration = (seconds: number): string => figureText(formatNanoseconds(seconds * 1e9));

const TERMS: readonly PlacementTerm[] = [
  'weights',
  'experts',
  'cache',
  'compute',
  'overhead',
  'linkLatency',
  'linkBandwidth',
];
const READ_LABELS = { weights: 'weights', experts: 'experts', cache: 'the cache' } as const;
