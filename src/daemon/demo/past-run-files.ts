// The files of a demo's past runs, made when it starts: requests drawn around the figures that the simulation has for a run,
// counted by the product's own metrics. The figures shown for such a run agree with its samples because they are made from them.

import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { maximumOf, minimumOf } from '../../core/extremes.ts';
import { seededRandom } from '../../core/random.ts';
import type { EndedSample } from '../../core/run/ended-sample.ts';
import { NO_FIGURE } from '../../core/run/event-record.ts';
import { judgedObjectives } from '../../core/run/objective.ts';
import { RUN_CONFIG_SCHEMA, type RunConfig } from '../../core/run/report.ts';
import type { Run, RunFigures } from '../../core/run/run.ts';
import { runDigest } from '../../core/run/run-digest.ts';
import { isUnknown, knownOr, unknown } from '../../core/unknown.ts';
import { buildReport } from '../../metrics/build-report.ts';
import { runFiles } from '../../metrics/run-files.ts';
import { RunMetrics } from '../../metrics/run-metrics.ts';
import { encodeSampleLine, encodeSamplesEnd } from '../../wire/sample-line.ts';
import { reportToJson } from '../../wire/stored-json.ts';

/** The run as its files contain it; unchanged if it has no figures to draw requests around. */
export const withPastFiles = (
  run: Run,
  { home, version }: { readonly home: string; readonly version: string },
): Run => {
  if (isUnknown(run.figures)) return run;
  const directory = isUnknown(run.sweep)
    ? join(home, 'runs', run.runId)
    : join(home, 'runs', run.sweep.sweepId, basename(run.directory));
  const files = runFiles(directory);
  const config = configOf(run, version);
  const samples = samplesOf(run, run.figures);
  const { pattern, streaming } = config.run;
  const metrics = new RunMetrics({
    pattern,
    isStreaming: streaming,
    objectives: config.objectives,
    judged: judgedObjectives(config),
  });
  for (const sample of samples) {
    metrics.issued(sample);
    metrics.ended(sample);
  }
  const state = run.state === 'complete' ? 'complete' : 'interrupted';
  const report = buildReport({
    config,
    snapshot: {
      seq: 1,
      timestampNs: maximumOf([0, ...samples.map(({ endNs }) => endNs)]),
      state,
      pendingTasks: 0,
      metrics: metrics.final(),
      objectives: metrics.answers(),
    },
    source: 'complete-message',
    droppedEvents: 0,
    eventLogDropped: 0,
    isInterrupted: state === 'interrupted',
    runProblems: [],
    sourceProblems: [],
    notices: [],
  });
  const end = encodeSamplesEnd({ issued: samples.length, trackedIssued: samples.length, state });
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  writeFileSync(files.config, `${JSON.stringify(config, undefined, 2)}\n`);
  writeFileSync(files.samples, samples.map(encodeSampleLine).join('') + end);
  writeFileSync(files.report, reportToJson(report));
  // The client figures are simulated: no client sent these requests or measured its own timing.
  return { ...run, directory, figures: { ...runDigest(report), client: run.figures.client } };
};

const configOf = (run: Run, version: string): RunConfig => ({
  schema: RUN_CONFIG_SCHEMA,
  plimsoll: { version },
  run: {
    id: run.runId,
    startedAt: run.startedAt,
    target: run.target,
    serverKind: run.serverKind,
    api: unknown('simulated'),
    stamps: unknown('simulated'),
    model: run.model,
    pattern: run.pattern,
    shape: run.shape,
    name: run.runName,
    tags: unknown('simulated'),
    dataset: run.dataset,
    seed: run.seed,
    streaming: run.isStreaming,
    warmupRequests: 0,
    hasNonce: false,
    command: run.command,
    requests: unknown('simulated'),
  },
  objectives: run.objectives,
  runObjectives: run.runObjectives,
  attainment: run.attainment,
  requestLengths: unknown('simulated'),
  environment: { node: 'simulated', os: 'simulated', cpu: 'simulated', cores: 1 },
  provenance: unknown('simulated'),
});

/** In the order in which they end, as a run writes them. */
const samplesOf = (run: Run, figures: RunFigures): readonly EndedSample[] => {
  const random = seededRandom(run.seed);
  const draw = (): number => random.next();
  const normal = (): number => (draw() + draw() + draw() + draw() - 2) * NORMAL_SCALE;
  const firstNs = figures.series.ttftNs?.percentiles['50'] ?? FIRST_NS;
  const tokenNs = figures.series.tpotNs?.percentiles['50'] ?? TOKEN_NS;
  const windowNs = knownOr(figures.windowNs, WINDOW_NS);
  const issued = figures.counts.completed + figures.counts.failed;
  const failsEach = figures.counts.failed === 0 ? 0 : Math.ceil(issued / figures.counts.failed);
  const lanes = run.pattern.kind === 'concurrency' ? run.pattern.concurrency : 0;
  const free = Array.from({ length: lanes }, (_, lane) => (lane * firstNs) / Math.max(1, lanes));
  let arrivalNs = 0;
  const samples = Array.from({ length: issued }, (_, index): EndedSample => {
    const lane = free.indexOf(minimumOf(free));
    arrivalNs += -Math.log(1 - draw()) * (windowNs / issued);
    const intendedNs = Math.round(lanes === 0 ? arrivalNs : (free[lane] ?? 0));
    const sentNs = intendedNs + LATE_NS;
    const isFailed = failsEach > 0 && index % failsEach === failsEach - 1;
    const firstContentNs = sentNs + Math.round(firstNs * Math.exp(FIRST_SPREAD * normal()));
    const gapNs = Math.round(tokenNs * TOKENS_A_CHUNK * Math.exp(TOKEN_SPREAD * normal()));
    const endNs = isFailed ? sentNs + TIMEOUT_NS : firstContentNs + gapNs * (CHUNKS - 1);
    if (lane >= 0) free[lane] = endNs;
    const common = {
      sampleId: index + 1,
      window: 0,
      intendedNs,
      sentNs,
      connectNs: 0,
      heldBackNs: 0,
      endNs,
      bytesSent: 800,
    };
    if (isFailed) return { ...common, ...FAILED };
    return {
      ...common,
      firstByteNs: firstContentNs,
      firstContentNs,
      firstAnswerNs: NO_FIGURE,
      chunkGapsNs: Array.from({ length: CHUNKS - 1 }, () => gapNs),
      chunkCount: CHUNKS,
      outcome: 'completed',
      failure: undefined,
      inputTokens: INPUT_TOKENS,
      outputTokens: CHUNKS * TOKENS_A_CHUNK,
      finishReason: 'stop',
      bytesReceived: 240 * CHUNKS,
    };
  });
  return samples.toSorted((a, b) => a.endNs - b.endNs);
};

const FAILED = {
  firstByteNs: NO_FIGURE,
  firstContentNs: NO_FIGURE,
  firstAnswerNs: NO_FIGURE,
  chunkGapsNs: [],
  chunkCount: 0,
  outcome: 'failed',
  failure: { kind: 'timeout', statusCode: 0, detail: 'first byte, 30 s' },
  inputTokens: NO_FIGURE,
  outputTokens: NO_FIGURE,
  finishReason: 'missing',
  bytesReceived: 0,
} as const;
const FIRST_NS = 200e6;
const TOKEN_NS = 20e6;
const WINDOW_NS = 60e9;
const TIMEOUT_NS = 30e9;
const LATE_NS = 30_000;
const CHUNKS = 20;
const TOKENS_A_CHUNK = 8;
const INPUT_TOKENS = 400;
const FIRST_SPREAD = 0.35;
const TOKEN_SPREAD = 0.05;
/** The sum of four evens in 0..1, less two, has a deviation of 1/√3. */
const NORMAL_SCALE = Math.sqrt(3);
