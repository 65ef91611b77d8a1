// The rates of a run, METRICS §4: one row each with its calculation, for the report and for live views; every
// view and the table in docs/metrics.md derive from it. A rate whose parts are not all known is unknown with
// the reason, never a lower figure.

import { maximumOf } from '../extremes.ts';
import { counted, ofCount } from '../figure/figure.ts';
import { recordOf } from '../record-of.ts';
import { isUnknown, type Reported, type Unknown, unknown } from '../unknown.ts';
import type { RequestLimit } from './objective.ts';
import type { RunPattern } from './run-pattern.ts';
import { hasSteps, type RunShape } from './run-shape.ts';
import type { BetterDirection } from './series-row.ts';
import type { MetricLookup } from './snapshot.ts';

export interface RateRow {
  readonly unit: 'ns' | 'req/s' | 'tok/s' | 'doc/s';
  /** The quotient. */
  readonly from: string;
  readonly label: string;
  readonly shortLabel: string;
  readonly better: BetterDirection;
  /** What it means, in one sentence. */
  readonly help: string;
  /** 'headline': published to the whole cluster, for tiles and comparison. 'line': one line of a report. */
  readonly level: 'headline' | 'line';
  /** If a schedule decides how much is sent, a higher value is no merit. */
  readonly isScheduled?: true;
  readonly of: (sources: RateSources) => Reported<number>;
}

interface RateSources {
  readonly metrics: MetricLookup;
  readonly run: {
    readonly pattern: RunPattern;
    readonly isStreaming: boolean;
    /** Default: a plain one. */
    readonly shape?: Reported<RunShape>;
    readonly api?: Reported<string>;
  };
  readonly objectives: readonly RequestLimit[];
}

export const RUN_RATES = {
  windowNs: {
    unit: 'ns',
    from: 'from the first send to the last end of a completed request; several parts add up',
    label: 'window',
    shortLabel: 'Window',
    better: 'none',
    help: 'The measured time, without warm-up and pauses; rates are per second of it.',
    level: 'headline',
    of: ({ metrics }: RateSources): Reported<number> => windowNs(metrics),
  },
  requestsPerSecond: {
    unit: 'req/s',
    from: 'completed requests / window',
    label: 'requests/s',
    shortLabel: 'Requests',
    better: 'higher',
    help: 'Requests completed per second.',
    level: 'headline',
    isScheduled: true,
    of: ({ metrics }: RateSources): Reported<number> =>
      perSecond(metrics.counts('measured').completed, windowNs(metrics)),
  },
  outputTokensPerSecond: {
    unit: 'tok/s',
    from: 'output tokens / window',
    label: 'output tokens/s',
    shortLabel: 'Output',
    better: 'higher',
    help: 'Tokens generated per second, for all users together.',
    level: 'headline',
    of: (sources: RateSources): Reported<number> =>
      perSecond(outputTokensOf(sources), windowNs(sources.metrics)),
  },
  inputTokensPerSecond: {
    unit: 'tok/s',
    from: 'input tokens / window',
    label: 'input tokens/s',
    shortLabel: 'Input',
    better: 'higher',
    help: 'Prompt tokens processed per second.',
    level: 'line',
    of: ({ metrics }: RateSources): Reported<number> =>
      perSecond(tokensOf(metrics, 'inputTokens'), windowNs(metrics)),
  },
  totalTokensPerSecond: {
    unit: 'tok/s',
    from: '(input tokens + output tokens) / window',
    label: 'all tokens/s',
    shortLabel: 'All tokens',
    better: 'higher',
    help: 'Tokens of prompts and of answers together.',
    level: 'line',
    of: (sources: RateSources): Reported<number> => {
      const input = tokensOf(sources.metrics, 'inputTokens');
      const all = hasOutputTokens(sources.run.api) ? sum(input, outputTokensOf(sources)) : input;
      return perSecond(all, windowNs(sources.metrics));
    },
  },
  documentsPerSecond: {
    unit: 'doc/s',
    from: 'ranked documents / window',
    label: 'documents/s',
    shortLabel: 'Documents',
    better: 'higher',
    help: 'Documents ranked per second. Only of rankings.',
    level: 'line',
    of: ({ metrics }: RateSources): Reported<number> => {
      const ranked = metrics.series('rankedDocuments');
      return perSecond(
        ranked === undefined ? unknown('no request completed') : Number(ranked.total),
        windowNs(metrics),
      );
    },
  },
  perUserTokensPerSecond: {
    unit: 'tok/s',
    from: '1 / time per output token, p50 and p90',
    label: 'tokens/s of one user',
    shortLabel: 'Output per user, p50',
    better: 'higher',
    help: 'How fast one reader sees an answer grow.',
    level: 'headline',
    of: (sources: RateSources): Reported<number> => perUser(sources, '50'),
  },
  steadyStateWindowNs: {
    unit: 'ns',
    from: 'from first to last moment at the requested concurrency',
    label: 'steady state',
    shortLabel: 'Steady state',
    better: 'none',
    help: 'The part of the window at full concurrency, without ramp-up and tail; only with fixed concurrency.',
    level: 'line',
    of: (sources: RateSources): Reported<number> => steadyStateNs(sources),
  },
  steadyStateRequestsPerSecond: {
    unit: 'req/s',
    from: 'completed requests that ended in it / steady state',
    label: 'requests/s, steady',
    shortLabel: 'Requests, steady',
    better: 'higher',
    help: 'Requests completed per second in the steady state.',
    level: 'line',
    of: (sources: RateSources): Reported<number> =>
      perSecond(sources.metrics.counter('steadyStateCompleted'), steadyStateNs(sources)),
  },
  steadyStateOutputTokensPerSecond: {
    unit: 'tok/s',
    from: 'output tokens of requests that ended in it / steady state',
    label: 'output tokens/s, steady',
    shortLabel: 'Output, steady',
    better: 'higher',
    help: 'Tokens generated per second in the steady state.',
    level: 'line',
    of: (sources: RateSources): Reported<number> => {
      const whole = outputTokensOf(sources);
      const steady = isUnknown(whole) ? whole : sources.metrics.counter('steadyStateOutputTokens');
      return perSecond(steady, steadyStateNs(sources));
    },
  },
  goodput: {
    unit: 'req/s',
    from: 'completed requests that meet every objective / window',
    label: 'goodput',
    shortLabel: 'Goodput',
    better: 'higher',
    help: 'Requests per second that meet every objective; failed ones do not. Only with objectives.',
    level: 'line',
    of: ({ metrics, objectives }: RateSources): Reported<number> =>
      perSecond(goodSamples(metrics, objectives), windowNs(metrics)),
  },
  goodOutputTokensPerSecond: {
    unit: 'tok/s',
    from: 'output tokens of completed requests that meet every objective / window',
    label: 'goodput in tokens',
    shortLabel: 'Goodput in tokens',
    better: 'higher',
    help: 'Tokens per second that came in time for the user. Only with objectives.',
    level: 'line',
    of: (sources: RateSources): Reported<number> =>
      perSecond(goodOutputTokens(sources), windowNs(sources.metrics)),
  },
} as const;

export type RateKey = keyof typeof RUN_RATES;
/** Rates that are published to the whole cluster. */
export type HeadlineRateKey = {
  [Key in RateKey]: (typeof RUN_RATES)[Key]['level'] extends 'headline' ? Key : never;
}[RateKey];
/** Rates that every report has once, for any run. */
type ReportRateKey = Exclude<RateKey, 'perUserTokensPerSecond' | SomeRateKey>;
/** Only for a run with objectives for requests, or of rankings. */
type SomeRateKey = 'goodput' | 'goodOutputTokensPerSecond' | 'documentsPerSecond';

export type ReportRates = Readonly<Record<ReportRateKey, Reported<number>>> &
  Readonly<Partial<Record<SomeRateKey, Reported<number>>>> & {
    readonly perUserTokensPerSecond: { readonly p50: Reported<number>; readonly p90: Reported<number> };
  };

const isRateKey = (name: string): name is RateKey => Object.hasOwn(RUN_RATES, name);

export const RATE_KEYS: readonly RateKey[] = Object.keys(RUN_RATES).filter(isRateKey);

const isReportRate = (key: RateKey): key is ReportRateKey =>
  key !== 'perUserTokensPerSecond' &&
  key !== 'goodput' &&
  key !== 'goodOutputTokensPerSecond' &&
  key !== 'documentsPerSecond';

export const REPORT_RATE_KEYS: readonly ReportRateKey[] = RATE_KEYS.filter(isReportRate);

const isHeadlineRate = (key: RateKey): key is HeadlineRateKey => RUN_RATES[key].level === 'headline';

export const HEADLINE_RATE_KEYS: readonly HeadlineRateKey[] = RATE_KEYS.filter(isHeadlineRate);

export const rateRow = (key: RateKey): RateRow => RUN_RATES[key];

export const reportRates = (sources: RateSources): ReportRates => ({
  ...recordOf(REPORT_RATE_KEYS, key => RUN_RATES[key].of(sources)),
  perUserTokensPerSecond: { p50: perUser(sources, '50'), p90: perUser(sources, '90') },
  ...((sources.metrics.series('rankedDocuments')?.count ?? 0) > 0
    ? { documentsPerSecond: RUN_RATES.documentsPerSecond.of(sources) }
    : {}),
  ...(sources.objectives.length === 0
    ? {}
    : {
        goodput: RUN_RATES.goodput.of(sources),
        goodOutputTokensPerSecond: RUN_RATES.goodOutputTokensPerSecond.of(sources),
      }),
});

/** Vectors and rankings have none to count: they are not missing. */
export const hasOutputTokens = (api: Reported<string> | undefined): boolean =>
  api !== 'embeddings' && api !== 'rerank' && api !== 'tei-rerank';

export const NO_OUTPUT_TOKENS = 'not applicable: the replies of this API have no output tokens';

/** Over the completed samples that the metrics know now. */
export const tokensOf = (metrics: MetricLookup, key: 'inputTokens' | 'outputTokens'): Reported<number> => {
  const { completed } = metrics.counts('measured');
  const series = metrics.series(key);
  if (completed === 0) return unknown('no request completed');
  if (series === undefined || series.count === 0) return unknown("the server's usage was missing");
  if (series.count < completed)
    return unknown(
      `the server's usage was missing for ${completed - series.count} of ${counted(completed, 'sample')}`,
    );
  return Number(series.total);
};

const outputTokensOf = ({ metrics, run }: RateSources): Reported<number> =>
  hasOutputTokens(run.api) ? tokensOf(metrics, 'outputTokens') : unknown(NO_OUTPUT_TOKENS);

const windowNs = (metrics: MetricLookup): Reported<number> => {
  const window = metrics.counter('windowNs');
  if (window > 0) return window;
  const { issued, completed } = metrics.counts('measured');
  if (issued === 0) return unknown('nothing was measured');
  return unknown(completed === 0 ? 'no request completed' : 'the window has no length');
};

const steadyStateNs = ({ metrics, run: { pattern, shape } }: RateSources): Reported<number> => {
  if (pattern.kind !== 'concurrency' || hasSteps(shape))
    return unknown('only a fixed concurrency has a plateau');
  const window = metrics.counter('steadyStateNs');
  return window > 0
    ? window
    : unknown(
        `${counted(pattern.concurrency, 'request')} ${ofCount(pattern.concurrency, 'was', 'were')} never in flight at once`,
      );
};

const goodSamples = (metrics: MetricLookup, objectives: readonly RequestLimit[]): Reported<number> => {
  const unknowns = objectives.map(({ name }) => metrics.counter(`objective.${name}.unknown`));
  const most = maximumOf(unknowns);
  return most > 0
    ? unknown(`${counted(most, 'request')} ${ofCount(most, 'lacks', 'lack')} the figure of an objective`)
    : metrics.counter('goodSamples');
};

const goodOutputTokens = (sources: RateSources): Reported<number> => {
  const { metrics, objectives } = sources;
  const samples = goodSamples(metrics, objectives);
  if (isUnknown(samples)) return samples;
  const all = outputTokensOf(sources);
  if (isUnknown(all)) return all;
  return metrics.counter('goodOutputTokens');
};

const perUser = ({ metrics, run }: RateSources, percentile: '50' | '90'): Reported<number> => {
  if (!hasOutputTokens(run.api)) return unknown(NO_OUTPUT_TOKENS);
  const tpotNs = metrics.series('tpotNs')?.percentiles[percentile];
  if (tpotNs === undefined) {
    if (!run.isStreaming) return unknown('not streamed');
    const tokens = tokensOf(metrics, 'outputTokens');
    return isUnknown(tokens) ? tokens : unknown('no request has a time per output token');
  }
  return tpotNs > 0 ? 1e9 / tpotNs : unknown('all tokens came at one moment');
};

const sum = (a: Reported<number>, b: Reported<number>): Reported<number> => {
  if (isUnknown(a)) return a;
  return isUnknown(b) ? b : a + b;
};

const perSecond = (amount: number | Unknown, spanNs: number | Unknown): Reported<number> => {
  if (isUnknown(spanNs)) return spanNs;
  return isUnknown(amount) ? amount : (amount * 1e9) / spanNs;
};
