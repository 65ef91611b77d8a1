// What metrics cost: recording a value, a live snapshot, the final exact account, taking in the records of samples, and a
// line of samples.jsonl. Processor time rather than wall time where a single thread computes: the machine may be shared.

import type { EndedSample } from '../src/core/run/ended-sample.ts';
import type { EventRecord } from '../src/core/run/event-record.ts';
import { objectiveFields } from '../src/core/run/objective.ts';
import { PLAIN_SHAPE } from '../src/core/run/run-shape.ts';
import { unknown } from '../src/core/unknown.ts';
import { buildReport } from '../src/metrics/build-report.ts';
import { MetricsRegistry } from '../src/metrics/metrics-registry.ts';
import { MetricsTable } from '../src/metrics/metrics-table.ts';
import { RunMetrics } from '../src/metrics/run-metrics.ts';
import { SeriesSampler } from '../src/metrics/series-sampler.ts';
import { encodeSampleLine } from '../src/wire/sample-line.ts';
import { median, printRow, spread } from './bench-row.ts';

const RUNS = 9;
const VALUES = 1_000_000;
const SAMPLES = 1_000_000;
const CHUNKS = 4;

/** Log-normal, median 50 ms: latencies as servers have them. A seeded generator, so that every run is the same. */
let state = 42;
const uniform = (): number => {
  state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
  return (state + 0.5) / 2 ** 32;
};
const normal = (): number => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
const values = Float64Array.from({ length: VALUES }, () => Math.round(50e6 * Math.exp(0.7 * normal())));

/** Milliseconds of processor time of this process. */
const cpuMs = (work: () => void): number => {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
};

const measured = (work: () => void): readonly number[] => Array.from({ length: RUNS }, () => cpuMs(work));

const recordNs = Array.from({ length: RUNS }, () => {
  const series = new SeriesSampler('latencyNs', { unit: 'ns' });
  return (
    (cpuMs(() => {
      for (let index = 0; index < VALUES; index += 1) series.record(values[index] ?? 0);
    }) *
      1e6) /
    VALUES
  );
});
printRow({
  what: 'recording a value (histogram, raw value, exact sums)',
  figure: median(recordNs),
  unit: 'ns',
  reach: { kind: 'at-most', value: 40 },
  method: `processor time, ${VALUES} values each, ${spread(recordNs, 1)}`,
});

const registry = new MetricsRegistry();
for (let index = 0; index < 8; index += 1) {
  const series = registry.series(`series${index}`, { unit: 'ns' });
  for (let at = 0; at < 100_000; at += 1) series.record(values[(at * 8 + index) % VALUES] ?? 0);
}
for (let warm = 0; warm < 20; warm += 1) registry.live();
const liveMs = measured(() => registry.live());
printRow({
  what: 'live snapshot of 8 series',
  figure: median(liveMs),
  unit: 'ms',
  reach: { kind: 'at-most', value: 2 },
  method: `processor time, 100,000 values a series, ${spread(liveMs, 2)}`,
});

const metrics = new RunMetrics({
  pattern: { kind: 'concurrency', concurrency: 64 },
  isStreaming: true,
  objectives: [],
});
const table = new MetricsTable(metrics);
table.apply({ kind: 'session.started', atNs: 0 });
table.apply({ kind: 'session.start_performance_tracking', atNs: 0 });

const recordsOf = (sampleId: number): readonly EventRecord[] => {
  const sentNs = sampleId * 20_000;
  const firstNs = sentNs + (values[sampleId % VALUES] ?? 0);
  const gapNs = Math.round((values[(sampleId * 7) % VALUES] ?? 0) / 10);
  const stampsNs = Array.from({ length: CHUNKS - 1 }, (_, index) => firstNs + (index + 1) * gapNs);
  return [
    {
      kind: 'sample.issued',
      sampleId,
      atNs: sentNs,
      intendedNs: sentNs,
      connectNs: 0,
      heldBackNs: 0,
      isWarmup: false,
    },
    { kind: 'sample.recv_first', sampleId, atNs: firstNs, firstByteNs: firstNs - 1_000 },
    { kind: 'sample.recv_non_first', sampleId, stampsNs },
    {
      kind: 'sample.complete',
      sampleId,
      atNs: firstNs + CHUNKS * gapNs,
      outcome: 'completed',
      firstAnswerNs: -1,
      firstByteNs: firstNs - 1_000,
      inputTokens: 100,
      outputTokens: 2 * CHUNKS,
      chunkCount: CHUNKS,
      finishReason: 'stop',
      bytesSent: 500,
      bytesReceived: 2_000,
      answerHash: 1,
    },
  ];
};

const SLICE = 10_000;
const sampleNs: number[] = [];
for (let from = 0; from < SAMPLES; from += SLICE) {
  const slice = Array.from({ length: SLICE }, (_, index) => recordsOf(from + index));
  sampleNs.push(
    (cpuMs(() => {
      for (const records of slice) for (const record of records) table.apply(record);
    }) *
      1e6) /
      SLICE,
  );
}
printRow({
  what: `counting a streamed sample of ${CHUNKS} chunks (4 records)`,
  figure: median(sampleNs),
  unit: 'ns',
  reach: { kind: 'none' },
  method: `processor time, ${sampleNs.length} slices of ${SLICE}, 50,000 a second are ${((median(sampleNs) * 50_000) / 1e7).toFixed(0)}% of a core`,
});

const liveRunMs = measured(() => metrics.live());
printRow({
  what: 'live snapshot of a whole run',
  figure: median(liveRunMs),
  unit: 'ms',
  reach: { kind: 'none' },
  method: `processor time, ${metrics.live().length} metrics, ${spread(liveRunMs, 2)}`,
});

const finalMs = Array.from({ length: 3 }, () =>
  cpuMs(() => {
    buildReport({
      config: {
        schema: 'plimsoll.run/1',
        plimsoll: { version: 'bench' },
        run: {
          id: 'bench',
          startedAt: '',
          target: '',
          serverKind: '',
          api: 'chat',
          stamps: { by: 'kernel' },
          model: '',
          pattern: { kind: 'concurrency', concurrency: 64 },
          shape: PLAIN_SHAPE,
          name: '',
          tags: {},
          dataset: '',
          seed: 0,
          command: unknown('a benchmark'),
          streaming: true,
          warmupRequests: 0,
          hasNonce: false,
          requests: unknown('not a real run'),
        },
        ...objectiveFields([], 1),
        requestLengths: unknown('not a real run'),
        provenance: unknown('not a real run'),
        environment: { node: '', os: '', cpu: '', cores: 0 },
      },
      snapshot: { seq: 1, timestampNs: 0, state: 'complete', pendingTasks: 0, metrics: metrics.final() },
      source: 'complete-message',
      droppedEvents: 0,
      eventLogDropped: 0,
      isInterrupted: false,
      runProblems: [],
      sourceProblems: [],
      notices: [],
    });
  }),
);
printRow({
  what: `final exact report of ${SAMPLES / 1e6} M streamed samples`,
  figure: median(finalMs) / 1_000,
  unit: 's',
  reach: { kind: 'at-most', value: 2 },
  method: `processor time, ${(metrics.valueCount / 1e6).toFixed(1)} M values, ${spread(finalMs, 0)} ms`,
});

const sample: EndedSample = {
  sampleId: 1,
  window: 0,
  intendedNs: 1e9,
  sentNs: 1e9,
  connectNs: 0,
  heldBackNs: 0,
  firstByteNs: 1.05e9,
  firstContentNs: 1.05e9,
  firstAnswerNs: -1,
  chunkGapsNs: Array.from({ length: 100 }, () => 10_000_000),
  chunkCount: 101,
  endNs: 2.06e9,
  outcome: 'completed',
  failure: undefined,
  inputTokens: 100,
  outputTokens: 100,
  finishReason: 'stop',
  bytesSent: 500,
  bytesReceived: 20_000,
  answerHash: 1,
};
const LINES = 20_000;
const lineUs = measured(() => {
  for (let index = 0; index < LINES; index += 1) encodeSampleLine(sample);
}).map(ms => (ms * 1_000) / LINES);
printRow({
  what: 'a line of samples.jsonl, 101 chunks',
  figure: median(lineUs),
  unit: 'µs',
  reach: { kind: 'none' },
  method: `processor time, ${spread(lineUs, 2)}`,
});
