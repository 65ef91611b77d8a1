// What the names of a report mean, for its pages. docs/metrics.md has all.

import { RUN_RATES } from '../../core/run/run-rates.ts';
import { seriesOf, seriesRow } from '../../core/run/run-series.ts';
import { capitalized } from '../../core/text/single-line.ts';
import { INTERVAL_NOTE } from './percentile-text.ts';

export const RUN_DEFINITIONS: readonly (readonly [string, string])[] = [
  ...seriesOf('headline', 'detail').map(key => {
    const { shortLabel, from, help } = seriesRow(key);
    return [capitalized(shortLabel), `${help} (${from})`] as const;
  }),
  [RUN_RATES.windowNs.shortLabel, `${RUN_RATES.windowNs.help} (${RUN_RATES.windowNs.from})`],
  [RUN_RATES.goodput.shortLabel, RUN_RATES.goodput.help],
  ['Failed requests', 'Are in no time and no rate. Nothing is retried silently.'],
  [
    'p99 at most, p99 ≤',
    'MLPerf early stopping: with 99 % confidence p99 is no higher, for this number of samples. A tail of which too few samples were seen has a dash and “few”.',
  ],
  ['Percentiles of few requests', `${capitalized(INTERVAL_NOTE)}.`],
];
