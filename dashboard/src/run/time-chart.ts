// The data of a time chart, and what is drawn over its lines: limits with the ring of the mark at their right end, the
// moment that a live run has reached, and the newest figures next to it.

import type uPlot from 'uplot';
import type { Outage } from '../../../src/core/run/outage.ts';
import type { ChartSeries } from './chart-series.ts';

/** The room between two series, by their index. Later ones are drawn over earlier ones: the widest comes first. */
export interface ChartBand {
  readonly high: number;
  readonly low: number;
  readonly fill: string;
}

export interface ChartLine {
  readonly value: number;
  readonly label: string;
}

/** Of a plot's series, points with nothing on either side. */
export const loneIndexes = (plot: uPlot, series: number): number[] => {
  const values = plot.data[series] ?? [];
  const isThere = (index: number): boolean => typeof values[index] === 'number';
  return Array.from(values, (_, index) => index).filter(
    index => isThere(index) && !isThere(index - 1) && !isThere(index + 1),
  );
};

/** A second scale, at the right. */
export interface OtherAxis {
  readonly format: (value: number) => string;
  /** The unit above it. */
  readonly unit: string;
  /** The name of its token, which its line has too. */
  readonly ink: string;
}

interface ChartMarks {
  readonly lines: readonly ChartLine[];
  readonly spans: readonly Outage[];
  readonly series: readonly ChartSeries[];
  readonly seconds: readonly number[];
  readonly isLive: boolean;
  /** Of the axis at the left; '' where its figures have theirs. */
  readonly unit: string;
  readonly other: OtherAxis | undefined;
  readonly token: (name: string) => string;
  readonly font: string;
}

export const drawMarks = (plot: uPlot, marks: ChartMarks): void => {
  const { ctx } = plot;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.font = marks.font.replace(/^[\d.]+px/, size => `${Number.parseFloat(size) * ratio}px`);
  ctx.lineWidth = 1.2 * ratio;
  for (const span of marks.spans) drawSpan(plot, span, marks);
  for (const line of marks.lines) drawLimit(plot, line, marks);
  if (marks.isLive) drawNow(plot, marks);
  drawUnits(plot, marks);
  ctx.restore();
};

/** Above the scale that they are of. */
const drawUnits = ({ ctx, bbox, width }: uPlot, { unit, other, token }: ChartMarks): void => {
  const ratio = devicePixelRatio;
  ctx.textBaseline = 'bottom';
  ctx.textAlign = 'right';
  ctx.fillStyle = token('--ink-3');
  ctx.fillText(unit, bbox.left - 6 * ratio, bbox.top - 4 * ratio);
  if (other === undefined) return;
  ctx.fillStyle = token(other.ink);
  ctx.fillText(other.unit, width * ratio - 2 * ratio, bbox.top - 4 * ratio);
};

/** Over the lines, and see-through: what is known of that time stays to be seen. */
const drawSpan = (plot: uPlot, { fromNs, toNs }: Outage, { token }: ChartMarks): void => {
  const { ctx, bbox } = plot;
  const [from, to] = [plot.valToPos(fromNs / 1e9, 'x', true), plot.valToPos(toNs / 1e9, 'x', true)];
  ctx.globalAlpha = 0.14;
  ctx.fillStyle = token('--danger-mark');
  ctx.fillRect(from, bbox.top, Math.max(2 * devicePixelRatio, to - from), bbox.height);
  ctx.globalAlpha = 1;
};

const drawLimit = (plot: uPlot, { value, label }: ChartLine, { token }: ChartMarks): void => {
  const { ctx, bbox } = plot;
  const ratio = devicePixelRatio;
  const y = plot.valToPos(value, 'y', true);
  const right = bbox.left + bbox.width;
  ctx.strokeStyle = token('--ink');
  ctx.fillStyle = token('--surface');
  ctx.beginPath();
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(right, y);
  ctx.stroke();
  ctx.beginPath();
  ctx.arc(right - 6 * ratio, y, 5 * ratio, 0, 2 * Math.PI);
  ctx.stroke();
  ctx.fillStyle = token('--ink-2');
  ctx.textAlign = 'right';
  ctx.textBaseline = 'bottom';
  ctx.fillText(label, right - 20 * ratio, y - 3 * ratio);
};

/** The dotted line ends where the data ends; words stand to its right, or to its left where there is no room. */
const drawNow = (plot: uPlot, { series, seconds, token }: ChartMarks): void => {
  const { ctx, bbox } = plot;
  const last = seconds.at(-1);
  if (last === undefined) return;
  const ratio = devicePixelRatio;
  const x = plot.valToPos(last, 'x', true);
  ctx.strokeStyle = token('--ink-3');
  ctx.setLineDash([ratio, 3 * ratio]);
  ctx.beginPath();
  ctx.moveTo(x, bbox.top);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
  ctx.setLineDash([]);
  ctx.textBaseline = 'middle';
  // Keeps words apart from the lines of limits beneath them.
  ctx.strokeStyle = token('--surface');
  ctx.lineWidth = 4 * ratio;
  const placed: number[] = [];
  for (const { newest, values, scale, ink } of series) {
    const value = values.findLast(each => each !== null);
    if (newest === undefined || value === undefined || value === null) continue;
    const room = bbox.left + bbox.width - x;
    const isRight = room > ctx.measureText(newest).width + 12 * ratio;
    let y = plot.valToPos(value, scale ?? 'y', true);
    while (placed.some(taken => Math.abs(taken - y) < 15 * ratio)) y -= 4 * ratio;
    placed.push(y);
    ctx.textAlign = isRight ? 'left' : 'right';
    ctx.fillStyle = token(ink ?? '--ink');
    const from = isRight ? x + 8 * ratio : x - 8 * ratio;
    ctx.strokeText(newest, from, y);
    ctx.fillText(newest, from, y);
  }
};
