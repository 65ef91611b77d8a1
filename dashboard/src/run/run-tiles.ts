// The six headline figures of a run, the same while it lives and once it has ended.

import {
  counted,
  type Figure,
  figureText,
  formatCount,
  formatThreeDigits,
  UNKNOWN_FIGURE,
} from '../../../src/core/figure/figure.ts';
import { spoiling } from '../../../src/core/run/contamination.ts';
import { rateBoundText } from '../../../src/core/run/rate-bounds.ts';
import { RECENT_SECONDS } from '../../../src/core/run/recent-window.ts';
import type { Run, RunFigures, RunProgress } from '../../../src/core/run/run.ts';
import { type HeadlineRateKey, rateRow } from '../../../src/core/run/run-rates.ts';
import {
  HEADLINE_PERCENTILES,
  headlineSeries,
  type SeriesKey,
  seriesRow,
} from '../../../src/core/run/run-series.ts';
import { hasSteps } from '../../../src/core/run/run-shape.ts';
import { hasEnoughFor } from '../../../src/core/statistics/early-stopping.ts';
import { capitalized } from '../../../src/core/text/single-line.ts';
import { isUnknown } from '../../../src/core/unknown.ts';
import { formatRunFigure } from '../../../src/render/run/format-run-figure.ts';
import { TOO_FEW } from '../../../src/render/run/percentile-text.ts';
import { percentileNs, whyNoPercentile } from './run-labels.ts';

interface RunTile {
  readonly name: string;
  /** By what is named above the figures. */
  readonly isSpoiled?: boolean;
  readonly value: Figure;
  readonly remark: string;
}

/** @param progress of a run that goes on; undefined once it has ended. */
export const runTiles = (
  run: Run,
  figures: RunFigures,
  progress: RunProgress | undefined,
): readonly RunTile[] => [
  rateTile(figures, 'requestsPerSecond', requestsRemark(run, progress)),
  rateTile(
    figures,
    'outputTokensPerSecond',
    isUnknown(figures.perUserTokensPerSecond)
      ? `per user: ${figures.perUserTokensPerSecond.reason}`
      : `${rateText('perUserTokensPerSecond', figures.perUserTokensPerSecond)} per user, p50`,
  ),
  percentileTile(run, figures, headlineSeries(run)),
  percentileTile(run, figures, 'tpotNs'),
  progress === undefined
    ? rateTile(figures, 'windowNs', 'first sent to last end')
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

/** Where the figure is not known the reason takes the place of the remark. */
const rateTile = (figures: RunFigures, key: HeadlineRateKey, remark: string): RunTile => {
  const value = figures[key];
  const { shortLabel, unit } = rateRow(key);
  return isUnknown(value)
    ? { name: shortLabel, value: UNKNOWN_FIGURE, remark: value.reason }
    : {
        name: shortLabel,
        isSpoiled: spoiling(figures, key).length > 0,
        value: formatRunFigure(unit, value),
        remark: [remark, key === 'windowNs' ? '' : rateBoundText(figures.rateBounds, key)]
          .filter(text => text !== '')
          .join(' · '),
      };
};

const percentileTile = (run: Run, figures: RunFigures, key: SeriesKey): RunTile => {
  const { shortLabel, unit } = seriesRow(key);
  const [middle, ...tails] = HEADLINE_PERCENTILES.map(percentile => ({
    name: `p${percentile}`,
    value: percentileNs(figures, key, percentile),
  }));
  const count = figures.series[key]?.count ?? 0;
  const reported = tails.flatMap(({ name, value }) => {
    if (value === undefined) return [];
    return [
      hasEnoughFor(Number(name.slice(1)), count)
        ? `${name} ${figureText(formatRunFigure(unit, value))}`
        : `${name}: ${TOO_FEW}`,
    ];
  });
  return {
    name: `${capitalized(shortLabel)} ${middle?.name ?? ''}`,
    isSpoiled: spoiling(figures, key).length > 0,
    value: middle?.value === undefined ? UNKNOWN_FIGURE : formatRunFigure(unit, middle.value),
    remark: reported.length < tails.length ? whyNoPercentile(run, figures, key) : reported.join(' · '),
  };
};

const requestsRemark = (run: Run, progress: RunProgress | undefined): string => {
  const requested =
    'requestsPerSecond' in run.pattern
      ? `requested ${hasSteps(run.shape) ? 'up to ' : ''}${formatThreeDigits(run.pattern.requestsPerSecond)}`
      : 'completed in the window';
  if (progress === undefined || isUnknown(progress.recent.requestsPerSecond)) return requested;
  return `${formatThreeDigits(progress.recent.requestsPerSecond)} over the last ${RECENT_SECONDS} s`;
};

const connectionsRemark = ({ client }: RunFigures): string =>
  client.connectionsOpened === 0 && client.connectionsReused === 0
    ? 'connections not counted yet'
    : `${counted(client.connectionsOpened, 'connection')} opened`;

const rateText = (key: HeadlineRateKey, value: number): string =>
  figureText(formatRunFigure(rateRow(key).unit, value));
