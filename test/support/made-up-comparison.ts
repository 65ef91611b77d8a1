// A comparison of pairs with given figures, for tests that show, store or judge one.

import { join } from 'node:path';
import { DocumentReporter, REPORTED_COMPARISON } from '../../src/bench/announce/document-reporter.ts';
import { systemClock } from '../../src/clock/system-clock.ts';
import {
  COMPARISON_SCHEMA,
  type ComparedUnit,
  type ComparisonDocument,
} from '../../src/core/comparison/comparison-document.ts';
import { comparisonSentence } from '../../src/core/comparison/comparison-labels.ts';
import { COMPARISON_METRICS, requestedMetric } from '../../src/core/comparison/comparison-metrics.ts';
import { judgeMetrics, pairedEvidence } from '../../src/core/comparison/judge-metrics.ts';
import { lookAlpha } from '../../src/core/statistics/look-levels.ts';
import { unknown } from '../../src/core/unknown.ts';
import { readDaemonFile } from '../../src/daemon/daemon-file.ts';

/** TTFT p90 of each pair in ms. */
export const madeUpComparison = (pairs: readonly (readonly [a: number, b: number])[]): ComparisonDocument => {
  const pattern = { kind: 'poisson', requestsPerSecond: 8.5 } as const;
  const units = (side: 0 | 1): readonly ComparedUnit[] =>
    pairs.map((pair, index) => ({
      runId: `run-${index + 1}-${side === 0 ? 'a' : 'b'}`,
      directory: `pair-${String(index + 1).padStart(2, '0')}-${side === 0 ? 'a' : 'b'}`,
      startedAt: '2026-11-23T01:00:00.000Z',
      pair: { number: index + 1, seed: 100 + index, order: (index + side) % 2 === 0 ? 1 : 2 },
      issued: 510,
      completed: 510,
      failed: 0,
      windowNs: 60e9,
      clientVerdict: 'trustworthy',
      figures: { 'ttft.p90': pair[side] * 1e6, 'ttft.p99': unknown('510 requests are too few for a p99') },
    }));
  const a = units(0);
  const b = units(1);
  const alpha = lookAlpha([6, 8, 12]);
  const metrics = judgeMetrics(
    COMPARISON_METRICS.filter(({ name }) => name === 'ttft.p90' || name === 'ttft.p99').map(row =>
      pairedEvidence(requestedMetric(row, pattern), a, b),
    ),
    { alpha, primary: 'ttft.p90' },
  );
  const verdict = metrics[0]?.verdict ?? { kind: 'not-comparable', reason: 'no metric' };
  const side = {
    target: 'http://127.0.0.1:8000/v1',
    model: 'qwen3-14b',
    serverKind: 'vllm',
    isStartedHere: false,
  };
  const document: ComparisonDocument = {
    schema: COMPARISON_SCHEMA,
    id: 'compare-1',
    plimsoll: { version: '0.2.0' },
    name: unknown('none was given'),
    tags: {},
    startedAt: '2026-11-23T01:00:00.000Z',
    command: 'plimsoll compare --a http://127.0.0.1:8000 --b http://127.0.0.1:8001',
    environment: { node: '24.0.0', os: 'linux', cpu: 'made up', cores: 2 },
    state: 'complete',
    mode: 'pairs',
    a: { ...side, label: 'default', units: a },
    b: { ...side, label: '2 048 batched tokens', units: b },
    load: 'Poisson 8.50 req/s',
    plan: {
      looks: [6, 8, 12].map(each => ({ pairs: each, alpha })),
      order: 'ABBABAABABBABAABABBABAAB',
      segment: { durationMs: 60_000, requests: 200, latencies: 20 },
    },
    looks: [{ pairs: pairs.length, alpha, verdict }],
    metrics,
    refusals: [],
    isAnyway: false,
    isSameModel: false,
    notices: [],
    resume: unknown('made up'),
    verdict,
    sentence: '',
  };
  return { ...document, sentence: comparisonSentence(document) };
};

/** As `plimsoll compare` reports it to the daemon of a home. */
export const announceComparisonTo = (
  home: string,
  document: ComparisonDocument,
  { directory, onStopRequested }: { readonly directory: string; readonly onStopRequested?: () => void },
): DocumentReporter<ComparisonDocument> =>
  new DocumentReporter(REPORTED_COMPARISON, {
    findDaemon: async () => {
      const found = await readDaemonFile(join(home, 'daemon.json'));
      return found.kind === 'found' ? found.file : undefined;
    },
    clock: systemClock,
    document,
    directory,
    ...(onStopRequested === undefined ? {} : { onStopRequested }),
  });
