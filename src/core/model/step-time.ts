// The time of a step on one device: the bound, from measured ceilings only, and what engines of that kind
// reach. The two are never mixed: a figure above the bound is a finding, not something to clip.

import type { Estimate } from '../sweep/stage.ts';
import type { DecodeStep } from './decode-step.ts';
import type { EngineConstants } from './engine-constants.ts';
import type { Interval } from './model-facts.ts';
import { productCeiling } from './product-precision.ts';

/** What a device was measured to do. A type, not an interface: it is used in `Reported`. */
export type DeviceCeiling = {
  readonly bytesPerSecond: number;
  /** 16-bit products with 32-bit sums; undefined if not measured. */
  readonly operationsPerSecond: number | undefined;
  /** 8-bit products; missing if not measured. */
  readonly int8PerSecond?: number | undefined;
  readonly fp8PerSecond?: number | undefined;
  /** Whether `bytesPerSecond` was measured, or comes from a data sheet. */
  readonly isMeasured: boolean;
};

export interface StepTime {
  /** No engine is faster: the least bytes at the whole bandwidth, or the least operations at the whole rate. */
  readonly boundSeconds: number;
  readonly expectedSeconds: Estimate;
  /** Seconds of the expected time; they add up to it. */
  readonly terms: StepTerms;
  readonly limit: LimitingTerm;
}

type StepTerms = Readonly<Record<StepTerm, number>>;
type StepTerm = 'weights' | 'experts' | 'cache' | 'compute' | 'overhead';
type LimitingTerm = StepTerm;

/** What a step over several devices waits for, seconds, including the links between them. */
export type PlacementTerms = StepTerms & Readonly<Record<'linkLatency' | 'linkBandwidth', number>>;
export type PlacementTerm = keyof PlacementTerms;

export const stepTime = (
  step: DecodeStep,
  {
    layers,
    ceiling,
    constants,
  }: { readonly layers: number; readonly ceiling: DeviceCeiling; readonly constants: EngineConstants },
): StepTime => {
  const share = shareOfCeiling(constants, ceiling);
  const bandwidth = ceiling.bytesPerSecond;
  const operations = ceiling.operationsPerSecond;
  const fastest = productCeiling(ceiling, constants.products);
  const cacheShare = constants.cacheShare ?? share;
  const seconds = (bytes: number): number => bytes / (share.value * bandwidth);
  const overhead = (constants.layerUs.value * layers) / MICROSECONDS;
  const moved = {
    weights: seconds(middle(step.weightBytes)),
    experts: seconds(middle(step.expertBytes)),
    cache: middle(step.cacheBytes) / (cacheShare.value * bandwidth),
  };
  const moving = moved.weights + moved.experts + moved.cache;
  const multiplying =
    operations === undefined ? 0 : middle(step.operations) / (middle(constants.prefillShare) * operations);
  // Memory and arithmetic run in parallel; the additional time of arithmetic is added.
  const compute = Math.max(0, multiplying - moving);
  const terms = { ...moved, compute, overhead };
  return {
    boundSeconds: Math.max(
      step.bytes.low / bandwidth,
      fastest === undefined ? 0 : step.operations.low / fastest.operationsPerSecond,
    ),
    expectedSeconds: {
      value: moving + compute + overhead,
      low:
        readSeconds(step, 'low', { share: share.high, cacheShare: cacheShare.high, bandwidth }) +
        (constants.layerUs.low * layers) / MICROSECONDS,
      high:
        Math.max(
          readSeconds(step, 'high', { share: share.low, cacheShare: cacheShare.low, bandwidth }),
          operations === undefined ? 0 : step.operations.high / (constants.prefillShare.low * operations),
        ) +
        (constants.layerUs.high * layers) / MICROSECONDS,
    },
    terms,
    limit: limitingTerm(terms),
  };
};

const readSeconds = (
  { weightBytes, expertBytes, cacheBytes }: DecodeStep,
  end: 'low' | 'high',
  {
    share,
    cacheShare,
    bandwidth,
  }: { readonly share: number; readonly cacheShare: number; readonly bandwidth: number },
): number =>
  (weightBytes[end] + expertBytes[end]) / (share * bandwidth) + cacheBytes[end] / (cacheShare * bandwidth);

/**
 * The constants are shares of data-sheet bandwidth. A measured ceiling is lower (215 to 221 of 256 GB/s on
 * Strix Halo), so that engines reach more of it; by how much is not known for each device, therefore the
 * interval reaches up to all of it.
 */
const shareOfCeiling = (
  { shareOfSpec, isOfCeiling }: EngineConstants,
  { isMeasured }: DeviceCeiling,
): Estimate =>
  isMeasured && isOfCeiling !== true
    ? { value: Math.min(1, shareOfSpec.value / MEASURED_SHARE), low: shareOfSpec.low, high: 1 }
    : shareOfSpec;

/** The part that takes most of the time; overhead from 40 % on, because then better memory helps little. */
export const limitingTerm = <T extends string>(
  terms: Readonly<Record<T | 'overhead', number>>,
): T | 'overhead' => {
  const names = Object.keys(terms).filter((name): name is T => name in terms);
  const total = names.reduce((sum, name) => sum + terms[name], 0);
  const rest = names.filter(name => name !== 'overhead');
  const [first] = rest;
  if (first === undefined || terms.overhead > OVERHEAD_SHARE * total) return 'overhead';
  return rest.reduce((most, term) => (terms[term] > terms[most] ? term : most), first);
};

export const middle = ({ low, high }: Interval): number => (low + high) / 2;

const MICROSECONDS = 1e6;
const OVERHEAD_SHARE = 0.4;
/** Share of a data sheet's bandwidth that probes measure, where both are published. */
const MEASURED_SHARE = 0.85;
