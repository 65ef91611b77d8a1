// Requests as lanes over time: a line for each phase of each, one path for all lines of a phase, so that two thousand requests
// stay a small file and a page draws six shapes.

import { maximumOf } from '../../core/extremes.ts';
import { formatClock, formatMeasuredNanoseconds } from '../../core/figure/duration.ts';
import { counted, type Figure, figureText, formatCount, formatPercent } from '../../core/figure/figure.ts';
import {
  LANE_PHASES,
  type LanePhase,
  type LaneSpan,
  laneSpan,
  type PhaseTotal,
  phaseLabel,
  phaseTotals,
  type RequestColumns,
  type RequestLanes,
  requestLanes,
} from '../../core/run/request-lanes.ts';
import type { SectionTable } from '../section.ts';
import { type Markup, markup } from '../text/markup.ts';
import { LANE_LOOKS } from './chart-look.ts';
import { linearScale } from './linear-scale.ts';
import { type ChartOptions, chartSvg } from './run-charts.ts';
import type { ChartSize } from './time-frame.ts';
import { timeTicks } from './value-axis.ts';

interface LaneDrawing {
  readonly lanes: RequestLanes;
  /** Height of a lane with its gap, px. */
  readonly pitch: number;
  /** One for each phase that is there, in the order in which they are drawn. */
  readonly paths: readonly { readonly phase: LanePhase; readonly d: string; readonly thickness: number }[];
  readonly ticks: readonly { readonly x: number; readonly label: string }[];
}

/** The lanes of the span in a box of this size, from its upper left corner; the times are to be written below it. */
export const laneDrawing = (
  columns: RequestColumns,
  span: LaneSpan,
  { width, height }: ChartSize,
): LaneDrawing => {
  const lanes = requestLanes(columns, span);
  const pitch = Math.min(LANE_PX, height / Math.max(1, lanes.laneCount));
  const ticksMax = Math.max(2, Math.floor(width / TICK_PX));
  const { at, ticks } = linearScale([span.fromMs, span.toMs], [0, width], ticksMax);
  const lines = new Map<LanePhase, LaneLine[]>(LANE_PHASES.map(({ phase }) => [phase, []]));
  for (const { lane, parts } of lanes.requests) {
    for (const { phase, fromMs, toMs } of parts) {
      if (toMs < span.fromMs || fromMs > span.toMs) continue;
      const from = tenth(at(fromMs));
      // What went wrong is visible however short it was, and however many lanes there are.
      const length = Math.max(tenth(at(toMs) - from), isUnsuccessful(phase) ? 1 : 0);
      if (length > 0) lines.get(phase)?.push({ lane, from, length });
    }
  }
  return {
    lanes,
    pitch,
    paths: [...lines].flatMap(([phase, drawn]) =>
      drawn.length === 0
        ? []
        : [
            {
              phase,
              d: pathOf(drawn, pitch),
              thickness: tenth(Math.max(isUnsuccessful(phase) ? 1.5 : 0.5, pitch * LANE_LOOKS[phase].share)),
            },
          ],
    ),
    ticks: laneTicks(span, ticks, ticksMax).map(({ ms, label }) => ({ x: at(ms), label })),
  };
};

/** undefined if there is nothing to draw. */
export const laneChart = (
  columns: RequestColumns,
  options: ChartOptions & { readonly isStreaming: boolean },
): Markup | undefined => {
  const span = laneSpan(columns);
  if (span === undefined) return undefined;
  const { width, height } = options;
  const { paths, ticks } = laneDrawing(columns, span, { width, height: height - HEAD - FOOT });
  const foot = height - FOOT;
  let keyAt = 0;
  const key = paths.map(({ phase }) => {
    const label = phaseLabel(phase, options);
    const x = keyAt;
    keyAt += KEY_PX + label.length * LETTER_PX;
    return markup`<path class="lane-${phase}" stroke-width="${LANE_PX * LANE_LOOKS[phase].share}" d="M${x} 7h16"/><text class="tick" x="${x + 21}" y="11">${label}</text>`;
  });
  return chartSvg(
    options,
    markup`${key}<g transform="translate(0 ${HEAD})">${paths.map(
      ({ phase, d, thickness }) => markup`<path class="lane-${phase}" stroke-width="${thickness}" d="${d}"/>`,
    )}</g><path class="axis" d="M0 ${foot}H${width}"/>${ticks.map(
      ({ x, label }) =>
        markup`<path class="axis" d="M${x} ${foot}v4"/><text class="tick" x="${Math.min(Math.max(x, 16), width - 16)}" y="${height - 5}" text-anchor="middle">${label}</text>`,
    )}`,
  );
};

export const LANE_TITLE = 'Where did the time go';

/** The chart's accessible name: "Requests as lanes: of 12.4 s, 61 % prefill, 39 % decode". */
export const laneSentence = (columns: RequestColumns, isStreaming: boolean): string => {
  const totals = phaseTotals(columns);
  return `Requests as lanes: of ${figureText(timeFigure(sumOf(totals)))} in ${counted(columns.dueMs.length, 'request')}, ${totals
    .map(total => `${shareText(total, totals)} ${phaseLabel(total.phase, { isStreaming })}`)
    .join(', ')}`;
};

/** The equivalent table of the chart, with a row for each phase that any request had. */
export const laneTable = (columns: RequestColumns, isStreaming: boolean): SectionTable => {
  const totals = phaseTotals(columns);
  return {
    name: `${LANE_TITLE}, by phase`,
    columns: ['phase', 'requests', 'share of their time', 'mean', 'longest'],
    rows: totals.map(total => [
      phaseLabel(total.phase, { isStreaming }),
      formatCount(total.requests),
      shareText(total, totals),
      timeFigure(total.totalMs / total.requests),
      timeFigure(total.longestMs),
    ]),
  };
};

/** "the first 2,000 of 48,211 measured requests"; how many are not shown is never left out. */
export const laneRemark = ({ dueMs, more }: RequestColumns): string =>
  more === 0
    ? counted(dueMs.length, 'measured request')
    : `the first ${formatCount(dueMs.length)} of ${counted(dueMs.length + more, 'measured request')}`;

/** '' if no mean is shown. */
export const laneQueueRemark = ({ queueMs = [] }: RequestColumns): string =>
  queueMs.every(ms => ms === null)
    ? ''
    : "The time in the queue is a mean: by the server's own metrics, of all requests that it counted while each of these ran.";

interface LaneTick {
  readonly ms: number;
  readonly label: string;
}

interface LaneLine {
  readonly lane: number;
  /** px, both. */
  readonly from: number;
  readonly length: number;
}

/** Lane by lane, because a relative move within a lane is short. */
const pathOf = (lines: readonly LaneLine[], pitch: number): string => {
  let last: { readonly lane: number; readonly x: number } | undefined;
  return lines
    .toSorted((one, other) => one.lane - other.lane || one.from - other.from)
    .map(({ lane, from, length }) => {
      const move =
        last !== undefined && last.lane === lane
          ? `m${tenth(from - last.x)} 0`
          : `M${from} ${tenth((lane + 0.5) * pitch)}`;
      last = { lane, x: from + length };
      return `${move}h${length}`;
    })
    .join('');
};

const isUnsuccessful = (phase: LanePhase): boolean => phase === 'failed' || phase === 'cancelled';

/** As in the other charts over time; below a second, seconds with as many decimals as differ. */
const laneTicks = (
  { fromMs, toMs }: LaneSpan,
  fine: readonly number[],
  ticksMax: number,
): readonly LaneTick[] => {
  if (toMs - fromMs >= ticksMax * 1_000)
    return timeTicks(toMs, ticksMax, fromMs).map(ms => ({ ms, label: formatClock(ms) }));
  const decimals = maximumOf([0, ...fine.map(ms => String(ms / 1_000).split('.')[1]?.length ?? 0)]);
  return fine.map(ms => ({ ms, label: `${(ms / 1_000).toFixed(decimals)}\u00a0s` }));
};

const sumOf = (totals: readonly PhaseTotal[]): number =>
  totals.reduce((sum, { totalMs }) => sum + totalMs, 0);

const shareText = ({ totalMs }: PhaseTotal, totals: readonly PhaseTotal[]): string =>
  figureText(formatPercent(totalMs / Math.max(1e-9, sumOf(totals))));

const timeFigure = (ms: number): Figure => formatMeasuredNanoseconds(Math.round(ms * 1e6));

/** A tenth of a pixel is finer than visible, and two thousand requests stay below 128 KiB. */
const tenth = (value: number): number => Math.round(value * 10) / 10;

/** px: of a lane at most; between two times; of a sign of the legend with its gaps, and of a letter of 11 px; above and below. */
const LANE_PX = 10;
const TICK_PX = 76;
const KEY_PX = 36;
const LETTER_PX = 5.4;
const HEAD = 24;
const FOOT = 22;
