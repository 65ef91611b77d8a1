// A finished run in OpenTelemetry's GenAI conventions for clients: histograms of its measured requests, and traces of
// some of them. The conventions are in development (semantic-conventions-genai); docs/opentelemetry.md lists which
// names are theirs.

import { createHash } from 'node:crypto';
import { type EndedSample, gapsByChoice } from '../../core/run/ended-sample.ts';
import { NO_FIGURE } from '../../core/run/event-record.ts';
import type { ReportRun } from '../../core/run/report.ts';
import { isSampleSeries, SERIES_KEYS, type SeriesKey, seriesRow } from '../../core/run/run-series.ts';
import { isKnown } from '../../core/unknown.ts';
import { fileLines } from '../../metrics/file-lines.ts';
import { sampleFigures } from '../../metrics/sample-figures.ts';
import { SAMPLE_LINE_BYTES_MAX } from '../../metrics/samples-file.ts';
import { decodeSampleLine } from '../../wire/sample-line.ts';
import {
  type Attributes,
  metricsRequest,
  type OtlpHistogram,
  type OtlpResource,
  type OtlpSpan,
  otlpAttributes,
  tracesRequest,
} from './otlp-json.ts';
import { errorType, sampleSpans } from './sample-spans.ts';

/** Requests of a run whose traces are sent: sampled evenly, the same ones each time. */
export const TRACED_SAMPLES_MAX = 200;

export interface OtlpMessage {
  readonly path: '/v1/metrics' | '/v1/traces';
  readonly body: string;
}

/** @throws the system's error if samples.jsonl cannot be read. */
export const runTelemetry = async (
  run: ReportRun,
  samplesPath: string,
  { version, isInterrupted }: { readonly version: string; readonly isInterrupted: boolean },
): Promise<readonly OtlpMessage[]> => {
  const counted = new CountedRun(run);
  const traced = new TracedSamples(run.id);
  for await (const line of fileLines(samplesPath, { lineBytesMax: SAMPLE_LINE_BYTES_MAX })) {
    const decoded = line.kind === 'too-long' ? undefined : decodeSampleLine(line.text);
    if (decoded?.kind !== 'sample' || decoded.sample.window < 0) continue;
    counted.add(decoded.sample);
    traced.add(decoded.sample);
  }
  const resource: OtlpResource = {
    resource: {
      attributes: otlpAttributes({
        'service.name': 'plimsoll',
        'service.version': version,
        'service.instance.id': run.id,
        'plimsoll.run.id': run.id,
        'plimsoll.run.interrupted': isInterrupted ? 'true' : undefined,
        'plimsoll.run.name': isKnown(run.name) ? run.name : undefined,
      }),
    },
    scope: { name: 'plimsoll', version },
  };
  const spans = traced.samples.flatMap(sample =>
    sampleSpans(sample, {
      runId: run.id,
      zeroNs: zeroOf(run),
      attributes: { ...attributesOf(run), ...requestedOne(run, sample) },
    }),
  );
  const metrics = counted.metrics();
  return [
    ...(metrics.length === 0
      ? []
      : [{ path: '/v1/metrics' as const, body: metricsRequest(resource, metrics) }]),
    ...inParts(spans).map(part => ({ path: '/v1/traces' as const, body: tracesRequest(resource, part) })),
  ];
};

/** Attributes of every figure and span of a run. */
const attributesOf = ({ api, model, models, serverKind, target }: ReportRun): Attributes => ({
  'gen_ai.operation.name': (isKnown(api) ? OPERATIONS[api] : undefined) ?? 'chat',
  // Required by the conventions; the kind of server is the best known value of the provider.
  'gen_ai.provider.name': isKnown(serverKind) ? serverKind : 'openai',
  'gen_ai.request.model': models === undefined && isKnown(model) ? model : undefined,
  ...serverOf(target),
});

/** If the run used several models or servers, the one of this request. */
const requestedOne = ({ models, urls }: ReportRun, { note }: EndedSample): Attributes => {
  const variant = note?.variant ?? NO_FIGURE;
  return {
    ...(models === undefined ? {} : { 'gen_ai.request.model': models[variant]?.model }),
    ...serverOf(urls?.[variant]?.url ?? ''),
  };
};

const serverOf = (target: string): Attributes => {
  if (!URL.canParse(target)) return {};
  const { protocol, hostname, pathname, port } = new URL(target);
  // A socket path, which has no port; the server's path follows after a colon.
  if (protocol === 'unix:') return { 'server.address': pathname.split(':')[0] };
  const usual = protocol === 'https:' ? 443 : 80;
  return { 'server.address': hostname.replace(/^\[|\]$/g, ''), 'server.port': Number(port || usual) };
};

class CountedRun {
  readonly #run: ReportRun;
  readonly #groups = new Map<string, { readonly group: Group; readonly histogram: BucketHistogram }>();
  #endNs = 0;

  constructor(run: ReportRun) {
    this.#run = run;
  }

  add(sample: EndedSample): void {
    const { sentNs, endNs, outcome } = sample;
    this.#endNs = Math.max(this.#endNs, endNs);
    if (outcome === 'cancelled') return; // cancelled on purpose: no evidence about the server
    const requested = requestedOne(this.#run, sample);
    // The conventions have failures in the duration, and in nothing else.
    if (outcome === 'failed')
      this.#record('latencyNs', endNs - sentNs, { ...requested, 'error.type': errorType(sample) });
    if (outcome !== 'completed') return;
    const figures = sampleFigures(sample, this.#run.streaming);
    if (figures === undefined) return;
    for (const key of EXPORTED) {
      if (isSampleSeries(key)) this.#record(key, figures[key], requested);
      else if (this.#run.streaming) for (const gap of gapsByChoice(sample)) this.#record(key, gap, requested);
    }
  }

  metrics(): readonly OtlpHistogram[] {
    const zeroNs = zeroOf(this.#run);
    const times = { startTimeUnixNano: String(zeroNs), timeUnixNano: String(zeroNs + BigInt(this.#endNs)) };
    const shared = attributesOf(this.#run);
    const groups = [...this.#groups.values()];
    const instruments = new Map(
      EXPORTED.flatMap(key => {
        const { otlp, unit } = seriesRow(key);
        if (otlp === undefined) return [];
        const { name, description } = otlp;
        return [[name, { name, unit: unit === 'ns' ? 's' : '{token}', description }] as const];
      }),
    );
    return [...instruments.values()].flatMap(instrument => {
      const dataPoints = groups
        .filter(({ group }) => group.name === instrument.name)
        .map(({ group, histogram }) => ({
          attributes: otlpAttributes({ ...shared, ...group.attributes }),
          ...times,
          count: String(histogram.count),
          sum: histogram.sum,
          min: histogram.min,
          max: histogram.max,
          bucketCounts: histogram.counts.map(String),
          explicitBounds: histogram.bounds,
        }));
      return dataPoints.length === 0
        ? []
        : [{ ...instrument, histogram: { aggregationTemporality: 2 as const, dataPoints } }];
    });
  }

  #record(series: SeriesKey, value: number, requested: Attributes): void {
    const { otlp, unit } = seriesRow(series);
    if (otlp === undefined || value === NO_FIGURE) return;
    const attributes = { ...requested, ...otlp.attributes };
    const key = `${otlp.name} ${Object.values(attributes).join(' ')}`;
    const isTime = unit === 'ns';
    let existing = this.#groups.get(key);
    if (existing === undefined) {
      const histogram = new BucketHistogram(isTime ? SECONDS : TOKENS);
      existing = { group: { name: otlp.name, attributes }, histogram };
      this.#groups.set(key, existing);
    }
    existing.histogram.record(isTime ? value / 1e9 : value);
  }
}

const EXPORTED: readonly SeriesKey[] = SERIES_KEYS.filter(key => seriesRow(key).otlp !== undefined);

interface Group {
  readonly name: string;
  readonly attributes: Attributes;
}

/**
 * Those with the smallest hash of their number: every request has the same chance, and a run sends the same ones
 * again.
 */
class TracedSamples {
  readonly #runId: string;
  #ranked: { readonly rank: string; readonly sample: EndedSample }[] = [];

  constructor(runId: string) {
    this.#runId = runId;
  }

  add(sample: EndedSample): void {
    const rank = createHash('sha256').update(`${this.#runId} ${sample.sampleId}`).digest('hex');
    const last = this.#ranked.at(-1);
    if (this.#ranked.length >= TRACED_SAMPLES_MAX && last !== undefined && rank >= last.rank) return;
    const at = this.#ranked.findIndex(one => rank < one.rank);
    this.#ranked.splice(at === -1 ? this.#ranked.length : at, 0, { rank, sample });
    this.#ranked = this.#ranked.slice(0, TRACED_SAMPLES_MAX);
  }

  get samples(): readonly EndedSample[] {
    return this.#ranked.map(({ sample }) => sample);
  }
}

/** The run's zero by the wall clock of its machine: good for placing it in time, not for comparing clocks. */
const zeroOf = ({ startedAt }: ReportRun): bigint => {
  const startedMs = Date.parse(startedAt);
  return BigInt(Number.isFinite(startedMs) ? startedMs : 0) * 1_000_000n;
};

const inParts = (spans: readonly OtlpSpan[]): readonly (readonly OtlpSpan[])[] =>
  Array.from({ length: Math.ceil(spans.length / SPANS_IN_MESSAGE) }, (_, at) =>
    spans.slice(at * SPANS_IN_MESSAGE, (at + 1) * SPANS_IN_MESSAGE),
  );

const OPERATIONS: Readonly<Record<string, string>> = {
  completions: 'text_completion',
  'ollama-generate': 'text_completion',
  'llama.cpp': 'text_completion',
  sglang: 'text_completion',
  embeddings: 'embeddings',
  // Not in the conventions, which allow other names.
  rerank: 'rerank',
  'tei-rerank': 'rerank',
};
const SPANS_IN_MESSAGE = 200;
const SECONDS: readonly number[] = Array.from({ length: 14 }, (_, at) => (0.01 * 2 ** at * 1e6) / 1e6);
const TOKENS: readonly number[] = Array.from({ length: 14 }, (_, at) => 4 ** at);
// A histogram with fixed bounds as in OpenTelemetry: a value that equals a bound belongs to the lower bucket.
class BucketHistogram {
  readonly bounds: readonly number[];
  readonly counts: number[];
  count = 0;
  sum = 0;
  min: number = Number.POSITIVE_INFINITY;
  max: number = Number.NEGATIVE_INFINITY;

  /** @param bounds ascending */
  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  record(value: number): void {
    let at = 0;
    while (at < this.bounds.length && value > (this.bounds[at] ?? value)) at += 1;
    this.counts[at] = (this.counts[at] ?? 0) + 1;
    this.count += 1;
    this.sum += value;
    this.min = Math.min(this.min, value);
    this.max = Math.max(this.max, value);
  }
}
