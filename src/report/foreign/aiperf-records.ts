// A run as AIPerf's profile_export.jsonl: one line for each request, warm-up left out, with AIPerf's names, units and
// definitions (its record metrics). AIPerf stamps by the wall clock; ours is the run's start plus its monotonic
// clock.

import type { EndedSample } from '../../core/run/ended-sample.ts';
import { NO_FIGURE } from '../../core/run/event-record.ts';
import { failureLabel } from '../../core/run/failure-text.ts';
import type { Report } from '../../core/run/report.ts';
import { type ForeignFigures, foreignFigures, type SampleReading } from './foreign-series.ts';

/** Lines of some thousand characters at a time. @throws the system's error */
export async function* aiperfRecords(report: Report, samples: SampleReading): AsyncGenerator<string> {
  const zeroNs = BigInt(Date.parse(report.run.startedAt)) * 1_000_000n;
  let text = '';
  for await (const sample of samples()) {
    text += `${recordText(sample, zeroNs, report)}\n`;
    if (text.length < PART_LENGTH) continue;
    yield text;
    text = '';
  }
  yield text;
}

/** Assembled as text around the stamps, because nanoseconds since 1970 exceed a number. */
const recordText = (sample: EndedSample, zeroNs: bigint, { run }: Report): string => {
  const at = (ns: number): string => String(zeroNs + BigInt(Math.round(ns)));
  const agent = run.from?.[sample.sampleId % run.from.length] ?? 'plimsoll';
  const metadata = [
    `"session_num":${sample.sampleId}`,
    `"x_request_id":${JSON.stringify(`${run.id}-${sample.sampleId}`)}`,
    `"request_start_ns":${at(sample.sentNs)}`,
    `"request_ack_ns":${sample.firstByteNs === NO_FIGURE ? 'null' : at(sample.firstByteNs)}`,
    `"request_end_ns":${at(sample.endNs)}`,
    `"worker_id":${JSON.stringify(agent)}`,
    `"record_processor_id":${JSON.stringify(agent)}`,
    '"benchmark_phase":"profiling"',
    `"was_cancelled":${sample.outcome === 'cancelled'}`,
    `"cancellation_time_ns":${sample.outcome === 'cancelled' ? at(sample.endNs) : 'null'}`,
  ];
  const metrics = sample.outcome === 'completed' ? metricsOf(sample) : {};
  return `{"metadata":{${metadata.join(',')}},"metrics":${JSON.stringify(metrics)},"error":${JSON.stringify(errorOf(sample))}}`;
};

const metricsOf = (sample: EndedSample): Record<string, Metric> => {
  const figures = foreignFigures(sample);
  const { ttftNs, secondTokenNs, perTokenNs, inputTokens, outputTokens } = figures;
  const gaps = sample.chunkGapsNs;
  return {
    ...metric('time_to_first_token', ttftNs, MILLISECONDS),
    ...metric('time_to_second_token', secondTokenNs, MILLISECONDS),
    ...metric('request_latency', figures.latencyNs, MILLISECONDS),
    ...metric('inter_token_latency', perTokenNs, MILLISECONDS),
    ...(gaps.length === 0
      ? {}
      : { inter_chunk_latency: { value: gaps.map(gap => gap / 1e6), unit: MILLISECONDS.unit } }),
    ...metric('output_token_throughput_per_user', speedOf(figures), { unit: 'tokens/sec/user', divisor: 1 }),
    ...metric('input_sequence_length', inputTokens, TOKENS),
    ...metric('output_sequence_length', outputTokens, TOKENS),
  };
};

const speedOf = ({ perTokenNs }: ForeignFigures): number | undefined =>
  perTokenNs === undefined || perTokenNs === 0 ? undefined : 1e9 / perTokenNs;

const metric = (
  name: string,
  figure: number | undefined,
  { unit, divisor }: { readonly unit: string; readonly divisor: number },
): Record<string, Metric> => (figure === undefined ? {} : { [name]: { value: figure / divisor, unit } });

const errorOf = ({ outcome, failure }: EndedSample): unknown => {
  if (outcome === 'cancelled') return { code: 499, type: 'cancelled', message: 'the run was stopped first' };
  if (failure === undefined) return null;
  const { kind, statusCode, detail } = failure;
  return {
    code: statusCode === 0 ? null : statusCode,
    type: kind,
    message: detail === '' ? failureLabel(failure) : detail,
  };
};

interface Metric {
  readonly value: number | readonly number[];
  readonly unit: string;
}

const MILLISECONDS = { unit: 'ms', divisor: 1e6 };
const TOKENS = { unit: 'tokens', divisor: 1 };
/** In characters, before they are written to disk. */
const PART_LENGTH = 256 * 1024;
