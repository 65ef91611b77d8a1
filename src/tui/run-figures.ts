// How the figures of a run are written in a terminal.

import { formatNanoseconds } from '../core/figure/duration.ts';
import { figureText } from '../core/figure/figure.ts';
import type { SeriesMetric } from '../core/run/snapshot.ts';

/** The series that a person looks at first, in this order. */
export const SHOWN_SERIES: readonly { readonly name: string; readonly label: string }[] = [
  { name: 'ttftNs', label: 'first token' },
  { name: 'ttftFromIntendedNs', label: '  from intended' },
  { name: 'tpotNs', label: 'per token' },
  { name: 'chunkGapNs', label: 'chunk gap' },
  { name: 'latencyNs', label: 'latency' },
  { name: 'latencyFromIntendedNs', label: '  from intended' },
  { name: 'sendLatenessNs', label: 'send lateness' },
];

export const SHOWN_PERCENTILES: readonly string[] = ['50', '90', '99'];

export const seriesValueText = (unit: SeriesMetric['unit'], value: number): string =>
  unit === 'ns' ? figureText(formatNanoseconds(value)) : rateText(value);

/** "0.42", "34.2", "1240". */
export const rateText = (perSecond: number): string => {
  if (!Number.isFinite(perSecond)) return '–';
  if (perSecond >= 99.95) return perSecond.toFixed(0);
  return perSecond.toFixed(perSecond >= 9.995 ? 1 : 2);
};

/** "0:07", "12:30", "1:02:03". */
export const clockText = (durationMs: number): string => {
  const seconds = Math.max(0, Math.floor(durationMs / 1000));
  const two = (value: number): string => String(value).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  const rest = two(seconds % 60);
  return minutes < 60 ? `${minutes}:${rest}` : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${rest}`;
};
