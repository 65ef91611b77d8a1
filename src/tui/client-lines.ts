// The terminal's lines about the load generator during a run, and how far the figures above may be off because of it.

import { counted, figureText, formatPercent, formatThreeDigits } from '../core/figure/figure.ts';
import {
  figureVerdicts,
  figureVerdictText,
  unboundedReason,
  unboundedText,
} from '../core/run/figure-verdict.ts';
import type { MetricLookup, MetricsSnapshot } from '../core/run/snapshot.ts';
import { type Line, part } from './part.ts';

type SnapshotBounds = MetricsSnapshot['bounds'];

export const clientLines = (metrics: MetricLookup, bounds: SnapshotBounds): readonly Line[] => {
  const observedNs = metrics.counter('client.observedNs');
  if (observedNs === 0) return [];
  const use = metrics.counter('client.eventLoopUtilization');
  const dropped = metrics.counter('droppedEvents');
  const isStarved = metrics.counter('client.starvedNs') > STARVED_SHARE * observedNs;
  return [
    [
      part('  client  ', 'dim'),
      part(`busiest thread ${figureText(formatPercent(use))}`, use > BUSY ? 'caution' : 'plain'),
      part(`, ${formatThreeDigits(metrics.counter('client.cpuShare'))} of a core`),
      ...(isStarved ? [part(' · starved', 'bad')] : []),
      ...(dropped > 0 ? [part(` · ${counted(dropped, 'record')} lost`, 'bad')] : []),
    ],
    ...errorBoundLines(metrics, bounds),
  ];
};

/** The same text as in the final report. */
const errorBoundLines = (metrics: MetricLookup, bounds: SnapshotBounds): readonly Line[] => {
  const series = Object.fromEntries(metrics.allSeries);
  const [worst] = figureVerdicts(series);
  const reason = bounds === undefined ? undefined : unboundedReason(series, bounds);
  return worst === undefined
    ? reason === undefined
      ? []
      : [[part(' '.repeat(INDENT)), part(unboundedText(reason), 'dim')]]
    : [
        [
          part(' '.repeat(INDENT)),
          part(figureVerdictText(worst), worst.kind === 'good' ? 'plain' : 'caution'),
        ],
      ];
};

/** A thread that is busier than this adds its own lateness (reference: 0.83 at 95,000 events a second). */
const BUSY = 0.7;
const STARVED_SHARE = 0.05;
/** Of "  client  ". */
const INDENT = 10;
