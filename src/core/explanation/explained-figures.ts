// The figures that `plimsoll why` explains: each by the name under which tools print it, each means something of its own by it.

import type { RateRow } from '../run/run-rates.ts';

/** By family: its name in every tool, and the series of ours that has that name there. */
export const TIME_FAMILIES = {
  ttft: { label: 'TTFT', series: 'ttftNs' },
  tpot: { label: 'TPOT', series: 'tpotNs' },
  itl: { label: 'ITL', series: 'chunkGapNs' },
  latency: { label: 'Latency', series: 'latencyNs' },
} as const;

export type TimeFamily = keyof typeof TIME_FAMILIES;

/** Mean, or a percentile. */
export const TIME_STATISTICS = ['mean', 'p50', 'p90', 'p95', 'p99'] as const;
export type TimeStatistic = (typeof TIME_STATISTICS)[number];

export const EXPLAINED_RATES = {
  requestsPerSecond: { label: 'Requests/s', unit: 'req/s', tokens: 'none' },
  outputTokensPerSecond: { label: 'Output tokens/s', unit: 'tok/s', tokens: 'output' },
  totalTokensPerSecond: { label: 'All tokens/s', unit: 'tok/s', tokens: 'all' },
} as const;

export type ExplainedRate = keyof typeof EXPLAINED_RATES;

/** "ttft.p99", "requestsPerSecond" */
export type FigureKey = `${TimeFamily}.${TimeStatistic}` | ExplainedRate;

/** ns; requests or tokens per second. */
export type PrintedFigures = Readonly<Partial<Record<FigureKey, number>>>;

interface TimeFigure {
  readonly kind: 'time';
  readonly key: FigureKey;
  readonly label: string;
  readonly unit: Extract<RateRow['unit'], 'ns'>;
  readonly family: TimeFamily;
  readonly statistic: TimeStatistic;
}

interface RateFigure {
  readonly kind: 'rate';
  readonly key: ExplainedRate;
  readonly label: string;
  readonly unit: Extract<RateRow['unit'], 'req/s' | 'tok/s'>;
  /** Whose sum is divided by the window: of no tokens, but of the requests themselves. */
  readonly tokens: 'none' | 'output' | 'all';
}

export type ExplainedFigure = TimeFigure | RateFigure;

const isFamily = (name: string): name is TimeFamily => Object.hasOwn(TIME_FAMILIES, name);
const isRate = (name: string): name is ExplainedRate => Object.hasOwn(EXPLAINED_RATES, name);

export const TIME_FAMILY_KEYS: readonly TimeFamily[] = Object.keys(TIME_FAMILIES).filter(isFamily);
export const EXPLAINED_RATE_KEYS: readonly ExplainedRate[] = Object.keys(EXPLAINED_RATES).filter(isRate);

/** In the order of tables. */
export const EXPLAINED_FIGURES: readonly ExplainedFigure[] = [
  ...TIME_FAMILY_KEYS.flatMap(family =>
    TIME_STATISTICS.map(
      (statistic): ExplainedFigure => ({
        kind: 'time',
        key: `${family}.${statistic}`,
        label: `${TIME_FAMILIES[family].label} ${statistic}`,
        unit: 'ns',
        family,
        statistic,
      }),
    ),
  ),
  ...EXPLAINED_RATE_KEYS.map((key): ExplainedFigure => ({ kind: 'rate', key, ...EXPLAINED_RATES[key] })),
];

/** 50 for "p50"; undefined for the mean. */
export const percentileOf = (statistic: TimeStatistic): number | undefined =>
  statistic === 'mean' ? undefined : Number(statistic.slice(1));
