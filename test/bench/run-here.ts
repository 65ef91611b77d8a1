// A run in this process, without the command line: what is asked for, and what it is given, each with changes.

import { join } from 'node:path';
import { BENCH_SETTINGS, type BenchParts } from '../../src/bench/run/bench-parts.ts';
import type { BenchRequest } from '../../src/bench/run/bench-request.ts';
import { RUN_OPTIONS } from '../../src/bench/run/run-options.ts';
import { serverApi } from '../../src/bench/target/api/server-apis.ts';
import { parseTargetUrl } from '../../src/bench/target/target-url.ts';
import { systemClock } from '../../src/clock/system-clock.ts';
import { optionValues, standardValue } from '../../src/core/option/option.ts';
import { PLAIN_SHAPE } from '../../src/core/run/run-shape.ts';

export const requestHere = (url: string, changes: Partial<BenchRequest> = {}): BenchRequest => {
  const target = parseTargetUrl(url);
  if (target.kind === 'wrong') throw new Error(target.problem);
  return {
    ...optionValues(RUN_OPTIONS, standardValue),
    target: target.value,
    api: serverApi('chat'),
    model: 'mock-model',
    pattern: { kind: 'constant', requestsPerSecond: 50 },
    shape: PLAIN_SHAPE,
    samplesMax: 20,
    durationMs: undefined,
    name: undefined,
    tags: {},
    dataset: { kind: 'synthetic' },
    requests: { outputTokens: undefined, inputTokens: undefined, prefixes: undefined, fields: {} },
    hasNonce: true,
    isStreaming: true,
    timeouts: { connectMs: 5_000, firstByteMs: 30_000, idleMs: 30_000, totalMs: 30_000 },
    warmup: { kind: 'none' },
    seed: 7,
    headers: [],
    hasEventLog: false,
    objectives: [],
    attainment: 1,
    ...changes,
  };
};

/** What a run here is given; directories are made in `folder`. */
export const partsHere = (folder: string, changes: Partial<BenchParts> = {}): BenchParts => ({
  clock: systemClock,
  env: process.env,
  nodePath: process.execPath,
  temporaryFolder: folder,
  version: '1.2.3',
  environment: { node: '24', os: 'test', cpu: 'test', cores: 2 },
  settings: { ...BENCH_SETTINGS, heartbeatMsMax: 20_000, startLeadMs: 200 },
  runId: '20261122-120000-abcd',
  startedAt: '2026-11-22T12:00:00.000Z',
  noncePrefix: '0badcafe',
  directory: join(folder, 'run'),
  stop: new AbortController().signal,
  stopNow: new AbortController().signal,
  observer: {
    started: () => undefined,
    phase: () => undefined,
    snapshot: () => undefined,
    notice: () => undefined,
  },
  ...changes,
});
