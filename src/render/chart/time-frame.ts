// The frame of every chart over time: a grid with round values at the left, a second scale at the right if
// needed, and below it the time since the run started.

import { maximumOf } from '../../core/extremes.ts';
import { formatClock } from '../../core/figure/duration.ts';
import { outageLead, outageText } from '../../core/run/failure-text.ts';
import type { Outage } from '../../core/run/outage.ts';
import { type Markup, markup } from '../text/markup.ts';
import type { PathScale } from './series-path.ts';
import { timeTicks, type ValueAxis, valueAxis } from './value-axis.ts';

export interface ChartSize {
  readonly width: number;
  readonly height: number;
}

/** One scale of a chart: its greatest value, and how its ticks are written. */
interface ChartScale {
  readonly greatest: number;
  readonly format: (value: number) => string;
  /** CSS class of its labels: "water-text". */
  readonly ink?: string;
}

interface TimeFrameOptions extends ChartSize {
  readonly points: number;
  readonly stepMs: number;
  /** When the server was down. */
  readonly outages?: readonly Outage[] | undefined;
  readonly left: ChartScale;
  readonly right?: ChartScale | undefined;
  /** Height of a legend, px. */
  readonly head: number;
}

interface TimeFrame {
  readonly drawn: Markup;
  readonly left: PathScale;
  readonly right: PathScale;
  /** Where the grid starts and ends, px. */
  readonly edges: {
    readonly left: number;
    readonly right: number;
    readonly top: number;
    readonly foot: number;
  };
}

export const timeFrame = (options: TimeFrameOptions): TimeFrame => {
  const { width, height, points, stepMs, head } = options;
  const foot = height - FOOT;
  const steps = Math.max(2, Math.round((foot - head) / STEP_PX));
  const leftAxis = valueAxis(options.left.greatest, steps);
  const rightAxis = options.right === undefined ? undefined : valueAxis(options.right.greatest, steps);
  const edges = {
    left: labelRoom(leftAxis, options.left),
    right: width - (options.right === undefined ? 6 : labelRoom(rightAxis, options.right)),
    top: head,
    foot,
  };
  const untilMs = points * stepMs;
  const across = (ms: number): number => edges.left + (ms / untilMs) * (edges.right - edges.left);
  const scaleOf = (axis: ValueAxis): PathScale => ({
    x: index => across((index + 0.5) * stepMs),
    y: value => foot - axis.share(value) * (foot - head),
  });
  const left = scaleOf(leftAxis);
  const right = rightAxis === undefined ? left : scaleOf(rightAxis);
  const times = timeTicks(untilMs, Math.max(2, Math.floor((edges.right - edges.left) / TIME_PX)));
  const labels = (axis: ValueAxis, { format, ink = '' }: ChartScale, x: number, anchor: string): Markup =>
    markup`${axis.ticks.map(
      tick =>
        markup`<text class="tick ${ink}" x="${x}" y="${foot - axis.share(tick) * (foot - head) + 4}" text-anchor="${anchor}">${format(tick)}</text>`,
    )}`;
  return {
    left,
    right,
    edges,
    drawn: markup`${(options.outages ?? []).map(outage => {
      const [from, to] = [outage.fromNs, outage.toNs].map(ns => across(Math.min(ns / 1e6, untilMs)));
      return from === undefined || to === undefined
        ? undefined
        : markup`<rect class="outage" x="${from}" y="${head}" width="${Math.max(OUTAGE_PX, to - from)}" height="${foot - head}"><title>${outageLead([outage])} ${outageText([outage])}</title></rect>`;
    })}${leftAxis.ticks.map(
      (tick, index) =>
        markup`<path class="${index === 0 ? 'axis' : 'grid'}" d="M${edges.left} ${left.y(tick)}H${edges.right}"/>`,
    )}${labels(leftAxis, options.left, edges.left - 8, 'end')}${
      rightAxis === undefined || options.right === undefined
        ? undefined
        : labels(rightAxis, options.right, edges.right + 8, 'start')
    }${times.map(
      ms =>
        markup`<text class="tick" x="${across(ms)}" y="${height - 5}" text-anchor="${timeAnchor(ms, untilMs)}">${formatClock(ms)}</text>`,
    )}`,
  };
};

/** Text that would cross an edge of the chart starts or ends at the edge. */
const timeAnchor = (ms: number, untilMs: number): string => {
  if (ms === 0) return 'start';
  return ms > untilMs * 0.98 ? 'end' : 'middle';
};

const labelRoom = (axis: ValueAxis | undefined, { format }: ChartScale): number =>
  14 + SIGN_PX * maximumOf((axis?.ticks ?? []).map(tick => format(tick).length));

/** Minimum width of an outage, however short, px. */
const OUTAGE_PX = 2;
/** Height below the grid, for the times, px. */
const FOOT = 22;
/** Between two values and between two times, px; width of one character of 11 px in a condensed face. */
const STEP_PX = 40;
const TIME_PX = 76;
const SIGN_PX = 5.4;
