// A running benchmark in one line, for output that is no terminal: a log of a job, a pipe.

import { formatClock } from '../core/figure/duration.ts';
import { formatThreeDigits } from '../core/figure/figure.ts';
import { seriesValueText } from './run-figures.ts';
import type { RunView } from './run-view.ts';
import { counterOf, countsOf, seriesOf } from './run-view.ts';

/** "0:12 measuring · 412 issued · 400 completed · 4 failed · 34.2 req/s · first token p50 51 ms, p99 80 ms". */
export const renderRunLine = (view: RunView): string => {
  const { snapshot, recent, run } = view;
  const { issued, completed, failed } = countsOf(snapshot);
  const seconds = counterOf(snapshot, 'windowNs') / 1e9;
  const rate = recent?.requestsPerSecond ?? (seconds > 0 ? completed / seconds : undefined);
  const tokens = recent?.outputTokensPerSecond;
  const [name, label] = run.isStreaming ? ['ttftNs', 'first token'] : ['latencyNs', 'latency'];
  const series = seriesOf(snapshot, name);
  const percentile = (p: string): string => {
    const value = series?.percentiles[p];
    return series === undefined || value === undefined ? '–' : seriesValueText(series.unit, value);
  };
  const parts = [
    `${formatClock(view.elapsedMs)} ${view.phase}`,
    `${issued} issued`,
    `${completed} completed`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(rate === undefined ? [] : [`${formatThreeDigits(rate)} req/s`]),
    ...(tokens === undefined || tokens === 0 ? [] : [`${formatThreeDigits(tokens)} tokens/s`]),
    ...(series === undefined || series.count === 0
      ? []
      : [`${label} p50 ${percentile('50')}, p99 ${percentile('99')}`]),
  ];
  return parts.join(' · ').replace(/[\u00a0\u202f]/g, ' ');
};
