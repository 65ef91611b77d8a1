// The six headline figures of a run, the same while it lives and once it has ended.

import { formatMeasuredNanoseconds } from '../../../src/core/figure/duration.ts';
import type { Figure } from '../../../src/core/figure/figure.ts';
import {
  figureText,
  formatCount,
  formatThreeDigits,
  UNKNOWN_FIGURE,
} from '../../../src/core/figure/figure.ts';
import type { Run, RunFigures, RunProgress } from '../../../src/core/run/run.ts';
import type { Unknown } from '../../../src/core/unknown.ts';
import { isUnknown } from '../../../src/core/unknown.ts';
import { percentileNs, rateFigure, whyNoPercentile } from './run-words.ts';

export interface RunTile {
  readonly name: string;
  readonly value: Figure;
  readonly remark: string;
}

/** @param progress of a run that goes on; undefined once it has ended. */
export const runTiles = (
  run: Run,
  figures: RunFigures,
  progress: RunProgress | undefined,
): readonly RunTile[] => [
  {
    name: 'Requests',
    value: rateOr(figures.requestsPerSecond, '/s'),
    remark: requestsRemark(run, figures, progress),
  },
  {
    name: 'Output',
    value: rateOr(figures.outputTokensPerSecond, 'tok/s'),
    remark: isUnknown(figures.outputTokensPerSecond)
      ? figures.outputTokensPerSecond.reason
      : isUnknown(figures.perUserTokensPerSecond)
        ? `per user: ${figures.perUserTokensPerSecond.reason}`
        : `${formatThreeDigits(figures.perUserTokensPerSecond)} tok/s per user, p50`,
  },
  percentileTile(run, figures, run.isStreaming ? { name: 'TTFT', series: 'ttftNs' } : LATENCY),
  percentileTile(run, figures, { name: 'TPOT', series: 'tpotNs' }),
  progress === undefined
    ? {
        name: 'Window',
        value: isUnknown(figures.windowNs) ? UNKNOWN_FIGURE : formatMeasuredNanoseconds(figures.windowNs),
        remark: isUnknown(figures.windowNs) ? figures.windowNs.reason : 'first sent to last end',
      }
    : {
        name: 'In flight',
        value: { figure: formatCount(Math.max(0, figures.counts.unresolved)), unit: '' },
        remark: connectionsRemark(figures),
      },
  {
    name: 'Samples',
    value: { figure: formatCount(figures.counts.issued), unit: 'issued' },
    remark: `${formatCount(figures.counts.completed)} completed · ${formatCount(figures.counts.failed)} failed · ${formatCount(figures.counts.cancelled)} cancelled`,
  },
];

const LATENCY = { name: 'Latency', series: 'latencyNs' } as const;

const percentileTile = (
  run: Run,
  figures: RunFigures,
  { name, series }: { readonly name: string; readonly series: string },
): RunTile => {
  const [p50, p90, p99] = [
    percentileNs(figures, series, '50'),
    percentileNs(figures, series, '90'),
    percentileNs(figures, series, '99'),
  ];
  return {
    name: `${name} p50`,
    value: p50 === undefined ? UNKNOWN_FIGURE : formatMeasuredNanoseconds(p50),
    remark:
      p90 === undefined || p99 === undefined
        ? whyNoPercentile(run, series)
        : `p90 ${figureText(formatMeasuredNanoseconds(p90))} · p99 ${figureText(formatMeasuredNanoseconds(p99))}`,
  };
};

const requestsRemark = (run: Run, figures: RunFigures, progress: RunProgress | undefined): string => {
  if (isUnknown(figures.requestsPerSecond)) return figures.requestsPerSecond.reason;
  const asked =
    run.pattern.kind === 'poisson' || run.pattern.kind === 'constant'
      ? `asked for ${formatThreeDigits(run.pattern.requestsPerSecond)}`
      : 'completed in the window';
  if (progress === undefined || isUnknown(progress.recent.requestsPerSecond)) return asked;
  return `${formatThreeDigits(progress.recent.requestsPerSecond)} over the last 5 s`;
};

const connectionsRemark = ({ client }: RunFigures): string =>
  client.connectionsOpened === 0 && client.connectionsReused === 0
    ? 'connections not counted yet'
    : `${formatCount(client.connectionsOpened)} connections opened`;

const rateOr = (perSecond: number | Unknown, unit: string): Figure =>
  isUnknown(perSecond) ? UNKNOWN_FIGURE : rateFigure(unit)(perSecond);
