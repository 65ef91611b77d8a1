// Run directories with latencies of a given law, as many as a comparison of finished runs needs and no server.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type SeededRandom, seededRandom } from '../../src/core/random.ts';
import type { EndedSample } from '../../src/core/run/ended-sample.ts';
import { judgedObjectives } from '../../src/core/run/objective.ts';
import type { Report, RunConfig } from '../../src/core/run/report.ts';
import { buildReport } from '../../src/metrics/build-report.ts';
import { RunMetrics } from '../../src/metrics/run-metrics.ts';
import { encodeSampleLine, encodeSamplesEnd } from '../../src/wire/sample-line.ts';
import { reportToJson, runConfigToJson } from '../../src/wire/stored-json.ts';
import { runConfig } from './run-records.ts';
import { sampleOf } from './sample-of.ts';

export interface TimedRunOptions {
  readonly seed: number;
  readonly requests?: number;
  /** One request ends each; default 0.25 s. */
  readonly stepNs?: number;
  /** Autocorrelation of latencies. */
  readonly phi?: number;
  /** Of all latencies: 1.05 is 5 % slower. */
  readonly factor?: number;
  /** Standard deviation of a factor of the whole run. */
  readonly runEffect?: number;
  readonly outputTokens?: number;
  readonly run?: Partial<RunConfig['run']>;
}

/** Log-normal latencies (σ 0.25) around 100 ms, autoregressive of the first order. */
export const timedSamplesOf = (options: TimedRunOptions): readonly EndedSample[] => {
  const {
    seed,
    requests = 1_000,
    stepNs = 2.5e8,
    phi = 0,
    factor = 1,
    runEffect = 0,
    outputTokens = 20,
  } = options;
  const random = seededRandom(seed);
  const effect = Math.exp(normal(random) * runEffect) * factor;
  let level = normal(random);
  return Array.from({ length: requests }, (_, index) => {
    level = phi * level + Math.sqrt(1 - phi ** 2) * normal(random);
    const ttftNs = Math.round(1e8 * Math.exp(0.25 * level) * effect);
    const sentNs = Math.round(index * stepNs);
    const gapNs = Math.round(1e6 * Math.exp(0.25 * level) * effect);
    return sampleOf({
      sampleId: index,
      intendedNs: sentNs,
      sentNs,
      firstByteNs: sentNs + ttftNs,
      firstContentNs: sentNs + ttftNs,
      chunkGapsNs: Array.from({ length: outputTokens - 1 }, () => gapNs),
      chunkCount: outputTokens,
      endNs: sentNs + ttftNs + gapNs * (outputTokens - 1),
      inputTokens: 100,
      outputTokens,
    });
  });
};

/** Its files, and the report that is one of them. */
export const writeTimedRun = (directory: string, options: TimedRunOptions): Report => {
  mkdirSync(directory, { recursive: true });
  const config = runConfig({ pattern: { kind: 'concurrency', concurrency: 8 }, ...options.run });
  const { pattern, streaming } = config.run;
  const metrics = new RunMetrics({
    pattern,
    isStreaming: streaming,
    objectives: config.objectives,
    judged: judgedObjectives(config),
  });
  const samples = timedSamplesOf(options);
  for (const sample of samples) {
    metrics.issued(sample);
    metrics.ended(sample);
  }
  metrics.client.observed(QUIET_CLIENT, true);
  const report = buildReport({
    config,
    snapshot: {
      seq: 1,
      timestampNs: 0,
      state: 'complete',
      pendingTasks: 0,
      metrics: metrics.final(),
      objectives: metrics.answers(),
    },
    source: 'complete-message',
    droppedEvents: 0,
    eventLogDropped: 0,
    isInterrupted: false,
    runProblems: [],
    sourceProblems: [],
    notices: [],
  });
  const end = encodeSamplesEnd({
    issued: samples.length,
    trackedIssued: samples.length,
    state: 'complete',
  });
  writeFileSync(join(directory, 'config.json'), runConfigToJson(config));
  writeFileSync(join(directory, 'samples.jsonl'), `${samples.map(encodeSampleLine).join('')}${end}`);
  writeFileSync(join(directory, 'report.json'), reportToJson(report));
  return report;
};

const normal = (random: SeededRandom): number =>
  Math.sqrt(-2 * Math.log1p(-random.next())) * Math.cos(2 * Math.PI * random.next());

const QUIET_CLIENT = {
  kind: 'client.observed',
  atNs: 1e9,
  thread: 0,
  eventLoopUtilization: 0.1,
  cpuShare: 0.1,
  eventLoopDelayNsMax: 100_000,
  readLatenessNsMax: 100_000,
  gcPauseNsTotal: 0,
  gcPauseNsMax: 0,
  connectionsOpened: 8,
  connectionsReused: 100,
  connectionsClosed: 0,
  connectionsStale: 0,
  arrivalsWaiting: 0,
  backoffNs: 0,
  connectionsAhead: 0,
} as const;
