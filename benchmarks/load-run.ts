// Runs the load generator as the bench command does, for benchmarks: with its own plan, storing everything it reports.

import type { LoadPlan } from '../src/bench/load/load-plan.ts';
import { WHOLE_LOAD } from '../src/bench/schedule/arrivals.ts';
import { SERVER_APIS } from '../src/bench/target/api/server-apis.ts';
import { requestBodies } from '../src/bench/target/request-bodies.ts';
import type { LoadResult } from '../src/bench/threads/load-generator.ts';
import { createLoadGenerator } from '../src/bench/threads/threaded-load-generator.ts';
import { systemClock } from '../src/clock/system-clock.ts';
import type { ClientRecord } from '../src/core/run/event-record.ts';
import { readEventBatch } from '../src/wire/event-batch.ts';

interface LoadRunOptions {
  readonly host?: string;
  readonly port: number;
  readonly pattern: LoadPlan['pattern'];
  readonly durationNs: number;
  readonly connections?: number;
  readonly isStreaming?: boolean;
  readonly warmupRequests?: number;
  readonly pacing?: LoadPlan['pacing'];
  readonly loadThreads?: number;
  /** Replaces the normal parse thread. */
  readonly parseWorker?: URL;
}

export interface LoadRun {
  readonly result: LoadResult;
  /** From the measured phase's zero to the last issue. */
  readonly seconds: number;
  readonly issued: number;
  readonly ended: number;
  readonly lines: readonly string[];
  readonly observed: readonly ClientRecord[];
}

export const runLoad = async (options: LoadRunOptions): Promise<LoadRun> => {
  const { host = '127.0.0.1', port, pattern, durationNs, isStreaming = true, pacing = 'sleep' } = options;
  const connections = options.connections ?? (pattern.kind === 'concurrency' ? pattern.concurrency : 64);
  let lines = '';
  const observed: ClientRecord[] = [];
  await using generator = createLoadGenerator(
    {
      target: { host, port, path: '/v1/chat/completions', hostHeader: `${host}:${port}`, tls: undefined },
      headers: [],
      api: SERVER_APIS[0].name,
      model: 'truth',
      bodies: requestBodies(
        [{ messages: [{ role: 'user', content: 'x'.repeat(800) }], maxTokens: undefined }],
        {
          api: SERVER_APIS[0],
          model: 'truth',
          isStreaming,
          hasNonce: true,
          noncePrefix: '0badcafe',
        },
      ),
      isStreaming,
      course: undefined,
      inFlightCap: undefined,
      share: WHOLE_LOAD,
      pattern,
      seed: 1,
      limits: { samplesMax: undefined, durationNs },
      timeouts: { connectMs: 10_000, firstByteMs: 10_000, idleMs: 10_000, totalMs: 60_000 },
      warmupRequests: options.warmupRequests ?? connections,
      threads: { load: options.loadThreads ?? 1, parse: 1 },
      connections: { opened: connections, max: Math.max(8_192, connections) },
      pacing,
      heartbeatMsMax: 10_000,
    },
    {
      batch: bytes => {
        for (const record of readEventBatch(bytes).records) {
          if (record.kind === 'client.observed') observed.push(record);
        }
      },
      sampleLines: bytes => {
        lines += Buffer.from(bytes).toString();
      },
    },
    {
      clock: systemClock,
      runZeroNs: process.hrtime.bigint(),
      ...(options.parseWorker === undefined ? {} : { entries: { parseWorker: options.parseWorker } }),
    },
  );
  await generator.open();
  await generator.warmUp();
  const before = generator.counts;
  const startNs = generator.start();
  const stopNs = await generator.issuingEnded;
  const atStop = generator.counts;
  const result = await generator.ended;
  return {
    result,
    seconds: (stopNs - startNs) / 1e9,
    issued: atStop.issued - before.issued,
    ended: atStop.ended - before.ended,
    lines: lines.split('\n').slice(0, -1),
    observed: observed.filter(({ atNs }) => atNs >= startNs && atNs <= stopNs),
  };
};

export const percentile = (values: readonly number[], percent: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((percent / 100) * (sorted.length - 1))] ?? Number.NaN;
};

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
