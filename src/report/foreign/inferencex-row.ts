// A run as InferenceX aggregates one of AgentX: the file agg_*.json of utils/agentic/aggregation/process_agentic_result.py
// (SemiAnalysisAI/InferenceX), by its definitions from our samples. What describes hardware and server comes from tags of
// the run; without one it is null, and with it the figures per GPU.

import { isContextRefusal } from '../../core/run/failure-advice.ts';
import type { Report } from '../../core/run/report.ts';
import { shapeOf } from '../../core/run/run-shape.ts';
import { judgedRules } from '../../core/scenario/scenario-rules.ts';
import { RawValues } from '../../core/statistics/raw-values.ts';
import { isUnknown, knownOr } from '../../core/unknown.ts';
import { ForeignTotals, type NamedStatistic, namedSummary, type SampleReading } from './foreign-series.ts';

/** One JSON object on one line. @throws the system's error */
export async function* inferencexRow(report: Report, samples: SampleReading): AsyncGenerator<string> {
  const totals = new ForeignTotals();
  const secondsPerToken = new RawValues();
  for await (const sample of samples()) {
    const figures = totals.add(sample);
    const { latencyNs = 0, outputTokens = 0 } = figures ?? {};
    if (latencyNs > 0 && outputTokens > 0) secondsPerToken.add(latencyNs / 1e9 / outputTokens);
  }
  const { run, counts, warmup } = report;
  const rules = judgedRules(report);
  const row = {
    ...tagged(report),
    conc: run.pattern.kind === 'concurrency' ? run.pattern.concurrency : null,
    model: knownOr(run.model, null),
    framework: tagOf(report, 'framework') ?? knownOr(run.serverKind, null),
    scenario_type: 'agentic-coding',
    num_requests_total: counts.completed + counts.failed + warmup.completed + warmup.failed,
    num_requests_successful: totals.completed,
    request_accounting: {
      records_total: counts.completed + counts.failed + warmup.completed + warmup.failed,
      records_profiled: totals.completed,
      records_dropped_total: counts.failed + warmup.completed + warmup.failed,
      records_warmup_dropped: warmup.completed + warmup.failed,
      records_error_dropped: counts.failed + warmup.failed,
      error_categories: report.errors,
    },
    request_metrics: {
      qps: perSecond(totals),
      latency: latencies(totals, secondsPerToken),
      tokens: {
        input: summary(totals.inputTokens, 1),
        output_actual: summary(totals.outputTokens, 1),
      },
      throughput: throughput(totals, gpusOf(report)),
      cache: { theoretical_cache_hit_rate: sharedOf(report) },
    },
    scenario: run.scenario?.name ?? null,
    submission_valid: run.scenario === undefined ? null : rules.every(({ broken }) => broken === undefined),
    submission_invalid_reasons: rules.flatMap(({ key, broken }) => (broken === undefined ? [] : [key])),
    context_overflow_count: overflows(report),
    plimsoll: { version: report.plimsoll.version, run: run.id },
  };
  yield `${JSON.stringify(row)}\n`;
}

/** Keys of the row that a tag of the same name sets: --tag hw=h100. */
const TAGS = [
  ...['hw', 'image', 'infmax_model_prefix', 'precision', 'spec_decoding', 'kv_offloading'],
  ...['tp', 'pp', 'ep', 'dp_attention', 'disagg', 'is_multinode'],
] as const;

const tagOf = ({ run: { tags } }: Report, name: string): string | undefined =>
  isUnknown(tags) ? undefined : tags[name];

const tagged = (report: Report): Record<string, unknown> =>
  Object.fromEntries(TAGS.map(name => [name, typed(tagOf(report, name))]));

/** "8" is a number there, "false" is not text. */
const typed = (text: string | undefined): string | number | boolean | null => {
  if (text === undefined) return null;
  if (text === 'true' || text === 'false') return text === 'true';
  return /^\d{1,9}$/.test(text) ? Number(text) : text;
};

/** As the row's own makers count them: tp times pp. */
const gpusOf = (report: Report): number | undefined => {
  const [tp, pp] = [typed(tagOf(report, 'tp')), typed(tagOf(report, 'pp') ?? '1')];
  return typeof tp === 'number' && typeof pp === 'number' && tp * pp > 0 ? tp * pp : undefined;
};

const STATISTICS: readonly NamedStatistic[] = [
  ['mean', 'mean'],
  ...[50, 75, 90, 95].map((p): NamedStatistic => [`p${p}`, p]),
  ['std', 'stdDev'],
];

const summary = (values: RawValues, divisor: number): Readonly<Record<string, number>> =>
  namedSummary(values, divisor, STATISTICS) ?? {};

/** Seconds; interactivity is 1 over each statistic of a time for a token, and its deviation that of the inverses. */
const latencies = (
  { ttftNs, latencyNs, perTokenNs }: ForeignTotals,
  secondsPerToken: RawValues,
): Record<string, unknown> => ({
  ttft: summary(ttftNs, 1e9),
  e2el: summary(latencyNs, 1e9),
  itl: summary(perTokenNs, 1e9),
  tpot: summary(perTokenNs, 1e9),
  intvty: inverse(perTokenNs, 1e9),
  e2e_norm_intvty: inverse(secondsPerToken, 1),
});

const inverse = (values: RawValues, divisor: number): Readonly<Record<string, number>> => {
  const inverses = new RawValues();
  for (const value of values.inOrder()) if (value > 0) inverses.add(divisor / value);
  const figures = Object.entries(summary(values, divisor)).flatMap(([name, value]) =>
    value > 0 && name !== 'std' ? [[name, 1 / value] as const] : [],
  );
  const { std } = summary(inverses, 1);
  return { ...Object.fromEntries(figures), ...(std === undefined ? {} : { std }) };
};

/** Requests that ended in each second from the first end on; the part of a second at the end is left out. */
const perSecond = ({ endsNs }: ForeignTotals): Record<string, unknown> => {
  const ends = endsNs.sorted();
  const [first = 0] = ends;
  const seconds = Math.floor(((ends.at(-1) ?? 0) - first) / 1e9);
  const each = new Float64Array(seconds);
  for (const end of ends) {
    const at = Math.floor((end - first) / 1e9);
    if (at < seconds) each[at] = (each[at] ?? 0) + 1;
  }
  const counted = new RawValues();
  for (const count of each) counted.add(count);
  return { window_seconds: 1, samples: seconds, ...summary(counted, 1) };
};

const throughput = (totals: ForeignTotals, gpus: number | undefined): Record<string, unknown> => {
  const first = totals.startsNs.sorted()[0] ?? 0;
  const seconds = ((totals.endsNs.sorted().at(-1) ?? 0) - first) / 1e9;
  const [input, output] = [totals.tokens('inputTokens'), totals.tokens('outputTokens')];
  const rate = (tokens: number | undefined): number | null =>
    tokens === undefined || !(seconds > 0) ? null : tokens / seconds;
  const total = input === undefined || output === undefined ? undefined : input + output;
  const rates = { total_tput_tps: rate(total), output_tput_tps: rate(output), input_tput_tps: rate(input) };
  return {
    input: { tokens_per_second: rates.input_tput_tps },
    output: { tokens_per_second: rates.output_tput_tps },
    total: { tokens_per_second: rates.total_tput_tps },
    duration_seconds: seconds,
    per_gpu:
      gpus === undefined
        ? {}
        : Object.fromEntries(
            Object.entries(rates).map(([name, value]) => [name, value === null ? null : value / gpus]),
          ),
  };
};

const sharedOf = ({ run }: Report): number | null => {
  const { trace } = shapeOf(run);
  if (isUnknown(trace) || isUnknown(trace.sharedTokens) || trace.inputTokens === 0) return null;
  return trace.sharedTokens / trace.inputTokens;
};

const overflows = ({ failures }: Report): number | null =>
  isUnknown(failures)
    ? null
    : failures.groups
        .filter(({ example }) => isContextRefusal(example))
        .reduce((sum, { count }) => sum + count, 0);
