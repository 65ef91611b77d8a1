// A snapshot of a run in its middle, made by the metrics themselves, and the screen's view of that run.

import type { FailureGroup } from '../../src/core/run/failure-groups.ts';
import { PLAIN_SHAPE } from '../../src/core/run/run-shape.ts';
import type { MetricsSnapshot } from '../../src/core/run/snapshot.ts';
import { unknown } from '../../src/core/unknown.ts';
import { RunMetrics } from '../../src/metrics/run-metrics.ts';
import type { WatchedRun } from '../../src/tui/watched-run.ts';

const MS = 1e6;

/** 100 completed samples of 10 tokens, one every 10 ms, `failed` ones and 8 in flight. */
export const runSnapshot = ({
  seq = 1,
  failed = 3,
  completed = 100,
  outputTokens = 10,
} = {}): MetricsSnapshot => {
  const metrics = new RunMetrics({
    pattern: { kind: 'concurrency', concurrency: 8 },
    isStreaming: true,
    objectives: [],
  });
  for (let id = 0; id < completed + failed + 8; id += 1) {
    const sentNs = id * 10 * MS;
    metrics.issued({ window: 0, intendedNs: sentNs, sentNs, heldBackNs: 0 });
    if (id >= completed + failed) continue;
    const isFailed = id >= completed;
    metrics.ended({
      sampleId: id,
      window: 0,
      intendedNs: sentNs,
      sentNs,
      connectNs: 0,
      heldBackNs: 0,
      firstByteNs: sentNs + MS,
      firstContentNs: sentNs + (50 + (id % 10)) * MS,
      firstAnswerNs: -1,
      chunkGapsNs: Array.from({ length: 9 }, () => 10 * MS),
      chunkCount: 10,
      endNs: sentNs + 200 * MS,
      outcome: isFailed ? 'failed' : 'completed',
      failure: isFailed ? { kind: 'http-status', statusCode: 500, detail: '500' } : undefined,
      inputTokens: 128,
      outputTokens,
      finishReason: 'stop',
      bytesSent: 1_000,
      bytesReceived: 2_000,
    });
  }
  return { seq, timestampNs: seq * 200 * MS, state: 'live', pendingTasks: 0, metrics: metrics.live() };
};

export const NO_ROOM: FailureGroup = {
  kind: 'http-status',
  statusCode: 500,
  count: 3,
  warmupCount: 0,
  firstAtNs: 2e9,
  lastAtNs: 2.1e9,
  message: 'no room',
  example: 'no room',
  isVaried: false,
};

export const watchedRun = (changes: Partial<WatchedRun> = {}): WatchedRun => ({
  run: {
    id: '20260101-000000-abcd',
    target: 'http://127.0.0.1:8000',
    model: 'a-model',
    pattern: { kind: 'concurrency', concurrency: 8 },
    shape: PLAIN_SHAPE,
    isStreaming: true,
    hasNonce: true,
    isUnguarded: false,
    requests: unknown('left to the server'),
    isDepthProfile: false,
    limits: { samplesMax: 206, durationMs: undefined },
  },
  stage: 'measuring',
  elapsedMs: 12_000,
  snapshot: { ...runSnapshot(), failures: { groups: [NO_ROOM], outages: [] } },
  snapshotAgeMs: 100,
  recent: { requestsPerSecond: 99.4, outputTokensPerSecond: 994 },
  notices: ['a notice'],
  spoiled: [],
  ...changes,
});
