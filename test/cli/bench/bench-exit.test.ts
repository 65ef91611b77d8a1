import { describe, expect, test } from 'vitest';
import { benchExit } from '../../../src/cli/commands/bench.ts';
import { EXIT_CODES } from '../../../src/cli/exit-codes.ts';
import { objectiveFields } from '../../../src/core/run/objective.ts';
import { type Report, RUN_CONFIG_SCHEMA } from '../../../src/core/run/report.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { buildReport } from '../../../src/metrics/build-report.ts';
import { PLAIN_RUN } from '../../support/run-records.ts';

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
      stamps: unknown('made up'),
      model: 'm',
      pattern: { kind: 'concurrency', concurrency: 1 },
      ...PLAIN_RUN,
      dataset: 'd',
      seed: 1,
      streaming: true,
      warmupRequests: 0,
      hasNonce: true,
      command: unknown('made up'),
      requests: unknown('made up'),
    },
    ...objectiveFields([], 1),
    requestLengths: unknown('made up'),
    provenance: unknown('made up'),
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
const answer = {
  objective: 'ttft.p95=500ms',
  limit: 5e8,
  unit: 'ns',
  estimate: { value: 4e8, low: 3e8, high: 6e8 },
  answer: 'met',
  samplesNeeded: 500,
} as const;
const missed = { ...answer, answer: 'missed' } as const;
const undecided = { ...answer, answer: 'too-few-samples' } as const;
const bound = { client: { ...whole.client, verdict: 'client-bound', reasons: ['late'] } } as const;

describe('the exit code of a run', () => {
  test('is 0 only for a complete one with few failures and its objectives met', () => {
    expect(whole.complete).toBe(true);
    expect(benchExit(report(), demands)).toBe('ok');
    expect(benchExit(report({ objectiveAnswers: [answer] }), demands)).toBe('ok');
    expect(benchExit(report(), { ...demands, maxFailures: 1 })).toBe('benchFailures');
    expect(benchExit(report({ objectiveAnswers: [missed] }), demands)).toBe('benchObjectives');
    expect(benchExit(report({ complete: false }), demands)).toBe('benchIncomplete');
    expect(benchExit(report({ interrupted: true, complete: false }), demands)).toBe('benchInterrupted');
    expect(benchExit(report(), { ...demands, diskProblems: ['report.json could not be written'] })).toBe(
      'benchIncomplete',
    );
  });

  test('counts a client that was the limit only when asked to', () => {
    expect(benchExit(report(bound), demands)).toBe('ok');
    expect(benchExit(report(bound), { ...demands, needsTrustworthy: true })).toBe('benchClientBound');
    const unsure = report({ client: { ...whole.client, verdict: 'unknown', reasons: [] } });
    expect(benchExit(unsure, { ...demands, needsTrustworthy: true })).toBe('benchClientBound');
  });

  test('is the gravest of several', () => {
    const worst = { interrupted: true, complete: false, ...bound, objectiveAnswers: [missed] };
    const strict = { maxFailures: 0, needsTrustworthy: true, diskProblems: [] };
    expect(benchExit(report(worst), strict)).toBe('benchInterrupted');
    expect(benchExit(report({ ...worst, interrupted: false }), strict)).toBe('benchIncomplete');
    expect(benchExit(report({ ...bound, objectiveAnswers: [missed] }), strict)).toBe('benchClientBound');
    expect(benchExit(report({ objectiveAnswers: [missed] }), strict)).toBe('benchFailures');
  });

  test('reports apart that too few requests were made to decide, unless another objective was missed', () => {
    expect(benchExit(report({ objectiveAnswers: [answer, undecided] }), demands)).toBe('benchTooFew');
    expect(benchExit(report({ objectiveAnswers: [undecided, missed] }), demands)).toBe('benchObjectives');
    expect(EXIT_CODES[benchExit(report({ objectiveAnswers: [undecided] }), demands)].code).toBe(21);
  });

  test('of objectives that nothing is reported of is none of a met one', () => {
    expect(benchExit(report({ objectiveAnswers: unknown('not in the metrics') }), demands)).toBe(
      'benchTooFew',
    );
  });
});
