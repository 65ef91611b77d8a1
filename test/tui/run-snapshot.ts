// A snapshot of a run in its middle, made by the metrics themselves.

import type { MetricsSnapshot } from '../../src/core/run/snapshot.ts';
import { RunMetrics } from '../../src/metrics/run-metrics.ts';

const MS = 1e6;

/** 100 completed samples of 10 tokens, one every 10 ms, `failed` ones and 8 in flight. */
export const runSnapshot = ({ seq = 1, failed = 3, completed = 100 } = {}): MetricsSnapshot => {
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
      outputTokens: 10,
      finishReason: 'stop',
      bytesSent: 1_000,
      bytesReceived: 2_000,
    });
  }
  return { seq, timestampNs: seq * 200 * MS, state: 'live', pendingTasks: 0, metrics: metrics.live() };
};
