// A run as `vllm bench serve --save-result` would have written it: the result file that most dashboards of this field
// read. By vLLM's definitions (vllm/benchmarks/serve.py, calculate_metrics) from our samples; missing values are
// null.

import type { EndedSample } from '../../core/run/ended-sample.ts';
import type { ObjectiveName } from '../../core/run/objective.ts';
import type { Report } from '../../core/run/report.ts';
import { burstinessOf, isOpenLoop } from '../../core/run/run-pattern.ts';
import { isOfTrace } from '../../core/run/run-shape.ts';
import { RawValues } from '../../core/statistics/raw-values.ts';
import { knownOr } from '../../core/unknown.ts';
import {
  type ForeignFigures,
  ForeignTotals,
  type NamedStatistic,
  namedSummary,
  peakConcurrency,
  type SampleReading,
} from './foreign-series.ts';

/** One JSON object. @throws the system's error */
export async function* vllmResult(report: Report, samples: SampleReading): AsyncGenerator<string> {
  const totals = new ForeignTotals();
  const gapsNs = new RawValues();
  let good = 0;
  for await (const sample of samples()) {
    const figures = totals.add(sample);
    if (figures === undefined) continue;
    if (isGood(report, figures)) good += 1;
    for (const gap of sample.chunkGapsNs) gapsNs.add(gap);
  }
  const seconds = (totals.lastEndNs - totals.firstSentNs) / 1e9;
  const input = totals.tokens('inputTokens');
  const output = totals.tokens('outputTokens');
  const perSecond = (count: number | undefined): number | null =>
    count === undefined || !(seconds > 0) ? null : count / seconds;
  const result = {
    ...headOf(report),
    num_prompts: totals.completed + totals.failed,
    ...pacingOf(report.run),
    duration: seconds > 0 ? seconds : null,
    completed: totals.completed,
    failed: totals.failed,
    total_input_tokens: input ?? null,
    total_output_tokens: output ?? null,
    request_throughput: perSecond(totals.completed),
    request_goodput: hasGoodput(report) ? perSecond(good) : null,
    output_throughput: perSecond(output),
    total_token_throughput: perSecond(
      input === undefined || output === undefined ? undefined : input + output,
    ),
    max_output_tokens_per_s: totals.completed === 0 ? 0 : await busiestSecond(samples, totals.startsNs),
    max_concurrent_requests: peakConcurrency(totals.startsNs.sorted(), totals.endsNs.sorted()),
    ...Object.assign(
      {},
      ...VLLM_SERIES.map(({ name, valuesOf }) => figuresMs(name, valuesOf(totals, gapsNs))),
    ),
  };
  yield `${JSON.stringify(result)}\n`;
}

const headOf = ({ plimsoll, run }: Report): Record<string, unknown> => {
  const backend = knownOr(run.api, 'chat') === 'completions' ? 'openai' : 'openai-chat';
  return {
    date: vllmDate(run.startedAt),
    endpoint_type: backend,
    backend,
    label: knownOr(run.name, null),
    model_id: knownOr(run.model, null),
    tokenizer_id: null,
    plimsoll_version: plimsoll.version,
    plimsoll_run: run.id,
  };
};

/** "20260131-142501", as vLLM writes it, but in UTC. */
const vllmDate = (iso: string): string => iso.replace(/[-:]/g, '').replace('T', '-').slice(0, 15);

const pacingOf = ({ pattern, shape }: Report['run']): Record<string, unknown> => {
  // The arrivals of a trace are not random.
  if (isOfTrace(shape) && isOpenLoop(pattern))
    return { request_rate: pattern.requestsPerSecond, burstiness: null, max_concurrency: null };
  if (isOpenLoop(pattern)) {
    const burstiness = burstinessOf(pattern);
    return {
      request_rate: pattern.requestsPerSecond,
      burstiness: Number.isFinite(burstiness) ? burstiness : 'inf',
      max_concurrency: null,
    };
  }
  switch (pattern.kind) {
    case 'concurrency':
      return { request_rate: 'inf', burstiness: 1, max_concurrency: pattern.concurrency };
    case 'max-throughput':
      return { request_rate: 'inf', burstiness: 1, max_concurrency: null };
    default:
      return pattern satisfies never;
  }
};

/** Milliseconds; null for a series without a value, where vLLM itself writes 0. */
const figuresMs = (name: string, ns: RawValues): Record<string, number | null> => {
  const names = STATISTICS.map(([prefix, statistic]): NamedStatistic => [`${prefix}_${name}_ms`, statistic]);
  return namedSummary(ns, 1e6, names) ?? Object.fromEntries(names.map(([field]) => [field, null]));
};

/** What precedes the name of a series; read too, with any other percentile. */
const STATISTICS: readonly NamedStatistic[] = [
  ['mean', 'mean'],
  ['median', 50],
  ['std', 'stdDev'],
  ...[50, 90, 95, 99].map((p): NamedStatistic => [`p${p}`, p]),
];

/** By vLLM's name, written and read: the series of ours, and the values of a run. */
export const VLLM_SERIES: readonly {
  readonly name: string;
  readonly series: 'ttftNs' | 'tpotNs' | 'chunkGapNs' | 'latencyNs';
  readonly valuesOf: (totals: ForeignTotals, gapsNs: RawValues) => RawValues;
}[] = [
  { name: 'ttft', series: 'ttftNs', valuesOf: ({ ttftNs }) => ttftNs },
  { name: 'tpot', series: 'tpotNs', valuesOf: ({ perTokenNs }) => perTokenNs },
  { name: 'itl', series: 'chunkGapNs', valuesOf: (_, gapsNs) => gapsNs },
  { name: 'e2el', series: 'latencyNs', valuesOf: ({ latencyNs }) => latencyNs },
];

/** vLLM has only these three limits; with another objective its goodput would ignore that one. */
const hasGoodput = ({ objectives = [] }: Report): boolean =>
  objectives.length > 0 && objectives.every(({ name }) => isOfVllm(name));

const isOfVllm = (name: ObjectiveName): name is VllmObjective =>
  VLLM_OBJECTIVES.some(objective => objective === name);

/** A reply of one token has no time between tokens, which vLLM counts as 0. */
const isGood = (
  { objectives = [] }: Report,
  { latencyNs, ttftNs = 0, perTokenNs = 0 }: ForeignFigures,
): boolean => {
  const figures = { ttft: ttftNs, tpot: perTokenNs, latency: latencyNs };
  return objectives.every(({ name, limitNs }) => isOfVllm(name) && figures[name] <= limitNs);
};

const VLLM_OBJECTIVES = ['ttft', 'tpot', 'latency'] as const;
type VllmObjective = (typeof VLLM_OBJECTIVES)[number];

/** Content chunks in the fullest second since the first request that completed was sent. */
const busiestSecond = async (samples: SampleReading, startsNs: RawValues): Promise<number> => {
  const zeroNs = startsNs.sorted()[0] ?? 0;
  const seconds = new Map<number, number>();
  const count = (atNs: number): void => {
    const second = Math.floor((atNs - zeroNs) / 1e9);
    seconds.set(second, (seconds.get(second) ?? 0) + 1);
  };
  for await (const sample of samples()) if (sample.outcome === 'completed') countChunks(sample, count);
  return [...seconds.values()].reduce((most, chunks) => Math.max(most, chunks), 0);
};

const countChunks = ({ firstContentNs, chunkGapsNs }: EndedSample, count: (atNs: number) => void): void => {
  let atNs = firstContentNs;
  if (atNs < 0) return;
  count(atNs);
  for (const gap of chunkGapsNs) {
    atNs += gap;
    count(atNs);
  }
};
