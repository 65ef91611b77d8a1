// A run as GenAI-Perf's profile_export_genai_perf.json, whose shape AIPerf's profile_export_aiperf.json has kept: a unit, a
// mean and percentiles for each metric, by their definitions, over the requests that completed.

import type { Report } from '../../core/run/report.ts';
import { RawValues } from '../../core/statistics/raw-values.ts';
import { knownOr } from '../../core/unknown.ts';
import { ForeignTotals, type NamedStatistic, namedSummary, type SampleReading } from './foreign-series.ts';

/**
 * One JSON object; a metric without data from the server is left out, as in both tools. @throws the system's error
 */
export async function* genaiPerfSummary(report: Report, samples: SampleReading): AsyncGenerator<string> {
  const totals = new ForeignTotals();
  for await (const sample of samples()) totals.add(sample);
  const perTokenNs = rounded(totals.perTokenNs);
  const seconds = spanNs(totals) / 1e9;
  const output = totals.tokens('outputTokens');
  const summary = {
    ...rate('request_throughput', 'requests/sec', totals.completed / seconds),
    ...spread('request_latency', 'ms', totals.latencyNs, 1e6),
    ...spread('time_to_first_token', 'ms', totals.ttftNs, 1e6),
    ...spread('time_to_second_token', 'ms', totals.secondTokenNs, 1e6),
    ...spread('inter_token_latency', 'ms', perTokenNs, 1e6),
    ...rate('output_token_throughput', 'tokens/sec', output === undefined ? Number.NaN : output / seconds),
    ...spread('output_token_throughput_per_user', 'tokens/sec/user', speeds(perTokenNs), 1),
    ...spread('output_sequence_length', 'tokens', totals.outputTokens, 1),
    ...spread('input_sequence_length', 'tokens', totals.inputTokens, 1),
    request_count: { unit: 'count', avg: totals.completed },
    // Not as input_config: AIPerf's reader parses that as its own configuration, and refuses unknown fields.
    plimsoll: {
      version: report.plimsoll.version,
      run: report.run.id,
      url: report.run.target,
      model: knownOr(report.run.model, null),
      command: knownOr(report.run.command, null),
    },
  };
  yield `${JSON.stringify(summary, undefined, 2)}\n`;
}

/** First request sent to last content of those that completed. */
const spanNs = ({ startsNs, endsNs }: ForeignTotals): number =>
  (endsNs.sorted().at(-1) ?? 0) - (startsNs.sorted()[0] ?? 0);

/** GenAI-Perf rounds the time between tokens to whole nanoseconds before it is summarised. */
const rounded = (values: RawValues): RawValues => mapped(values, value => Math.round(value));

const speeds = (perTokenNs: RawValues): RawValues =>
  mapped(perTokenNs, ns => (ns === 0 ? undefined : 1e9 / ns));

const mapped = (values: RawValues, of: (value: number) => number | undefined): RawValues => {
  const made = new RawValues();
  for (const value of values.inOrder()) {
    const figure = of(value);
    if (figure !== undefined) made.add(figure);
  }
  return made;
};

const rate = (name: string, unit: string, avg: number): Record<string, unknown> =>
  Number.isFinite(avg) ? { [name]: { unit, avg } } : {};

const spread = (name: string, unit: string, values: RawValues, divisor: number): Record<string, unknown> => {
  const summary = namedSummary(values, divisor, STATISTICS);
  return summary === undefined ? {} : { [name]: { unit, ...summary } };
};

const STATISTICS: readonly NamedStatistic[] = [
  ['avg', 'mean'],
  ...[1, 5, 10, 25, 50, 75, 90, 95, 99].map((p): NamedStatistic => [`p${p}`, p]),
  ['min', 0],
  ['max', 100],
  ['std', 'stdDev'],
];
