// One measure over the hours of a piece as a standalone SVG: a panel for each process, a line for each piece
// in it. What was left out as warm-up has a ground of its own, and a broken line is the slope.

import { formatClock } from '../../src/core/figure/duration.ts';
import { standaloneLook } from '../../src/render/chart/chart-look.ts';
import { chartSvg } from '../../src/render/chart/run-charts.ts';
import { timeTicks, valueAxis } from '../../src/render/chart/value-axis.ts';
import { coordinate, type Markup, markup } from '../../src/render/text/markup.ts';
import type { Measure, SoakSeries } from './soak-series.ts';
import { judgedPoints } from './trend.ts';

export const soakPicture = (measure: Measure, series: readonly SoakSeries[]): string => {
  const panels = [...Map.groupBy(series, ({ process }) => process)];
  const hours = Math.max(...series.flatMap(({ points }) => points.map(point => point.hours)));
  const height = HEAD + panels.length * PANEL + FOOT;
  const scale: Across = {
    hours,
    at: value => LEFT + (value / hours) * (WIDTH - LEFT - RIGHT),
  };
  const times = timeTicks(hours * HOUR_MS, 8).map(
    ms =>
      markup`<text class="tick" x="${coordinate(scale.at(ms / HOUR_MS))}" y="${height - 5}" text-anchor="middle">${formatClock(ms)}</text>`,
  );
  const name = `${measure.name} of each process in ${measure.unit} over the time of a piece`;
  return chartSvg(
    { width: WIDTH, height, name, style: standaloneLook() },
    markup`<text x="${LEFT}" y="14">${measure.name}, ${measure.unit}; time h:mm:ss since the piece began</text>${panels.map(([process, lines], index) => panel({ process, lines, top: HEAD + index * PANEL, scale }))}${times}`,
  ).markup;
};

interface Across {
  readonly hours: number;
  at(hours: number): number;
}

interface Panel {
  readonly process: string;
  readonly lines: readonly SoakSeries[];
  readonly top: number;
  readonly scale: Across;
}

const panel = ({ process, lines, top, scale }: Panel): Markup => {
  const axis = valueAxis(Math.max(...lines.flatMap(({ points }) => points.map(({ value }) => value))), 2);
  const foot = top + PANEL - GAP;
  const y = (value: number): number => foot - axis.share(value) * (PANEL - GAP);
  const path = (points: SoakSeries['points']): string =>
    points
      .map(
        ({ hours, value }, index) =>
          `${index === 0 ? 'M' : 'L'}${coordinate(scale.at(hours))} ${coordinate(y(value))}`,
      )
      .join('');
  const warm = judgedPoints(lines[0]?.points ?? [])[0]?.hours ?? scale.hours;
  return markup`<rect class="margin" x="${LEFT}" y="${top}" width="${coordinate(scale.at(warm) - LEFT)}" height="${PANEL - GAP}"/>${axis.ticks.map(
    (tick, index) =>
      markup`<path class="${index === 0 ? 'axis' : 'grid'}" d="M${LEFT} ${coordinate(y(tick))}H${WIDTH - RIGHT}"/><text class="tick" x="${LEFT - 6}" y="${coordinate(y(tick) + 4)}" text-anchor="end">${tick}</text>`,
  )}<text x="4" y="${top + 12}">${process}</text>${lines.map(
    ({ points, trend }, index) =>
      markup`<path class="${LINES[index % LINES.length] ?? ''}" d="${path(points)}"/>${trend.kind === 'too short' ? undefined : markup`<path class="foot" d="${path(fitted(points, trend.slope))}"/>`}`,
  )}`;
};

/** Through the middle of what was judged. */
const fitted = (points: SoakSeries['points'], slope: number): SoakSeries['points'] => {
  const judged = judgedPoints(points);
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const [meanX, meanY] = [mean(judged.map(({ hours }) => hours)), mean(judged.map(({ value }) => value))];
  return [judged[0]?.hours ?? 0, judged.at(-1)?.hours ?? 0].map(hours => ({
    hours,
    value: meanY + slope * (hours - meanX),
  }));
};

const HOUR_MS = 3_600_000;
const [WIDTH, HEAD, PANEL, GAP, FOOT, LEFT, RIGHT] = [860, 24, 84, 14, 12, 84, 24];
/** Of the pieces, in turn. */
const LINES = ['middle', 'waterline', 'brass'] as const;
