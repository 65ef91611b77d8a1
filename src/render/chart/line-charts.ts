// Charts of load lines and sweeps as SVG, from the geometry that the page also draws: for reports and for
// files.

import { formatCount } from '../../core/figure/figure.ts';
import type { Sweep } from '../../core/sweep/sweep.ts';
import type { LoadLine } from '../../core/sweep/sweep-document.ts';
import {
  type CurveObjective,
  flowText,
  type LoadUnit,
  lineLoadText,
  loadAxis,
  loadMark,
  loadText,
  stageSentence,
} from '../sweep/line-text.ts';
import { inLoadOrder, type PicturedStage } from '../sweep/pictured-stage.ts';
import { type Markup, markup } from '../text/markup.ts';
import { formatPercentOf, type LineCurve, lineCurve } from './line-curve.ts';
import type { LineBracket, LineMark } from './line-mark.ts';
import { type ChartOptions, chartSvg } from './run-charts.ts';
import { flowScale, stageFlow } from './stage-flow.ts';
import { userSpeed } from './user-speed.ts';

interface LineChartInput {
  readonly sweep: LoadUnit & Pick<Sweep, 'attainment'>;
  readonly stages: readonly PicturedStage[];
  readonly line: LoadLine;
  readonly isLive: boolean;
  readonly objective: CurveObjective | undefined;
  /** What the shares at the bottom mean: "within 500 ms"; '' if no request has an objective. */
  readonly within: string;
}

type Frame = Omit<ChartOptions, 'height'>;

/**
 * Percentiles over the load with the mark and the bracket, and below them the shares within the objectives.
 */
export const lineCurveChart = (input: LineChartInput, frame: Frame): Markup | undefined => {
  const { sweep, stages, line, isLive, objective, within } = input;
  const { by } = sweep;
  const curve = lineCurve({
    width: frame.width,
    stages,
    by,
    line,
    isLive,
    limitNs: objective?.limitNs,
    earlier: undefined,
    hasShares: within !== '',
  });
  if (curve === undefined) return undefined;
  const { left, right, top, floor, mark, bracket, overFrom, waterTo } = curve;
  return chartSvg(
    { ...frame, height: curve.height },
    markup`<defs><pattern id="over" width="9" height="9" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path class="hatch" d="M0 0V9"/></pattern></defs>
<path class="band-99" d="${curve.bandTo99}"/><path class="band-90" d="${curve.bandToPercentile}"/>${
      overFrom === undefined
        ? undefined
        : markup`<rect x="${overFrom}" y="${top}" width="${Math.max(0, right - overFrom)}" height="${floor - top}" fill="url(#over)"/><path class="over" d="M${overFrom} ${top}V${floor}"/>`
    }${curve.values.map(
      ({ at, label }) =>
        markup`<path class="grid" d="M${left} ${at}H${right}"/><text class="tick" x="${left - 8}" y="${at + 4}" text-anchor="end">${label}</text>`,
    )}<path class="middle" d="${curve.median}"/><path class="waterline" d="${curve.percentile}"/>${
      waterTo === undefined
        ? undefined
        : markup`<rect class="water" x="${left}" y="${floor - 9}" width="${Math.max(0, waterTo - left)}" height="9"/><path class="waterline" d="M${left} ${floor - 9}H${waterTo}"/><text class="say water-text" x="${left + 6}" y="${floor - 13}">${loadAxis(sweep)} it carries</text>`
    }<path class="axis" d="M${left} ${floor}H${right}"/>${curve.loads.map(
      ({ at, label }, index) =>
        markup`<path class="axis" d="M${at} ${floor}v5"/><text class="tick" x="${at}" y="${floor + 18}" text-anchor="${index === 0 ? 'start' : 'middle'}">${label}${index === curve.loads.length - 1 && by === 'rate' ? ' /s' : ''}</text>`,
    )}${
      curve.objectiveY === undefined || objective === undefined
        ? undefined
        : markup`<path class="limit" d="M${left} ${curve.objectiveY}H${right}"/><text class="say" x="${left + 8}" y="${curve.objectiveY - 7}">objective: <tspan class="value">${objective.label}</tspan></text>`
    }${bracket === undefined || line.kind !== 'bracket' ? undefined : bracketDrawn(bracket, line, { unit: sweep, ...curve })}${
      overFrom !== undefined && right - overFrom > 60
        ? markup`<text class="say failed" x="${right - 10}" y="${floor - 14}" text-anchor="end">over capacity: the queue grows</text>`
        : undefined
    }${mark === undefined ? undefined : markDrawn(mark)}${
      within === '' ? undefined : sharesDrawn(curve, { within, attainment: sweep.attainment })
    }${curve.dots.map(
      ({ stage, x, y, low, high }) =>
        markup`<g><title>${stageSentence(stage, by)}</title><path class="whisker" d="M${x} ${low}V${high}"/><circle class="dot ${stage.standing}" cx="${x}" cy="${y}" r="5"/></g>`,
    )}`,
  );
};

const bracketDrawn = (
  { from, to, y, isStacked }: LineBracket,
  { holds, fails }: Extract<LoadLine, { readonly kind: 'bracket' }>,
  { unit, left, right, floor }: Pick<LineCurve, 'left' | 'right' | 'floor'> & { readonly unit: LoadUnit },
): Markup => {
  const isLeft = isStacked && from - left < NEXT_TO_PX;
  const isRight = isStacked && right - to < NEXT_TO_PX;
  return markup`<path class="limit" d="M${from} ${y + 7}v-7H${to}v7"/><path class="foot" d="M${from} ${y + 7}V${floor}M${to} ${y + 7}V${floor}"/>
<text class="say" x="${isStacked ? from + 4 : from - 7}" y="${y + 21}" text-anchor="${isLeft ? 'start' : 'end'}"><tspan class="value">held</tspan> ${lineLoadText(holds, unit)}</text>
<text class="say" x="${isRight ? to : to + 7}" y="${y + (isStacked ? 37 : 21)}" text-anchor="${isRight ? 'end' : 'start'}"><tspan class="failed">failed</tspan> ${lineLoadText(fails, unit)}</text>`;
};

const markDrawn = ({ x, y, isDashed, arrow }: LineMark): Markup =>
  markup`<g class="mark${isDashed ? ' dashed' : ''}"><circle cx="${x}" cy="${y}" r="13"/><path d="M${x - 28} ${y}h56"/>${
    arrow === 'right'
      ? markup`<path d="M${x + 24} ${y - 6}l9 6l-9 6"/>`
      : arrow === 'left'
        ? markup`<path d="M${x - 24} ${y - 6}l-9 6l9 6"/>`
        : undefined
  }</g>`;

const sharesDrawn = (
  { left, right, shares, bars, shareY }: LineCurve,
  { within, attainment }: { readonly within: string; readonly attainment: number },
): Markup =>
  markup`<text class="say" x="${left}" y="${shares.top - 8}">Requests ${within}</text>${[0, 0.5, 1].map(
    share =>
      markup`<path class="grid" d="M${left} ${shareY(share)}H${right}"/><text class="tick" x="${left - 8}" y="${shareY(share) + 4}" text-anchor="end">${String(share * 100)}${share === 1 ? ' %' : ''}</text>`,
  )}${bars.map(
    ({ stage, x, y, width, height, label }) =>
      markup`<rect class="share ${stage.standing}" x="${x}" y="${y}" width="${width}" height="${height}"/>${label === '' ? undefined : markup`<text class="tick" x="${x + width + 3}" y="${Math.min(y + 11, shares.foot - 3)}">${label}</text>`}`,
  )}<path class="limit" d="M${left} ${shareY(attainment)}H${right - 22}"/><text class="value tick" x="${right}" y="${shareY(attainment) + 4}" text-anchor="end">${formatPercentOf(attainment).replace('.0', '')}</text><path class="axis" d="M${left} ${shares.foot}H${right}"/>`;

/** Requests in flight of each stage over its own time, by load, all on one scale. */
export const stageFlowChart = (
  stages: readonly PicturedStage[],
  by: Sweep['by'],
  frame: Frame,
): Markup | undefined => {
  const shown = inLoadOrder(stages, by).filter(({ timeline }) => timeline !== undefined);
  if (shown.length === 0) return undefined;
  const most = flowScale(shown);
  // Rows of nearly equal length: a single chart below a full row looks like a different kind.
  const rows = Math.ceil(shown.length / Math.max(1, Math.floor(frame.width / FLOW_PX)));
  const columns = Math.ceil(shown.length / rows);
  const size = { width: frame.width / columns - FLOW_GAP_PX, height: FLOW_HEIGHT_PX, most };
  return chartSvg(
    { ...frame, height: rows * FLOW_ROW_PX },
    markup`${shown.map((stage, index) => {
      const flow = stageFlow(stage, size);
      const [x, y] = [
        (index % columns) * (size.width + FLOW_GAP_PX),
        Math.floor(index / columns) * FLOW_ROW_PX,
      ];
      return markup`<g transform="translate(${x} ${y})">${
        flow === undefined
          ? undefined
          : markup`<path class="water" d="${flow.area}"/><path class="waterline" d="${flow.line}"/>${flow.queue === '' ? undefined : markup`<path class="brass" d="${flow.queue}"/>`}`
      }<path class="axis" d="M0 ${FLOW_HEIGHT_PX - 2}H${size.width}"/><text class="value" x="0" y="${FLOW_HEIGHT_PX + 13}">${loadText(stage.load)}</text><text class="tick${stage.standing === 'failed' ? ' failed' : ''}" x="0" y="${FLOW_HEIGHT_PX + 27}">${flowText(stage)}</text></g>`;
    })}<text class="tick" x="${frame.width}" y="9" text-anchor="end">scale to ${formatCount(most)}</text>`,
  );
};

/** Tokens per second of all users against those of one. */
export const userSpeedChart = (
  stages: readonly PicturedStage[],
  atLine: number | undefined,
  frame: Frame,
  gpus = 1,
): Markup | undefined => {
  const chart = userSpeed({ width: frame.width, stages, gpus, atLine });
  if (chart === undefined) return undefined;
  const { left, floor, width, mark } = chart;
  return chartSvg(
    { ...frame, height: chart.height + 4 },
    markup`${chart.totals.map(
      ({ at, label }) =>
        markup`<path class="grid" d="M${left} ${at}H${width - 8}"/><text class="tick" x="${left - 8}" y="${at + 4}" text-anchor="end">${label}</text>`,
    )}${chart.speeds.map(
      ({ at, label }) =>
        markup`<path class="axis" d="M${at} ${floor}v4"/><text class="tick" x="${at}" y="${floor + 16}" text-anchor="middle">${label}</text>`,
    )}<path class="axis" d="M${left} ${floor}H${width - 8}"/><path class="middle" d="${chart.frontier}"/><path class="foot" d="${chart.rest}"/>${chart.points.map(
      ({ stage, x, y, gainsNothing, label }) =>
        markup`<circle class="dot ${gainsNothing ? 'undecided' : 'held'}" cx="${x}" cy="${y}" r="3.4"/>${
          label === 'none'
            ? undefined
            : markup`<text class="tick" x="${x + (label === 'beside' ? 8 : 0)}" y="${y + (label === 'beside' ? 4 : -9)}" text-anchor="${label === 'beside' ? 'start' : 'middle'}">${loadMark(stage.load)}</text>`
        }`,
    )}${
      mark === undefined
        ? undefined
        : markup`<g class="mark thin"><circle cx="${mark[0]}" cy="${mark[1]}" r="7"/><path d="M${mark[0] - 14} ${mark[1]}h28"/></g><text class="say" x="${mark[0] - 18}" y="${mark[1] + 20}" text-anchor="end"><tspan class="value">load line</tspan></text>`
    }<text class="tick" x="${width - 8}" y="${chart.height + 1}" text-anchor="end">tok/s for one user</text><text class="tick" x="0" y="8">tok/s, all users${gpus > 1 ? ' per GPU' : ''}</text>`,
  );
};

/** Width of a label next to the bracket. */
const NEXT_TO_PX = 92;
const FLOW_PX = 76;
const FLOW_GAP_PX = 8;
const FLOW_HEIGHT_PX = 64;
const FLOW_ROW_PX = 102;
