// The time of a step over several devices: the slowest of those that share a layer decides, and the stages of
// a row run one after the other. With several sequences each stage of a row works on some of them, and its
// slowest stage decides.

import { maximumOf } from '../extremes.ts';
import type { Estimate } from '../sweep/stage.ts';
import { isUnknown, type Unknown, unknown } from '../unknown.ts';
import { CACHE_TYPES } from './cache-bytes.ts';
import { constantsFor } from './constants-for.ts';
import { decodeStep } from './decode-step.ts';
import { allReduce, handOver, type LinkExchange, plusEstimate, timesEstimate, ZERO } from './exchange.ts';
import type { HeadroomQuestion } from './headroom-devices.ts';
import type { HeadroomLinkTable } from './headroom-links.ts';
import type { ModelFacts } from './model-facts.ts';
import { modelPart } from './model-part.ts';
import type { PlacementPlan, PlacementStage } from './placement.ts';
import { limitingTerm, type PlacementTerm, type PlacementTerms, stepTime } from './step-time.ts';

interface PlacementStepTime {
  /** For a step in which each sequence gets a token. */
  readonly boundSeconds: number;
  readonly expectedSeconds: Estimate;
  readonly terms: PlacementTerms;
  readonly limit: PlacementTerm;
  /** Exchanges over each kind of link in one step, the longest first. */
  readonly exchanges: readonly CountedExchange[];
}

export interface CountedExchange {
  readonly count: number;
  readonly each: LinkExchange;
}

export interface PlacedModel {
  readonly model: ModelFacts;
  readonly links: HeadroomLinkTable;
  readonly question: HeadroomQuestion;
}

export const placementTime = (
  placed: PlacedModel,
  { stages }: Pick<PlacementPlan, 'stages'>,
): PlacementStepTime | Unknown => {
  const { batch } = placed.question;
  const turns = turnsOf(batch, stages.length);
  const times: StageTime[] = [];
  const bounds: { readonly one: number; readonly all: number }[] = [];
  for (const stage of stages) {
    const turn = stageTime(placed, stage, batch / turns);
    const one = turns === batch ? turn : stageTime(placed, stage, 1);
    const all = turns === 1 ? turn : stageTime(placed, stage, batch);
    if (isUnknown(turn)) return turn;
    if (isUnknown(one)) return one;
    if (isUnknown(all)) return all;
    times.push(turn);
    bounds.push({ one: one.boundSeconds, all: all.boundSeconds });
  }
  const hops = handOvers(placed, stages, batch / turns);
  if (isUnknown(hops)) return hops;
  const hopSeconds = plusEstimate(ZERO, ...hops.map(exchangeSeconds));
  const inARow = plusEstimate(hopSeconds, ...times.map(time => time.expectedSeconds));
  const [first, ...others] = times;
  if (first === undefined) return unknown('it has no stages');
  const slowest = others.reduce((a, b) => (b.expectedSeconds.value > a.expectedSeconds.value ? b : a), first);
  const waiting = timesEstimate(slowest.expectedSeconds, turns);
  const isFull = waiting.value > inARow.value;
  const terms = isFull
    ? timesTerms(slowest.terms, turns)
    : times.reduce((sum, { terms: of }) => plusTerms(sum, of), hopTerms(hops));
  const exchanges = [
    ...times.flatMap(({ exchanges: of }) => of),
    ...hops.map(each => ({ count: turns, each })),
  ];
  return {
    boundSeconds: maximumOf([
      bounds.reduce((sum, { one }) => sum + one, 0) +
        hops.reduce((sum, { boundSeconds }) => sum + boundSeconds, 0),
      ...bounds.map(({ all }) => all),
    ]),
    expectedSeconds: {
      value: Math.max(waiting.value, inARow.value),
      low: maximumOf([...times.map(time => time.expectedSeconds.low * turns), inARow.low]),
      high: maximumOf([...times.map(time => time.expectedSeconds.high * turns), inARow.high]),
    },
    terms,
    limit: limitingTerm(terms),
    exchanges: exchanges.toSorted(
      (a, b) => b.count * exchangeSeconds(b.each).value - a.count * exchangeSeconds(a.each).value,
    ),
  };
};

/** Parts of the batch that are in a row of stages at once. */
export const turnsOf = (batch: number, stages: number): number => Math.min(batch, stages);

interface StageTime extends Omit<PlacementStepTime, 'limit'> {}

/** For one pass of this many sequences. */
export const stageTime = (
  { model, links, question }: PlacedModel,
  { layers, devices }: PlacementStage,
  batch: number,
): StageTime | Unknown => {
  if (isUnknown(model.layers)) return model.layers;
  const part = modelPart(model, { layers, parts: devices.length });
  const step = decodeStep(part, {
    batch,
    contextTokens: question.contextTokens,
    cacheBytesPerElement: CACHE_TYPES[question.cacheType],
  });
  if (isUnknown(step)) return step;
  const times = [];
  for (const device of devices) {
    const { ceiling } = device;
    if (isUnknown(ceiling)) return ceiling;
    times.push(stepTime(step, { layers, ceiling, constants: constantsFor(model, question.engine, device) }));
  }
  const [first, ...others] = times;
  if (first === undefined) return unknown('it has no devices');
  const slowest = others.reduce((a, b) => (b.expectedSeconds.value > a.expectedSeconds.value ? b : a), first);
  const exchanges: CountedExchange[] = [];
  if (devices.length > 1) {
    if (isUnknown(model.hiddenSize)) return model.hiddenSize;
    const each = allReduce(devices, { links, bytes: batch * model.hiddenSize * ACTIVATION_BYTES });
    if (isUnknown(each)) return each;
    exchanges.push({ count: EXCHANGES_A_LAYER * layers, each });
  }
  const waits = exchanges.map(({ count, each }) => timesEstimate(exchangeSeconds(each), count));
  return {
    boundSeconds:
      maximumOf(times.map(({ boundSeconds }) => boundSeconds)) +
      exchanges.reduce((sum, { count, each }) => sum + count * each.boundSeconds, 0),
    expectedSeconds: plusEstimate(
      {
        value: slowest.expectedSeconds.value,
        low: maximumOf(times.map(time => time.expectedSeconds.low)),
        high: maximumOf(times.map(time => time.expectedSeconds.high)),
      },
      ...waits,
    ),
    terms: exchanges.reduce<PlacementTerms>(
      (sum, { count, each }) => plusTerms(sum, timesTerms(hopTerms([each]), count)),
      { ...slowest.terms, linkLatency: 0, linkBandwidth: 0 },
    ),
    exchanges,
  };
};

/** Between the stages, in order. */
const handOvers = (
  { model, links, question: { engine } }: PlacedModel,
  stages: readonly PlacementStage[],
  batch: number,
): readonly LinkExchange[] | Unknown => {
  const hops: LinkExchange[] = [];
  for (const [index, { devices }] of stages.entries()) {
    const [sink] = stages[index + 1]?.devices ?? [];
    const source = devices.at(-1);
    if (sink === undefined || source === undefined) continue;
    if (isUnknown(model.hiddenSize)) return model.hiddenSize;
    const hop = handOver([source, sink], {
      links,
      bytes: batch * model.hiddenSize * ACTIVATION_BYTES,
      engine,
    });
    if (isUnknown(hop)) return hop;
    hops.push(hop);
  }
  return hops;
};

export const exchangeSeconds = ({ latencySeconds, transferSeconds }: LinkExchange): Estimate => ({
  value: latencySeconds.value + transferSeconds,
  low: latencySeconds.low + transferSeconds,
  high: latencySeconds.high + transferSeconds,
});

const hopTerms = (hops: readonly LinkExchange[]): PlacementTerms => ({
  ...NO_TERMS,
  linkLatency: hops.reduce((sum, { latencySeconds }) => sum + latencySeconds.value, 0),
  linkBandwidth: hops.reduce((sum, { transferSeconds }) => sum + transferSeconds, 0),
});

const plusTerms = (a: PlacementTerms, b: PlacementTerms): PlacementTerms => ({
  weights: a.weights + b.weights,
  experts: a.experts + b.experts,
  cache: a.cache + b.cache,
  compute: a.compute + b.compute,
  overhead: a.overhead + b.overhead,
  linkLatency: a.linkLatency + b.linkLatency,
  linkBandwidth: a.linkBandwidth + b.linkBandwidth,
});

const timesTerms = (a: PlacementTerms, factor: number): PlacementTerms => ({
  weights: a.weights * factor,
  experts: a.experts * factor,
  cache: a.cache * factor,
  compute: a.compute * factor,
  overhead: a.overhead * factor,
  linkLatency: a.linkLatency * factor,
  linkBandwidth: a.linkBandwidth * factor,
});

const NO_TERMS: PlacementTerms = {
  weights: 0,
  experts: 0,
  cache: 0,
  compute: 0,
  overhead: 0,
  linkLatency: 0,
  linkBandwidth: 0,
};
/** One after attention and one after the feed-forward part (Megatron-LM, section 3). */
export const EXCHANGES_A_LAYER = 2;
/** Activations are passed on in 16 bits. */
export const ACTIVATION_BYTES = 2;
