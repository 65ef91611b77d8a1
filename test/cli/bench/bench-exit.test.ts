import { describe, expect, test } from 'vitest';
import { benchExit } from '../../../src/cli/commands/bench.ts';
import type { Report } from '../../../src/core/run/report.ts';
import { RUN_CONFIG_SCHEMA } from '../../../src/core/run/run-config.ts';
import { buildReport } from '../../../src/metrics/build-report.ts';

const whole: Report = buildReport({
  config: {
    schema: RUN_CONFIG_SCHEMA,
    plimsoll: { version: '1.2.3' },
    run: {
      id: 'a',
      startedAt: '2026-01-01T00:00:00.000Z',
      target: 'http://host',
      serverKind: 'vLLM',
      api: 'chat',
      model: 'm',
      pattern: { kind: 'concurrency', concurrency: 1 },
      dataset: 'd',
      seed: 1,
      streaming: true,
      warmupRequests: 0,
      hasNonce: true,
    },
    objectives: [],
    environment: { node: '24', os: 'o', cpu: 'c', cores: 2 },
  },
  snapshot: { seq: 1, timestampNs: 1, state: 'complete', pendingTasks: 0, metrics: [] },
  source: 'complete-message',
  droppedEvents: 0,
  eventLogDropped: 0,
  isInterrupted: false,
  runProblems: [],
  sourceProblems: [],
  notices: [],
});

const report = (changes: Partial<Report> = {}): Report => ({
  ...whole,
  counts: { issued: 10, completed: 8, failed: 2, cancelled: 0, unresolved: 0 },
  client: { ...whole.client, verdict: 'trustworthy', reasons: [] },
  ...changes,
});

const demands = { maxFailures: 2, needsTrustworthy: false, diskProblems: [] };
const missed = { name: 'ttft', limitNs: 1, metSamples: 7, unknownSamples: 0, samples: 10 } as const;
const bound = { client: { ...whole.client, verdict: 'client-bound', reasons: ['late'] } } as const;

describe('the exit code of a run', () => {
  test('is 0 only for a complete one with few failures and its objectives met', () => {
    expect(whole.complete).toBe(true);
    expect(benchExit(report(), demands)).toBe('ok');
    expect(benchExit(report({ objectives: [{ ...missed, metSamples: 8 }] }), demands)).toBe('ok');
    expect(benchExit(report(), { ...demands, maxFailures: 1 })).toBe('benchFailures');
    expect(benchExit(report({ objectives: [missed] }), demands)).toBe('benchObjectives');
    expect(benchExit(report({ complete: false }), demands)).toBe('benchIncomplete');
    expect(benchExit(report({ interrupted: true, complete: false }), demands)).toBe('benchInterrupted');
    expect(benchExit(report(), { ...demands, diskProblems: ['report.json could not be written'] })).toBe(
      'benchIncomplete',
    );
  });

  test('counts a client that was the limit only when asked to', () => {
    expect(benchExit(report(bound), demands)).toBe('ok');
    expect(benchExit(report(bound), { ...demands, needsTrustworthy: true })).toBe('benchClientBound');
    const unknown = report({ client: { ...whole.client, verdict: 'unknown', reasons: [] } });
    expect(benchExit(unknown, { ...demands, needsTrustworthy: true })).toBe('benchClientBound');
  });

  test('is the gravest of several', () => {
    const worst = { interrupted: true, complete: false, ...bound, objectives: [missed] };
    const strict = { maxFailures: 0, needsTrustworthy: true, diskProblems: [] };
    expect(benchExit(report(worst), strict)).toBe('benchInterrupted');
    expect(benchExit(report({ ...worst, interrupted: false }), strict)).toBe('benchIncomplete');
    expect(benchExit(report({ ...bound, objectives: [missed] }), strict)).toBe('benchClientBound');
    expect(benchExit(report({ objectives: [missed] }), strict)).toBe('benchFailures');
  });

  test('of objectives without any completed sample is that they were missed', () => {
    const nothing = { counts: { issued: 0, completed: 0, failed: 0, cancelled: 0, unresolved: 0 } };
    expect(
      benchExit(report({ ...nothing, objectives: [{ ...missed, metSamples: 0, samples: 0 }] }), demands),
    ).toBe('benchObjectives');
  });
});
