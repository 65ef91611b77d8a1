// The past of a link's connections as its page shows it: a chosen connection, a chosen measure, a chosen span.

import { maximumOf } from '../../../src/core/extremes.ts';
import { type Figure, figureText } from '../../../src/core/figure/figure.ts';
import type { ConnectionFacts } from '../../../src/core/link/link-facts.ts';
import type { LinkView } from '../../../src/core/link/link-view.ts';
import type { PastPoint } from '../chart/past-chart.ts';
import type { LinkPoint } from './link-history.ts';
import { type DelayUnit, type RateUnit, rateFigure, timeFigure } from './link-text.ts';

export interface PastSpan {
  readonly key: string;
  readonly title: string;
  readonly backMs: number;
}

const HOUR_MS = 3_600_000;
export const FIRST_SPAN: PastSpan = { key: '3d', title: '3 days', backMs: 72 * HOUR_MS };
/** Raw measurements are kept for 3 days, sums of an hour for 90. */
export const PAST_SPANS: readonly PastSpan[] = [
  { key: '1h', title: '1 hour', backMs: HOUR_MS },
  { key: '1d', title: '1 day', backMs: 24 * HOUR_MS },
  FIRST_SPAN,
  { key: '30d', title: '30 days', backMs: 30 * 24 * HOUR_MS },
  { key: '90d', title: '90 days', backMs: 90 * 24 * HOUR_MS },
];
/** Every 5 minutes for 3 days, an hour for 87. */
export const PAST_ROWS_MAX = 3_000;

export type PastMeasure = 'bandwidth' | 'delay';

export const connectionName = ({ source, sink, connectionKey }: ConnectionFacts): string =>
  `${source} ${sink} ${connectionKey}`;

/** Whose past is shown first: the connection that carries most. */
export const firstConnection = (link: LinkView): ConnectionFacts =>
  [link.there, link.back].flatMap(figure => figure ?? []).sort((a, b) => b.value - a.value)[0]?.of ??
  link.best;

/** From the connection's source to its sink and back, or the other way round; or the delay, which has no direction. */
export const pastPoints = (
  points: readonly LinkPoint[],
  {
    measure,
    isFromSource,
    delay,
  }: { readonly measure: PastMeasure; readonly isFromSource: boolean; readonly delay: DelayUnit },
): readonly PastPoint[] =>
  measure === 'delay'
    ? points.map(({ atMs, roundTripNs }) => ({
        atMs,
        values: [roundTripNs === undefined || delay === 'round' ? roundTripNs : roundTripNs / 2],
      }))
    : points.map(({ atMs, upload, download }) => ({
        atMs,
        values: isFromSource ? [upload, download] : [download, upload],
      }));

/** To the right edge is now: where nothing was measured of late, the lines end before it. */
export const untilNow = (points: readonly PastPoint[], nowMs: number): readonly PastPoint[] => {
  const last = points.at(-1);
  return last === undefined || last.atMs >= nowMs
    ? points
    : [...points, { atMs: nowMs, values: last.values.map(() => undefined) }];
};

interface PastScale {
  /** One of these is so much of what was measured: bits per second, or ns. */
  readonly of: number;
  readonly unit: string;
}

/** The unit of the largest figure, for all of an axis. */
export const pastScale = (points: readonly PastPoint[], measure: PastMeasure, unit: RateUnit): PastScale => {
  const highest = maximumOf([0, ...points.flatMap(({ values }) => values.map(value => value ?? 0))]);
  const steps = measure === 'delay' ? DELAY_STEPS : RATE_STEPS[unit];
  return steps.find(({ of }) => highest >= of) ?? steps.at(-1) ?? { of: 1, unit: '' };
};

export const pastText = (value: number | undefined, measure: PastMeasure, unit: RateUnit): string =>
  figureText(pastFigure(value, measure, unit));

/** "lowest 9.31 Gb/s, median 9.41 Gb/s, highest 9.42 Gb/s"; '' of none. */
export const summaryText = (
  points: readonly PastPoint[],
  index: number,
  measure: PastMeasure,
  unit: RateUnit,
): string => {
  const values = points.flatMap(({ values }) => values[index] ?? []).sort((a, b) => a - b);
  if (values.length === 0) return '';
  const text = (value: number | undefined): string => pastText(value, measure, unit);
  return `lowest ${text(values[0])}, median ${text(values[Math.floor(values.length / 2)])}, highest ${text(values.at(-1))}`;
};

const pastFigure = (value: number | undefined, measure: PastMeasure, unit: RateUnit): Figure =>
  measure === 'delay' ? timeFigure(value) : rateFigure(value, unit);

const DELAY_STEPS: readonly PastScale[] = [
  { of: 1e9, unit: 's' },
  { of: 1e6, unit: 'ms' },
  { of: 1e3, unit: 'µs' },
  { of: 1, unit: 'ns' },
];
const RATE_STEPS: Readonly<Record<RateUnit, readonly PastScale[]>> = {
  bits: [
    { of: 1e12, unit: 'Tb/s' },
    { of: 1e9, unit: 'Gb/s' },
    { of: 1e6, unit: 'Mb/s' },
    { of: 1e3, unit: 'kb/s' },
  ],
  bytes: [
    { of: 8e12, unit: 'TB/s' },
    { of: 8e9, unit: 'GB/s' },
    { of: 8e6, unit: 'MB/s' },
    { of: 8e3, unit: 'kB/s' },
  ],
};
