// A run as GuideLLM's benchmarks.json, schema 2, or the runs of a sweep as one file with a benchmark each: its own models refuse
// unknown fields, so our additions are in the labels of its configuration.

import type { EndedSample } from '../../core/run/ended-sample.ts';
import type { Report, ReportRun } from '../../core/run/report.ts';
import { isOpenLoop, patternLabel, type SchedulePattern } from '../../core/run/run-pattern.ts';
import { isUnknown, knownOr } from '../../core/unknown.ts';
import type { SampledRun, SampleReading } from './foreign-series.ts';
import { guidellmMetrics } from './guidellm-metrics.ts';
import {
  GUIDELLM_STATUSES,
  type GuidellmRequest,
  type GuidellmStatus,
  guidellmRequest,
  guidellmRequestJson,
} from './guidellm-request.ts';

/** With one benchmark. @throws the system's error */
export const guidellmReport = (report: Report, samples: SampleReading): AsyncGenerator<string> =>
  guidellmSeries(report.run.id, [{ report, samples }]);

/** With one benchmark for each run, at least one, in their order. @throws the system's error */
export async function* guidellmSeries(id: string, runs: readonly SampledRun[]): AsyncGenerator<string> {
  const config = scenarioOf(
    id,
    runs.map(({ report }) => report),
  );
  // The benchmarks are inserted into the empty list.
  yield `${JSON.stringify({ metadata: METADATA, config, benchmarks: [] }).slice(0, -']}'.length)}`;
  for (const [index, run] of runs.entries()) {
    if (index > 0) yield ',';
    yield* benchmarkOf(run, { id, index });
  }
  yield ']}\n';
}

/** Its place among the benchmarks of one file. */
interface Series {
  readonly id: string;
  readonly index: number;
}

/** Its requests are written one by one; the inputs of its distributions are in memory. */
async function* benchmarkOf({ report, samples }: SampledRun, series: Series): AsyncGenerator<string> {
  const zeroMs = Date.parse(report.run.startedAt);
  const requests: GuidellmRequest[] = [];
  for await (const sample of samples()) requests.push(guidellmRequest(sample, zeroMs));
  const from = requests.reduce((first, { start }) => Math.min(first, start), Number.POSITIVE_INFINITY);
  const measured = {
    from: Number.isFinite(from) ? from : zeroMs / 1e3,
    to: requests.reduce((last, { end }) => Math.max(last, end), zeroMs / 1e3),
  };
  const head = {
    type_: 'generative_benchmark',
    config: configOf(report, series),
    scheduler_state: schedulerState(requests, measured),
    scheduler_metrics: schedulerMetrics(requests, measured),
    metrics: guidellmMetrics(requests, { measured, isScheduled: isOpenLoop(report.run.pattern) }),
    start_time: measured.from,
    end_time: measured.to,
    duration: measured.to - measured.from,
    warmup_duration: 0,
    cooldown_duration: 0,
  };
  // Its requests are inserted at its end.
  yield `${JSON.stringify(head).slice(0, -1)},"requests":{"total":null`;
  for (const status of GUIDELLM_STATUSES) {
    yield `,${JSON.stringify(status)}:[`;
    yield* requestsOf(status, { report, samples, zeroMs });
    yield ']';
  }
  yield '}}';
}

async function* requestsOf(
  wanted: GuidellmStatus,
  {
    report,
    samples,
    zeroMs,
  }: { readonly report: Report; readonly samples: SampleReading; readonly zeroMs: number },
): AsyncGenerator<string> {
  let comma = '';
  for await (const sample of samples()) {
    const request = guidellmRequest(sample, zeroMs);
    if (request.status !== wanted) continue;
    const id = `${report.run.id}-${sample.sampleId}`;
    yield `${comma}${JSON.stringify(guidellmRequestJson(request, { id, error: errorOf(sample) }))}`;
    comma = ',';
  }
}

const errorOf = ({ failure }: EndedSample): string | undefined =>
  failure === undefined
    ? undefined
    : [failure.kind, ...(failure.statusCode === 0 ? [] : [String(failure.statusCode)]), failure.detail]
        .filter(text => text !== '')
        .join(': ');

const scenarioOf = (id: string, reports: readonly Report[]): unknown => {
  const [first] = reports;
  if (first === undefined) throw new TypeError('a file of GuideLLM has a benchmark');
  const { run, plimsoll, series } = first;
  return {
    metadata: { labels: { plimsoll_version: plimsoll.version, plimsoll_run: id, ...arrivalLabels(run) } },
    spec: {
      backend: { kind: 'openai_http', target: run.target, model: knownOr(run.model, null) },
      profile: profileOfAll(reports),
      data: [
        {
          kind: 'synthetic_text',
          prompt_tokens: Math.max(1, Math.round(series.inputTokens?.mean ?? 1)),
          output_tokens: Math.max(1, Math.round(series.outputTokens?.mean ?? 1)),
        },
      ],
    },
  };
};

/** Of a series: the kind that most of its runs have, with the rate or the streams of each. */
const profileOfAll = (reports: readonly Report[]): Record<string, unknown> => {
  const kinds = Map.groupBy(
    reports.map(({ run }) => profileOf(run)),
    ({ kind }) => kind,
  );
  const [most = []] = [...kinds.values()].toSorted((a, b) => b.length - a.length);
  return Object.fromEntries(
    Object.entries(most[0] ?? {}).map(([key, value]) => [
      key,
      Array.isArray(value) ? most.flatMap(({ [key]: values }) => values) : value,
    ]),
  );
};

const configOf = ({ run }: Report, { id, index }: Series): unknown => ({
  id_: run.id,
  run_id: id,
  run_index: index,
  strategy: strategyOf(run),
  constraints: {},
  profile: profileOf(run),
  requests: { data: run.dataset },
  backend: { target: run.target, model: knownOr(run.model, null), api: knownOr(run.api, null) },
  environment: {},
});

const profileOf = (run: ReportRun): Record<string, unknown> => {
  const { pattern } = run;
  const replayed = replayOf(run);
  if (replayed !== undefined) return { kind: 'replay', ...replayed };
  if (isOpenLoop(pattern)) return { kind: nearestStrategy(pattern), rate: [pattern.requestsPerSecond] };
  switch (pattern.kind) {
    case 'concurrency':
      return { kind: 'concurrent', streams: [pattern.concurrency] };
    case 'max-throughput':
      return { kind: 'throughput' };
    default:
      return pattern satisfies never;
  }
};

/** For the arrivals of a trace, which are not random. Their times are multiplied, ours divided. */
const replayOf = ({ pattern, shape }: ReportRun): Record<string, unknown> | undefined =>
  isOpenLoop(pattern) && !isUnknown(shape) && !isUnknown(shape.trace)
    ? { time_scale: 1 / shape.trace.speed, schedule_turn: 'timestamp' }
    : undefined;

const strategyOf = (run: ReportRun): Record<string, unknown> => {
  const { pattern, seed } = run;
  const replayed = replayOf(run);
  if (replayed !== undefined) return { type_: 'trace', ...replayed };
  if (isOpenLoop(pattern)) {
    const type = nearestStrategy(pattern);
    const rate = { type_: type, rate: pattern.requestsPerSecond };
    return type === 'constant' ? rate : { ...rate, random_seed: seed };
  }
  switch (pattern.kind) {
    case 'concurrency':
      return { type_: 'concurrent', streams: pattern.concurrency };
    case 'max-throughput':
      return { type_: 'throughput' };
    default:
      return pattern satisfies never;
  }
};

/** GuideLLM has no other distribution of arrivals, and rejects a strategy that it does not have. */
const nearestStrategy = ({ kind }: SchedulePattern): 'poisson' | 'constant' =>
  kind === 'constant' ? 'constant' : 'poisson';

/** What the strategy cannot express. */
const arrivalLabels = ({ pattern }: ReportRun): Record<string, string> =>
  pattern.kind === 'gamma' ? { plimsoll_arrivals: patternLabel(pattern) } : {};

interface Measured {
  readonly from: number;
  readonly to: number;
}

const schedulerState = (requests: readonly GuidellmRequest[], { from, to }: Measured): unknown => {
  const count = counted(requests);
  return {
    node_id: 0,
    num_processes: 1,
    start_time: from,
    end_time: to,
    start_requests_time: from,
    end_requests_time: to,
    created_requests: requests.length,
    queued_requests: 0,
    processing_requests: 0,
    processed_requests: requests.length,
    successful_requests: count('successful'),
    errored_requests: count('errored'),
    cancelled_requests: count('incomplete'),
  };
};

/** -1 is GuideLLM's own value for a missing average: our requests wait in no queue of processes. */
const schedulerMetrics = (requests: readonly GuidellmRequest[], { from, to }: Measured): unknown => {
  const count = counted(requests);
  const mean = (of: (request: GuidellmRequest) => number): number =>
    requests.reduce((sum, request) => sum + of(request), 0) / requests.length || -1;
  return {
    start_time: from,
    request_start_time: from,
    measure_start_time: from,
    measure_end_time: to,
    request_end_time: to,
    end_time: to,
    requests_made: {
      successful: count('successful'),
      errored: count('errored'),
      incomplete: count('incomplete'),
      total: requests.length,
    },
    queued_time_avg: -1,
    resolve_start_delay_avg: -1,
    resolve_targeted_start_delay_avg: -1,
    request_start_delay_avg: -1,
    request_targeted_start_delay_avg: mean(({ start, targeted }) => start - targeted),
    request_time_avg: mean(({ start, end }) => end - start),
    resolve_end_delay_avg: -1,
    resolve_time_avg: -1,
    finalized_delay_avg: -1,
    processed_delay_avg: -1,
  };
};

const counted =
  (requests: readonly GuidellmRequest[]): ((wanted: GuidellmStatus) => number) =>
  wanted =>
    requests.reduce((count, { status }) => (status === wanted ? count + 1 : count), 0);

/** The version whose models were followed. */
const METADATA = { version: 2, guidellm_version: '0.8.1', python_version: '', platform: 'plimsoll' };
