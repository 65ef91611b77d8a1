// How the figures of a run are written in a terminal.

import { formatNanoseconds } from '../core/figure/duration.ts';
import { figureText, formatThreeDigits } from '../core/figure/figure.ts';
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
  unit === 'ns' ? figureText(formatNanoseconds(value)) : formatThreeDigits(value);
