// Geometry of a load line's chart, in CSS pixels: percentiles of each stage over the offered load on a
// logarithmic scale, with the objective, the line as a mark or a bracket, and the loads at which the queue
// grew; below, over the same loads, the share of requests that met the objectives.

import { maximumOf, minimumOf } from '../../core/extremes.ts';
import { formatNanosecondsTick } from '../../core/figure/duration.ts';
import { formatTick } from '../../core/figure/figure.ts';
import type { StageLoad } from '../../core/sweep/stage.ts';
import type { LoadLine } from '../../core/sweep/sweep-document.ts';
import { inLoadOrder, loadOn, type PicturedStage } from '../sweep/pictured-stage.ts';
import { bracketOf, failsOf, holdsOf, type LineBracket, type LineMark, markOf } from './line-mark.ts';
import { type ChartPoint, smoothBand, smoothLine } from './smooth-path.ts';
import { valueAxis } from './value-axis.ts';

interface LineCurveOptions {
  readonly width: number;
  readonly stages: readonly PicturedStage[];
  readonly by: StageLoad['kind'];
  readonly line: LoadLine;
  readonly isLive: boolean;
  /** Objective of the series that the curve shows, ns; undefined if no objective limits it. */
  readonly limitNs: number | undefined;
  /** Whether the shares within the objectives are drawn below. */
  readonly hasShares: boolean;
  /** Stages of an earlier search, drawn in the background. */
  readonly earlier?: { readonly stages: readonly PicturedStage[]; readonly line: LoadLine } | undefined;
}

interface CurveDot {
  readonly stage: PicturedStage;
  readonly x: number;
  readonly y: number;
  /** From the median to p99. */
  readonly low: number;
  readonly high: number;
}

interface AttainmentBar {
  readonly stage: PicturedStage;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Per cent; '' if the label of a neighbour takes the space. */
  readonly label: string;
}

export interface CurveTick {
  readonly at: number;
  readonly label: string;
}

export interface LineCurve {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly floor: number;
  readonly isNarrow: boolean;
  readonly loads: readonly CurveTick[];
  readonly values: readonly CurveTick[];
  readonly bandTo99: string;
  readonly bandToPercentile: string;
  readonly median: string;
  readonly percentile: string;
  readonly dots: readonly CurveDot[];
  readonly objectiveY: number | undefined;
  readonly mark: LineMark | undefined;
  readonly bracket: LineBracket | undefined;
  /** From here on the queue grew, px. */
  readonly overFrom: number | undefined;
  /** End of the load that it carries, on the axis, px. */
  readonly waterTo: number | undefined;
  readonly earlier: { readonly percentile: string; readonly markX: number | undefined } | undefined;
  /** The area below, from 0 to 1. */
  readonly shares: { readonly top: number; readonly foot: number };
  readonly bars: readonly AttainmentBar[];
  /** The y of a share in the area below, px. */
  shareY(share: number): number;
}

/** Undefined until a stage has a figure to draw. */
export const lineCurve = (options: LineCurveOptions): LineCurve | undefined => {
  const { width, stages, by, line, isLive, limitNs, earlier, hasShares } = options;
  const shown = inLoadOrder(stages, by).flatMap(stage => placed(stage, by));
  const before = (earlier === undefined ? [] : inLoadOrder(earlier.stages, by)).flatMap(stage =>
    placed(stage, by),
  );
  const isNarrow = width < NARROW_PX;
  const [top, left, right] = [TOP_PX, LEFT_PX, width - (isNarrow ? 10 : 18)];
  const floor = (isNarrow ? NARROW_HEIGHT_PX : HEIGHT_PX) - FOOT_PX;
  const scale = logScale(
    [...shown.flatMap(({ curve }) => [curve.p50, curve.p99]), ...(limitNs === undefined ? [] : [limitNs])],
    TICK_PX / (floor - top),
  );
  if (scale === undefined || shown.length === 0) return undefined;
  const greatest = maximumOf([...shown.map(({ load }) => load), failsOf(line) ?? 0]);
  const axis = valueAxis(greatest * 1.05, isNarrow ? 5 : 9);
  const x = (load: number): number => left + axis.share(load) * (right - left);
  const y = (ns: number): number => floor - scale.share(ns) * (floor - top);
  const joined = lastOfEachLoad(shown.filter(({ stage }) => !NOT_JOINED.has(stage.standing)));
  const points = (of: (one: Placed) => number, some: readonly Placed[] = joined): readonly ChartPoint[] =>
    some.map(one => [x(one.load), y(of(one))]);
  const over = shown.filter(({ stage }) => stage.isOverCapacity).map(({ load }) => load);
  const objectiveY = limitNs === undefined ? undefined : y(limitNs);
  const shares = { top: floor + SHARES_GAP_PX, foot: floor + SHARES_GAP_PX + SHARES_PX };
  const shareY = (share: number): number => shares.foot - share * SHARES_PX;
  const holds = holdsOf(line);
  return {
    width,
    height: hasShares ? shares.foot + 6 : floor + FOOT_PX,
    left,
    right,
    top,
    floor,
    isNarrow,
    loads: axis.ticks.map(tick => ({ at: x(tick), label: formatTick(tick) })),
    values: scale.ticks.map(tick => ({ at: y(tick), label: formatNanosecondsTick(tick) })),
    bandTo99: smoothBand(
      points(({ curve }) => curve.atPercentile),
      points(({ curve }) => curve.p99),
    ),
    bandToPercentile: smoothBand(
      points(({ curve }) => curve.p50),
      points(({ curve }) => curve.atPercentile),
    ),
    median: smoothLine(points(({ curve }) => curve.p50)),
    percentile: smoothLine(points(({ curve }) => curve.atPercentile)),
    dots: shown.map(({ stage, load, curve }) => ({
      stage,
      x: x(load),
      y: y(curve.atPercentile),
      low: y(curve.p50),
      high: y(curve.p99),
    })),
    objectiveY,
    mark: markOf({ line, isLive, x, y: objectiveY ?? heldY(joined, holds, y) }),
    bracket: bracketOf(line, { x, objectiveY, left, right, floor }),
    overFrom: over.length === 0 ? undefined : x(minimumOf(over)),
    waterTo: holds === undefined ? undefined : x(holds),
    earlier:
      earlier === undefined
        ? undefined
        : earlierOf(
            points(({ curve }) => curve.atPercentile, before),
            holdsOf(earlier.line),
            x,
            axis.max,
          ),
    shares,
    bars: barsOf(shown, { x, shareY, foot: shares.foot, right, widest: isNarrow ? 5 : 10 }),
    shareY,
  };
};

interface Placed {
  readonly stage: PicturedStage;
  readonly load: number;
  readonly curve: NonNullable<PicturedStage['curve']>;
}

const placed = (stage: PicturedStage, by: StageLoad['kind']): readonly Placed[] => {
  const load = loadOn(stage, by);
  return load === undefined || stage.curve === undefined ? [] : [{ stage, load, curve: stage.curve }];
};

/** If a load was measured twice, the line joins the later figures; the dots show both. */
const lastOfEachLoad = (shown: readonly Placed[]): readonly Placed[] =>
  shown.filter(({ load }, index) => shown[index + 1]?.load !== load);

/** Without an objective the mark is at the percentile of the stage that held. */
const heldY = (
  joined: readonly Placed[],
  holds: number | undefined,
  y: (ns: number) => number,
): number | undefined => {
  const heldStage = joined.findLast(({ load }) => holds !== undefined && load <= holds) ?? joined[0];
  return heldStage === undefined ? undefined : y(heldStage.curve.atPercentile);
};

const earlierOf = (
  points: readonly ChartPoint[],
  holds: number | undefined,
  x: (load: number) => number,
  loadMax: number,
): LineCurve['earlier'] => ({
  percentile: smoothLine(points),
  markX: holds === undefined || holds > loadMax ? undefined : x(holds),
});

const barsOf = (
  shown: readonly Placed[],
  { x, shareY, foot, right, widest }: BarPosition,
): readonly AttainmentBar[] => {
  const known = shown.flatMap(({ stage, load }, index) => {
    const again = shown.slice(0, index).filter(one => one.load === load).length;
    return stage.attainment === undefined ? [] : [{ stage, load, again, share: stage.attainment }];
  });
  const loads = [...new Set(known.map(({ load }) => load))];
  const nearest = minimumOf(loads.slice(1).map((load, index) => x(load) - x(loads[index] ?? 0)));
  // Bars of close loads are narrow; two stages at one load are drawn next to each other.
  const width = Math.max(3, Math.min(widest, nearest - 2));
  const bars = known.map(({ stage, load, again, share }): AttainmentBar => {
    // A share of 0 is a figure too, and must be visible.
    const y = Math.min(shareY(share), foot - 1);
    const label = share < 1 ? formatPercentOf(share) : '';
    return { stage, x: x(load) - width / 2 + again * (width + 1), y, width, height: foot - y, label };
  });
  return bars.map((bar, index) => {
    const end = bar.x + bar.width + 8 + bar.label.length * SIGN_PX;
    const isRoom = end <= (bars[index + 1]?.x ?? right - TARGET_PX);
    return isRoom ? bar : { ...bar, label: '' };
  });
};

interface BarPosition {
  readonly x: (load: number) => number;
  readonly shareY: (share: number) => number;
  readonly foot: number;
  readonly right: number;
  readonly widest: number;
}

/** "98.7": one digit, and 100 only for all requests. */
export const formatPercentOf = (share: number): string => {
  const percent = share * 100;
  return percent === 100 || percent === 0 ? `${percent}` : Math.min(99.9, percent).toFixed(1);
};

/** Their figures do not describe the endpoint, or are incomplete. */
const NOT_JOINED: ReadonlySet<PicturedStage['standing']> = new Set([
  'client-bound',
  'stopped',
  'cut-off',
  'broken',
]);
const NARROW_PX = 560;
const TOP_PX = 30;
const LEFT_PX = 52;
const HEIGHT_PX = 484;
const NARROW_HEIGHT_PX = 330;
const FOOT_PX = 34;
const TICK_PX = 30;
const SHARES_GAP_PX = 46;
const SHARES_PX = 62;
/** Width of a character of a figure at 11 px, and of the target at the right end of the shares. */
const SIGN_PX = 5.6;
const TARGET_PX = 20;

// A logarithmic axis of values with ends at 1, 2 or 5 times a power of ten, so that it stays while figures come in.
interface LogScale {
  readonly low: number;
  readonly high: number;
  readonly ticks: readonly number[];
  /** From 0 at the low end to 1 at the high end; values beyond the ends stay at them. */
  share(value: number): number;
}

/** Around all values that are above 0; undefined without any. @param room between two ticks, as a share of the axis */
export const logScale = (values: readonly number[], room: number): LogScale | undefined => {
  const known = values.filter(value => value > 0 && Number.isFinite(value));
  if (known.length === 0) return undefined;
  const low = roundDown(minimumOf(known) * 0.85);
  const high = roundUp(maximumOf(known) * 1.1, low);
  const span = Math.log(high / low);
  const share = (value: number): number =>
    Math.min(1, Math.max(0, Math.log(Math.max(value, Number.MIN_VALUE) / low) / span));
  const ticks = STEP_SETS.map(steps => ticksBetween(low, high, steps)).find(some =>
    some.every((tick, index) => index === 0 || share(tick) - share(some[index - 1] ?? low) >= room),
  );
  return { low, high, share, ticks: ticks ?? [low, high] };
};

const ticksBetween = (low: number, high: number, steps: readonly number[]): readonly number[] => {
  const ticks: number[] = [];
  for (let exponent = Math.floor(Math.log10(low)); 10 ** exponent <= high * SLACK; exponent += 1)
    for (const step of steps) {
      const value = step * 10 ** exponent;
      if (value >= low / SLACK && value <= high * SLACK) ticks.push(value);
    }
  return ticks;
};

const roundDown = (value: number): number => {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * (STEPS.findLast(step => step * power <= value * SLACK) ?? 1);
};

/** At least one step above the low end. */
const roundUp = (value: number, low: number): number => {
  const wanted = Math.max(value, low * 2);
  const power = 10 ** Math.floor(Math.log10(wanted));
  return power * (STEPS.find(step => step * power * SLACK >= wanted) ?? 10);
};

const STEPS = [1, 2, 5] as const;
const STEP_SETS = [[1, 2, 5], [1, 3], [1]] as const;
/** Powers of ten are not exact below 1. */
const SLACK = 1 + 1e-9;
