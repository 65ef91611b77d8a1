// A run as the cluster holds it, and figures of one.

import { isRunId, type RunId } from '../../src/core/ids.ts';
import { objectiveFields } from '../../src/core/run/objective.ts';
import type { Run, RunFigures } from '../../src/core/run/run.ts';
import { PLAIN_SHAPE } from '../../src/core/run/run-shape.ts';
import { unknown } from '../../src/core/unknown.ts';

export const runIdOf = (text: string): RunId => {
  if (isRunId(text)) return text;
  throw new Error(`not a run id: ${text}`);
};

/** Of a run that has no shape, no name and no tags. */
export const PLAIN_RUN_ENTRY = { shape: PLAIN_SHAPE, runName: unknown('not given'), tags: [] } as const;

export const madeUpRunEntry = (id: string): Run => ({
  runId: runIdOf(id),
  startedAt: '2026-11-20T12:00:00.000Z',
  target: 'http://127.0.0.1:8000',
  targetNode: unknown('not a known node'),
  serverKind: 'vLLM',
  model: 'made-up',
  pattern: { kind: 'poisson', requestsPerSecond: 8.5 },
  ...PLAIN_RUN_ENTRY,
  dataset: 'synthetic',
  seed: 42,
  command: 'plimsoll bench http://127.0.0.1:8000',
  isStreaming: true,
  limits: { samplesMax: unknown('not limited'), durationMs: 300_000 },
  ...objectiveFields([], 1),
  directory: '/home/runs/r',
  sweep: unknown('not a stage of a sweep'),
  state: 'running',
  reason: '',
  figures: unknown('the run has not ended'),
});

export const madeUpFigures = (more: Partial<RunFigures> = {}): RunFigures => ({
  counts: { issued: 1_160, completed: 1_128, failed: 3, cancelled: 0, unresolved: 29 },
  windowNs: 134e9,
  requestsPerSecond: 8.42,
  outputTokensPerSecond: 1_846,
  perUserTokensPerSecond: 67.1,
  series: {
    ttftNs: { count: 1_128, percentiles: { 50: 184e6, 90: 318e6, 99: 612e6 } },
    tpotNs: { count: 1_128, percentiles: { 50: 14.9e6, 90: 17.2e6, 99: 21.3e6 } },
  },
  histogram: [
    [60e6, 120e6, 100],
    [120e6, 240e6, 900],
    [240e6, 480e6, 128],
  ],
  objectives: [],
  goodput: 8.31,
  errors: [{ kind: 'timeout', count: 3, detail: 'first byte, 30 s', lastAtMs: 108_000 }],
  failures: {
    groups: [
      {
        kind: 'timeout',
        statusCode: 0,
        count: 3,
        warmupCount: 0,
        firstAtNs: 64e9,
        lastAtNs: 108e9,
        message: 'first byte, # s',
        example: 'first byte, 30 s',
        isVaried: false,
      },
    ],
    outages: [],
  },
  client: {
    verdict: 'trustworthy',
    reasons: [],
    sendLatenessNsP99: 210_000,
    readLatenessNsP99: 170_000,
    eventLoopDelayNsP99: 120_000,
    gcPauseNsTotal: 1.4e6,
    cpuShare: 0.09,
    connectionsOpened: 29,
    connectionsReused: 1_131,
  },
  rateBounds: unknown('made up'),
  contamination: [],
  droppedEvents: 0,
  ...more,
});
