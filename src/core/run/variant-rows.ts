// What came of each model of a mix, as rows of a table: the same for terminal, Markdown and pages.

import { formatMeasuredNanoseconds } from '../figure/duration.ts';
import { figureText, formatCount, formatThreeDigits } from '../figure/figure.ts';
import { earlyStoppingRank } from '../statistics/early-stopping.ts';
import { isUnknown } from '../unknown.ts';
import type { VariantPercentiles } from './model-mix.ts';
import type { Report } from './report.ts';

export const VARIANT_COLUMNS: readonly string[] = [
  'model',
  'completed',
  'failed',
  'cancelled',
  'req/s',
  'tok/s',
  'TTFT p50',
  'p90',
  'p99',
  'TPOT p50',
  'latency p50',
  'p99',
];

/** None where the run had one model. */
export const variantRows = ({ run, variants = [], windowNs }: Report): readonly (readonly string[])[] =>
  variants.map(({ variant, completed, failed, cancelled, outputTokens, ttftNs, tpotNs, latencyNs }) => {
    const seconds = isUnknown(windowNs) ? 0 : windowNs / 1e9;
    const rate = (count: number): string => (seconds > 0 ? formatThreeDigits(count / seconds) : '–');
    // A tail of too few requests is no figure, here as in the series.
    const enough = (p: number, text: string): string => (earlyStoppingRank(completed, p) > 0 ? text : '–');
    return [
      run.models?.[variant]?.model ?? `model ${variant + 1}`,
      formatCount(completed),
      formatCount(failed),
      formatCount(cancelled),
      rate(completed),
      rate(outputTokens),
      time(ttftNs, 'p50'),
      enough(90, time(ttftNs, 'p90')),
      enough(99, time(ttftNs, 'p99')),
      time(tpotNs, 'p50'),
      time(latencyNs, 'p50'),
      enough(99, time(latencyNs, 'p99')),
    ];
  });

const time = (series: VariantPercentiles | null, key: keyof VariantPercentiles): string =>
  series === null ? '–' : figureText(formatMeasuredNanoseconds(series[key]));
