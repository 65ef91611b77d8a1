// Charts of a run as SVG, made of values alone: the same in a report, in a file that a page saves, and in a
// test.

import { maximumOf } from '../../core/extremes.ts';
import {
  formatClock,
  formatNanosecondsTick,
  measuredTimeText,
  nanosecondsTicks,
} from '../../core/figure/duration.ts';
import { figureText, formatCount, formatTick, formatWatts } from '../../core/figure/figure.ts';
import type { EnergyScope } from '../../core/run/energy.ts';
import type { Outage } from '../../core/run/outage.ts';
import { type Markup, markup } from '../text/markup.ts';
import { type Bucket, bars, filledBuckets, labelRows, logAxis, logTicks } from './log-histogram.ts';
import { columnArea, columnBand, columnLine, type PathColumn } from './series-path.ts';
import { type ChartSize, timeFrame } from './time-frame.ts';

/** What is drawn of a run over time; all columns have equal length. */
export interface RunColumns {
  readonly stepMs: number;
  readonly percentilesNs: Readonly<Record<'1' | '10' | '25' | '50' | '75' | '90' | '99', PathColumn>>;
  readonly outputTokensPerSecond: PathColumn;
  readonly requestsPerSecond: PathColumn;
  readonly inFlight: PathColumn;
  readonly failed: PathColumn;
  /** When the server was down; shaded. */
  readonly outages?: readonly Outage[];
  /** What the server reports, for all its clients. */
  readonly server?: Readonly<Record<'running' | 'waiting' | 'kvUsage', PathColumn>>;
  /** Power of the node on which the server runs, watts. */
  readonly power?: Readonly<Record<EnergyScope, PathColumn>>;
}

export interface ChartOptions extends ChartSize {
  /** The chart's accessible name, one sentence. */
  readonly name: string;
  /** Rules of a chart that is a file of its own. */
  readonly style?: Markup | undefined;
}

export interface ChartLimit {
  readonly limitNs: number;
  readonly label: string;
}

/** An SVG chart with its name, its rules if it is a file of its own, and its drawing. */
export const chartSvg = ({ width, height, name, style }: ChartOptions, drawn: Markup): Markup =>
  markup`<svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${name}">${style}${drawn}</svg>`;

/** Percentile bands, the median in ink over them; undefined if fewer than two points have a value. */
export const percentileBands = (
  { stepMs, outages, percentilesNs: of }: RunColumns,
  limits: readonly ChartLimit[],
  options: ChartOptions,
): Markup | undefined => {
  if (!isDrawable(of['50'])) return undefined;
  const greatest = maximumOf([...knownOf(of['99']), ...limits.map(({ limitNs }) => limitNs)]);
  const frame = timeFrame({
    ...options,
    points: of['50'].length,
    stepMs,
    outages,
    head: 26,
    left: { greatest, format: formatNanosecondsTick },
  });
  const { left: scale, edges } = frame;
  const key = BANDS.map(
    ({ className, label }, index) =>
      markup`<rect class="${className}" x="${edges.left + index * 62}" y="2" width="16" height="10"/><text class="tick" x="${edges.left + index * 62 + 21}" y="11">${label}</text>`,
  );
  return chartSvg(
    options,
    markup`${frame.drawn}
<path class="band-99" d="${columnBand(of['1'], of['99'], scale)}"/>
<path class="band-90" d="${columnBand(of['10'], of['90'], scale)}"/>
<path class="band-75" d="${columnBand(of['25'], of['75'], scale)}"/>
<path class="middle" d="${columnLine(of['50'], scale)}"/>
${key}<path class="middle" d="M${edges.left + 190} 7h16"/><text class="tick" x="${edges.left + 211}" y="11">p50</text>${limits.map(({ limitNs, label }) => limitLine(scale.y(limitNs), label, edges))}`,
  );
};

/**
 * Bars over a logarithmic axis with the percentiles that may be reported; undefined if there is nothing to
 * draw.
 */
export const distribution = (
  {
    buckets,
    percentiles,
    limitNs,
  }: {
    readonly buckets: readonly Bucket[];
    readonly percentiles: Readonly<Record<string, number>>;
    readonly limitNs?: number | undefined;
  },
  options: ChartOptions,
): Markup | undefined => {
  const filled = filledBuckets(buckets);
  const { width, height } = options;
  const axis = logAxis(filled, width);
  if (axis === undefined) return undefined;
  const lines = Object.entries(percentiles).flatMap(([name, value]) =>
    value < axis.low || value > axis.high ? [] : [{ name, value, x: axis.at(value) }],
  );
  const labels = labelRows(
    lines.map(({ x }) => Math.min(Math.max(x, LABEL_PX / 2), width - LABEL_PX / 2)),
    LABEL_PX,
  );
  const top = ROW_PX * maximumOf([1, ...labels.map(({ row }) => row + 1)]) + 4;
  const foot = height - 22;
  return chartSvg(
    options,
    markup`${bars(filled, axis, { width, height: foot - top }).map(
      ({ low, high, count, ...box }) =>
        markup`<rect class="bar${limitNs !== undefined && low >= limitNs ? ' over' : ''}" x="${box.x}" y="${top + box.y}" width="${box.width}" height="${box.height}"><title>${measuredTimeText(low)} to ${measuredTimeText(high)}: ${formatCount(count)}</title></rect>`,
    )}<path class="axis" d="M0 ${foot}H${width}"/>${logTicks(axis, 56).map(
      (tick, index, ticks) =>
        markup`<path class="axis" d="M${axis.at(tick)} ${foot}v4"/><text class="tick" x="${Math.min(Math.max(axis.at(tick), 16), width - 16)}" y="${height - 5}" text-anchor="middle">${nanosecondsTicks(ticks)[index] ?? ''}</text>`,
    )}${lines.map(
      ({ x }, index) =>
        markup`<path class="limit" d="M${x} ${foot}V${top - 2 - ROW_PX * (labels[index]?.row ?? 0)}"/>`,
    )}${lines.map(
      ({ name, value, x }, index) =>
        markup`<text class="say" x="${labels[index]?.x ?? x}" y="${top - 5 - ROW_PX * (labels[index]?.row ?? 0)}" text-anchor="middle"><tspan class="value">${measuredTimeText(value)}</tspan> p${name}</text>`,
    )}`,
  );
};

/** Tokens per second as an area, requests in flight as a line with its own scale at the right. */
export const outputOverTime = (columns: RunColumns, options: ChartOptions): Markup | undefined => {
  const { outputTokensPerSecond: tokens, inFlight, stepMs, outages } = columns;
  if (!isDrawable(tokens) && !isDrawable(inFlight)) return undefined;
  const frame = timeFrame({
    ...options,
    points: Math.max(tokens.length, inFlight.length),
    stepMs,
    outages,
    head: 24,
    left: { greatest: maximumOf([...knownOf(tokens), 0]), format: thousandsTick, ink: 'water-text' },
    right: { greatest: maximumOf([...knownOf(inFlight), 1]), format: thousandsTick, ink: 'brass-text' },
  });
  const { left, right, edges } = frame;
  return chartSvg(
    options,
    markup`<path class="water" d="${columnArea(tokens, left)}"/><path class="waterline" d="${columnLine(tokens, left)}"/>${frame.drawn}
<path class="brass" d="${columnLine(inFlight, right)}"/>
<text class="tick water-text" x="0" y="11">tok/s</text><text class="tick brass-text" x="${options.width}" y="11" text-anchor="end">in flight, peak ${formatCount(maximumOf([0, ...knownOf(inFlight)]))}</text>
<path class="axis" d="M${edges.left} ${edges.foot}H${edges.right}"/>`,
  );
};

/**
 * What the server reports: running and waiting requests, and the usage of its KV cache with its own scale at
 * the right.
 */
export const serverOverTime = (
  { server, stepMs, outages }: Pick<RunColumns, 'server' | 'stepMs' | 'outages'>,
  options: ChartOptions,
): Markup | undefined => {
  if (server === undefined || !isServerDrawable(server)) return undefined;
  const { running, waiting, kvUsage } = server;
  const percent = kvUsage.map(share => (share === null ? null : share * 100));
  const hasCache = isDrawable(percent);
  const frame = timeFrame({
    ...options,
    points: running.length,
    stepMs,
    outages,
    head: 24,
    left: { greatest: maximumOf([...knownOf(running), ...knownOf(waiting), 1]), format: thousandsTick },
    ...(hasCache ? { right: { greatest: 100, format: thousandsTick, ink: 'brass-text' } } : {}),
  });
  const { left, right, edges } = frame;
  return chartSvg(
    options,
    markup`<path class="water" d="${columnArea(running, left)}"/><path class="waterline" d="${columnLine(running, left)}"/>${frame.drawn}
<path class="middle" d="${columnLine(waiting, left)}"/>${hasCache ? markup`<path class="brass" d="${columnLine(percent, right)}"/>` : undefined}
<text class="tick water-text" x="0" y="11">running</text><text class="tick" x="60" y="11">waiting (dark), peak ${formatCount(maximumOf([0, ...knownOf(waiting)]))}</text>${hasCache ? markup`<text class="tick brass-text" x="${options.width}" y="11" text-anchor="end">KV cache used, %</text>` : undefined}
<path class="axis" d="M${edges.left} ${edges.foot}H${edges.right}"/>`,
  );
};

export const isServerDrawable = (server: NonNullable<RunColumns['server']>): boolean =>
  isDrawable(server.running) || isDrawable(server.waiting);

/** Tokens per second as an area, the node's power as a line with its own scale at the right. */
export const powerOverTime = (
  columns: Pick<RunColumns, 'power' | 'outputTokensPerSecond' | 'stepMs' | 'outages'>,
  options: ChartOptions,
): Markup | undefined => {
  const { outputTokensPerSecond: tokens, stepMs, outages } = columns;
  const power = columns.power && drawablePower(columns.power);
  if (power === undefined) return undefined;
  const most = maximumOf([...knownOf(power.column), 1]);
  const frame = timeFrame({
    ...options,
    points: Math.max(tokens.length, power.column.length),
    stepMs,
    outages,
    head: 24,
    left: { greatest: maximumOf([...knownOf(tokens), 0]), format: thousandsTick, ink: 'water-text' },
    right: { greatest: most, format: thousandsTick, ink: 'brass-text' },
  });
  const { left, right, edges } = frame;
  return chartSvg(
    options,
    markup`<path class="water" d="${columnArea(tokens, left)}"/><path class="waterline" d="${columnLine(tokens, left)}"/>${frame.drawn}
<path class="brass" d="${columnLine(power.column, right)}"/>
<text class="tick water-text" x="0" y="11">tok/s</text><text class="tick brass-text" x="${options.width}" y="11" text-anchor="end">W of ${power.label}, peak ${figureText(formatWatts(most))}</text>
<path class="axis" d="M${edges.left} ${edges.foot}H${edges.right}"/>`,
  );
};

/** The reported power whose scope is nearest to the model. */
export const drawablePower = (
  power: NonNullable<RunColumns['power']>,
): { readonly label: string; readonly column: PathColumn } | undefined =>
  [
    { label: 'its GPUs', column: power.gpu },
    { label: 'the whole machine', column: power.machine },
    { label: 'its processors', column: power.processor },
  ].find(({ column }) => isDrawable(column));

/** Completed requests per second; marks below the axis where some failed. */
export const requestsOverTime = (columns: RunColumns, options: ChartOptions): Markup | undefined => {
  const { requestsPerSecond: requests, failed, stepMs, outages } = columns;
  if (!isDrawable(requests)) return undefined;
  const frame = timeFrame({
    ...options,
    points: requests.length,
    stepMs,
    outages,
    head: 24,
    left: { greatest: maximumOf([...knownOf(requests), 0]), format: thousandsTick },
  });
  const { left: scale, edges } = frame;
  const failures = failed.reduce<number>((sum, count) => sum + (count ?? 0), 0);
  return chartSvg(
    options,
    markup`${frame.drawn}<path class="waterline" d="${columnLine(requests, scale)}"/>${failed.flatMap(
      (count, index) =>
        count === null || count === 0
          ? []
          : [
              markup`<path class="fault" d="M${scale.x(index)} ${edges.foot - 7}l3.5 6h-7Z"><title>${formatCount(count)} failed until ${formatClock((index + 1) * stepMs)}</title></path>`,
            ],
    )}<text class="tick" x="0" y="11">completed/s</text>${
      failures === 0
        ? undefined
        : markup`<text class="tick" x="${options.width}" y="11" text-anchor="end">▲ ${formatCount(failures)} failed</text>`
    }`,
  );
};

/** A single point shows nothing over time. */
export const isDrawable = (column: PathColumn): boolean => knownOf(column).length > 1;

/** A hairline with the ring of the mark at its right end. */
const limitLine = (
  y: number,
  label: string,
  { left, right }: { readonly left: number; readonly right: number },
): Markup =>
  markup`<path class="limit" d="M${left} ${y}H${right}"/><circle class="limit" cx="${right - 8}" cy="${y}" r="5"/><path class="limit" d="M${right - 18} ${y}H${right}"/><text class="say" x="${right - 24}" y="${y - 5}" text-anchor="end">${label}</text>`;

const knownOf = (column: PathColumn): readonly number[] => column.filter(value => value !== null);

const thousandsTick = (value: number): string =>
  value >= 10_000 ? `${formatTick(value / 1_000)}\u00a0k` : formatTick(value);

const BANDS = [
  { className: 'band-99', label: '1–99' },
  { className: 'band-90', label: '10–90' },
  { className: 'band-75', label: '25–75' },
] as const;
const LABEL_PX = 74;
const ROW_PX = 16;
