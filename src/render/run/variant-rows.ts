// The result of each model of a mix, or of each URL.

import { formatMeasuredNanoseconds } from '../../core/figure/duration.ts';
import { counted, figureText, formatCount, formatThreeDigits } from '../../core/figure/figure.ts';
import type { VariantFigures, VariantPercentiles } from '../../core/run/model-mix.ts';
import { failureKindRows } from '../../core/run/outcome.ts';
import type { Report } from '../../core/run/report.ts';
import { earlyStoppingRank } from '../../core/statistics/early-stopping.ts';
import { isUnknown } from '../../core/unknown.ts';
import type { Section } from '../section.ts';

/** undefined if the run had one model and one URL. */
export const variantSection = (report: Report): Section | undefined => {
  const { run, variants = [], sessions } = report;
  if (variants.length === 0) return undefined;
  const title = `By ${kindOf(run)}`;
  return {
    key: 'variants',
    title,
    note: `each its share of the ${sessions === undefined ? 'requests' : 'sessions'}, by weight`,
    tables: [
      {
        name: title,
        columns: [kindOf(run), ...COLUMNS],
        rows: withUnrequested(report).map(figures => [nameOf(report, figures), ...cells(figures, report)]),
        texts: [0],
        codes: [0],
      },
    ],
    remarks: [
      ...(run.urls ?? []).map(
        ({ url, weight, serverKind }) =>
          `${url}: weight ${weight}, ${isUnknown(serverKind) ? `server unknown (${serverKind.reason})` : serverKind}`,
      ),
      ...variants.flatMap(figures => errorsOf(figures).map(text => `${nameOf(report, figures)}: ${text}`)),
    ],
  };
};

/**
 * A model or URL that a short run sent no request to has a row too: without it, it would seem not to be part
 * of the mix.
 */
const withUnrequested = ({ run, variants = [] }: Report): readonly VariantFigures[] =>
  (run.urls ?? run.models ?? run.addresses ?? []).map(
    (_, variant) => variants.find(figures => figures.variant === variant) ?? { ...UNREQUESTED, variant },
  );

const kindOf = ({ urls, addresses }: Report['run']): 'URL' | 'address' | 'model' =>
  urls !== undefined ? 'URL' : addresses !== undefined ? 'address' : 'model';

const nameOf = ({ run }: Report, { variant }: VariantFigures): string =>
  run.urls?.[variant]?.url ??
  run.models?.[variant]?.model ??
  run.addresses?.[variant] ??
  `model ${variant + 1}`;

const errorsOf = ({ usageMissing = 0, ...figures }: VariantFigures): readonly string[] => {
  const kinds = failureKindRows(figures).map(([kind, count]) => `${formatCount(count)} ${kind}`);
  return [
    ...(kinds.length === 0 ? [] : [`failed: ${kinds.join(', ')}`]),
    ...(usageMissing === 0 ? [] : [`${counted(usageMissing, 'answer')} without a count of tokens`]),
  ];
};

const cells = (
  { completed, failed, cancelled, outputTokens, ttftNs, tpotNs, latencyNs }: VariantFigures,
  { windowNs }: Report,
): readonly string[] => {
  const seconds = isUnknown(windowNs) ? 0 : windowNs / 1e9;
  const rate = (count: number): string => (seconds > 0 ? formatThreeDigits(count / seconds) : '–');
  // A tail of too few requests is left out, as in the series.
  const enough = (p: number, text: string): string => (earlyStoppingRank(completed, p) > 0 ? text : '–');
  return [
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
};

const time = (series: VariantPercentiles | null, key: keyof VariantPercentiles): string =>
  series === null ? '–' : figureText(formatMeasuredNanoseconds(series[key]));

const UNREQUESTED: Omit<VariantFigures, 'variant'> = {
  completed: 0,
  failed: 0,
  cancelled: 0,
  outputTokens: 0,
  ttftNs: null,
  tpotNs: null,
  latencyNs: null,
};
const COLUMNS: readonly string[] = [
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
