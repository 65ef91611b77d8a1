// A stage against the mock, as a sweep or a line runs it.

import { availableParallelism } from 'node:os';
import { runBench } from '../../../src/bench/bench.ts';
import { BENCH_SETTINGS } from '../../../src/bench/run/bench-parts.ts';
import type { BenchRequest } from '../../../src/bench/run/bench-request.ts';

import { RUN_OPTIONS } from '../../../src/bench/run/run-options.ts';
import type { StageParts } from '../../../src/bench/sweep/run-stage.ts';
import type { StageOrder } from '../../../src/bench/sweep/stage-watch.ts';
import { SERVER_APIS } from '../../../src/bench/target/api/server-apis.ts';
import { parseTargetUrl } from '../../../src/bench/target/target-url.ts';
import { systemClock } from '../../../src/clock/system-clock.ts';
import { optionValues, standardValue } from '../../../src/core/option/option.ts';
import type { Objective } from '../../../src/core/run/objective.ts';
import { PLAIN_SHAPE } from '../../../src/core/run/run-shape.ts';
import type { Stage } from '../../../src/core/sweep/stage.ts';
import type { MockOptions } from '../../../src/mock/mock-settings.ts';
import { spawnMock } from '../../../src/mock/spawn-mock.ts';

export const startQueue = (options: MockOptions) =>
  spawnMock({ gapMs: 0, outputTokens: 1, ...options }, { nodePath: process.execPath, env: process.env });

interface StageSetting {
  readonly url: string;
  readonly directory: string;
  readonly objectives?: readonly Objective[];
  readonly stop?: AbortSignal;
  readonly seen?: Stage[];
}

export const stageParts = ({ url, directory, objectives = [], stop, seen }: StageSetting): StageParts => ({
  request: stageRequest(url, objectives),
  bench: {
    clock: systemClock,
    env: process.env,
    nodePath: process.execPath,
    temporaryFolder: directory,
    version: '0',
    environment: { node: process.version, os: 'test', cpu: 'test', cores: availableParallelism() },
    settings: BENCH_SETTINGS,
    stop: stop ?? new AbortController().signal,
    stopNow: new AbortController().signal,
  },
  newRun: number => ({
    runId: `run-${number}`,
    startedAt: '2026-01-01T00:00:00.000Z',
    noncePrefix: '0badcafe',
  }),
  directory,
  confidence: 0.95,
  observer: {
    run: () => undefined,
    phase: () => undefined,
    snapshot: () => undefined,
    changed: stage => seen?.push(stage),
    notice: () => undefined,
  },
});

/** Stages of which the second one is stopped while it is prepared, before it has sent anything. */
export const stoppedAtSecond = (setting: Omit<StageSetting, 'stop'>): StageParts => {
  const stop = new AbortController();
  let runs = 0;
  return {
    ...stageParts({ ...setting, stop: stop.signal }),
    run: async (request, options) => {
      runs += 1;
      if (runs === 1) return await runBench(request, options);
      stop.abort(new Error('Ctrl-C'));
      throw stop.signal.reason;
    },
  };
};

export const rateOrder = (requestsPerSecond: number, more: Partial<StageOrder> = {}): StageOrder => ({
  number: 1,
  load: { kind: 'rate', requestsPerSecond, arrival: 'poisson' },
  purpose: 'asked',
  seed: 42,
  durationMs: 20_000,
  warmup: { kind: 'default' },
  goal: { kind: 'decide', idleLatencyNs: undefined, capacityPerSecond: undefined },
  ...more,
});

const stageRequest = (url: string, objectives: readonly Objective[]): BenchRequest => ({
  ...optionValues(RUN_OPTIONS, standardValue),
  target: target(url),
  api: SERVER_APIS[0],
  model: undefined,
  pattern: { kind: 'concurrency', concurrency: 1 },
  shape: PLAIN_SHAPE,
  name: undefined,
  tags: {},
  requests: { outputTokens: undefined, inputTokens: undefined, prefixes: undefined, fields: {} },
  attainment: 0.95,
  samplesMax: undefined,
  durationMs: undefined,
  dataset: { kind: 'synthetic' },
  hasNonce: true,
  isStreaming: true,
  timeouts: { connectMs: 10_000, firstByteMs: 10_000, idleMs: 10_000, totalMs: 20_000 },
  warmup: { kind: 'default' },
  seed: 42,
  headers: [],
  hasEventLog: false,
  objectives,
});

const target = (url: string): BenchRequest['target'] => {
  const parsed = parseTargetUrl(url);
  if (parsed.kind === 'wrong') throw new Error(parsed.problem);
  return parsed.value;
};
