// What the final account of ten million samples costs: exact percentiles and error bounds of every series, and the most memory
// that counting and the account took. Wall and processor time, since the machine may be shared.

import { loadavg, tmpdir } from 'node:os';
import type { EndedSample } from '../src/core/run/ended-sample.ts';
import { RunMetrics } from '../src/metrics/run-metrics.ts';
import { ValueSpill } from '../src/metrics/value-spill.ts';
import { printRow } from './bench-row.ts';

const SAMPLES = Number(process.env['PLIMSOLL_BENCH_SAMPLES'] ?? 10_000_000);

/** Log-normal with a median of 50 ms, from a seeded generator: latencies as servers have them. */
let state = 42;
const uniform = (): number => {
  state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
  return (state + 0.5) / 2 ** 32;
};
const latencies = Float64Array.from({ length: 1 << 20 }, () =>
  Math.round(50e6 * Math.exp(0.7 * Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform()))),
);
const latency = (at: number): number => (latencies[at % latencies.length] ?? 0) + (at % 997);

const sampleOf = (sampleId: number): EndedSample => {
  const sentNs = sampleId * 100_000;
  const firstNs = sentNs + latency(sampleId);
  const gapNs = Math.round(latency(sampleId * 7) / 5);
  return {
    sampleId,
    window: 0,
    intendedNs: sentNs - (sampleId % 3_000),
    sentNs,
    connectNs: 0,
    heldBackNs: 0,
    firstByteNs: firstNs - 1_000,
    firstContentNs: firstNs,
    firstAnswerNs: -1,
    chunkGapsNs: [gapNs, gapNs + (sampleId % 811)],
    chunkCount: 3,
    endNs: firstNs + 2 * gapNs + (sampleId % 811),
    outcome: 'completed',
    failure: undefined,
    inputTokens: 128,
    outputTokens: 4 + (sampleId % 60),
    finishReason: 'stop',
    bytesSent: 900,
    bytesReceived: 1_200,
    lateness: {
      writeNs: 4_000,
      firstByteLateNs: sampleId % 9_000,
      firstByteLateNsMax: sampleId % 30_000,
      firstContentLateNs: sampleId % 9_000,
      firstContentLateNsMax: sampleId % 30_000,
      lastContentLateNs: sampleId % 7_000,
      lastContentLateNsMax: sampleId % 20_000,
      endLateNs: sampleId % 7_000,
      endLateNsMax: sampleId % 20_000,
    },
  };
};

const store = new ValueSpill(tmpdir());
const metrics = new RunMetrics({
  pattern: { kind: 'concurrency', concurrency: 1_000 },
  isStreaming: true,
  objectives: [],
  store,
});
const marks = Array.from({ length: 5_000 }, (_, index) => 1_000 + index);
metrics.bounds.observed({ kind: 'client.marks', atNs: 0, thread: 0, latenessNs: marks, blockedNs: marks });
const counting = process.cpuUsage();
for (let id = 0; id < SAMPLES; id += 1) {
  const sample = sampleOf(id);
  metrics.issued(sample);
  metrics.ended(sample);
}
const counted = process.cpuUsage(counting);
const memoryBefore = process.resourceUsage().maxRSS * 1_024;
const before = process.cpuUsage();
const startMs = performance.now();
const final = metrics.final();
metrics.beside();
const wallSeconds = (performance.now() - startMs) / 1_000;
const used = process.cpuUsage(before);
const memoryAfter = process.resourceUsage().maxRSS * 1_024;
const exact = final.filter(metric => metric.kind === 'series' && metric.isExact && metric.count > 0).length;
const load = loadavg()[0]?.toFixed(0) ?? '?';

printRow({
  what: `final account of ${SAMPLES.toLocaleString('en')} samples`,
  figure: wallSeconds,
  unit: 's',
  reach: { kind: 'at-most', value: 10 },
  method: `${exact} series exact, ${((used.user + used.system) / 1e6).toFixed(1)} s of processor, load ${load}`,
});
printRow({
  what: 'most memory until its end',
  figure: memoryAfter / 2 ** 20,
  unit: 'MiB',
  reach: { kind: 'none' },
  method: `${(memoryBefore / 2 ** 20).toFixed(0)} MiB before the account; ${(store.writtenBytes / 2 ** 20).toFixed(0)} MiB on the disk; counting a sample ${(
    ((counted.user + counted.system) * 1_000) / SAMPLES
  ).toFixed(0)} ns of processor`,
});
