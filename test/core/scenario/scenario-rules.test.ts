import { describe, expect, test } from 'vitest';
import type { Report } from '../../../src/core/run/report.ts';
import { PLAIN_SHAPE, type RunShape } from '../../../src/core/run/run-shape.ts';
import type { TraceShape } from '../../../src/core/run/trace-shape.ts';
import { SCENARIOS } from '../../../src/core/scenario/scenario.ts';
import { judgedRules, RULE_KEYS, requirementText } from '../../../src/core/scenario/scenario-rules.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { buildReport } from '../../../src/metrics/build-report.ts';
import { runConfig } from '../../support/run-records.ts';

const MINUTE = 60_000;

const TRACE: TraceShape = {
  speed: 1,
  requests: 40,
  fromMs: unknown('times are only within conversations'),
  untilMs: unknown('times are only within conversations'),
  startAt: { from: 0, to: 1 },
  gapMsMax: unknown('pauses are as recorded'),
  gapsCapped: 0,
  spanMs: unknown('times are only within conversations'),
  inputTokens: 4_000,
  sharedTokens: 3_000,
  idleMsMax: 10_000,
  primed: 8,
  recycles: true,
  marksSessions: true,
  subagents: 3,
};

/** A run that keeps every rule of AgentX. */
const kept = (): Report => {
  const { run, ...config } = runConfig();
  const report = buildReport({
    config: {
      ...config,
      run: {
        ...run,
        streaming: true,
        hasNonce: true,
        pattern: { kind: 'concurrency', concurrency: 8 },
        shape: shapeOf(TRACE),
        requests: {
          inputTokens: unknown('as in the trace'),
          outputTokens: unknown('as in the trace'),
          outputSource: 'option',
          lengthFields: ['min_tokens', 'ignore_eos'],
          warmupTokensMax: 16,
          calibration: unknown('none'),
          shortestTokens: unknown('none'),
          prefixes: unknown('none'),
          body: '{}',
        },
        scenario: { name: 'agentx', rules: SCENARIOS[0]?.rules ?? {}, durationMs: 30 * MINUTE },
      },
    },
    snapshot: undefined,
    source: 'complete-message',
    droppedEvents: 0,
    eventLogDropped: 0,
    isInterrupted: false,
    runProblems: [],
    sourceProblems: [],
    notices: [],
  });
  const { incompleteReason: _, ...whole } = report;
  return {
    ...whole,
    complete: true,
    counts: { ...report.counts, issued: 1_000, completed: 1_000 },
    warmup: { ...report.warmup, issued: 8, completed: 8 },
    failures: { groups: [], outages: [] },
    scenario: {
      completed: 1_000,
      counted: 1_000,
      lastContentMs: 30 * MINUTE,
      normalizedInteractivity: 21,
    },
  };
};

const shapeOf = (
  trace: RunShape['trace'],
  concurrencyOf: 'sessions' | 'requests' = 'sessions',
): RunShape => ({
  ...PLAIN_SHAPE,
  trace,
  sessions: { concurrencyOf },
});

const ofTrace = (changed: Partial<TraceShape>): Report => ofRun({ shape: shapeOf({ ...TRACE, ...changed }) });

const ofRun = (changed: Partial<Report['run']>): Report => {
  const report = kept();
  return { ...report, run: { ...report.run, ...changed } };
};

const planned = (durationMs: number): Report =>
  ofRun({ scenario: { name: 'agentx', rules: SCENARIOS[0]?.rules ?? {}, durationMs } });

const ofFigures = (changed: Partial<NonNullable<Report['scenario']>>): Report => {
  const report = kept();
  return { ...report, ...(report.scenario && { scenario: { ...report.scenario, ...changed } }) };
};

const refused = (message: string, count: number): Report => ({
  ...kept(),
  counts: { ...kept().counts, completed: 1_000 - count, failed: count },
  failures: {
    outages: [],
    groups: [
      {
        kind: 'http-status',
        statusCode: 400,
        message,
        example: message,
        isVaried: false,
        count,
        warmupCount: 0,
        firstAtNs: 0,
        lastAtNs: 1,
      },
    ],
  },
});

const brokenBy = (report: Report): Readonly<Record<string, string>> =>
  Object.fromEntries(
    judgedRules(report).flatMap(({ key, broken }) => (broken === undefined ? [] : [[key, broken]])),
  );

/** Each rule broken once, by a run that keeps all others. */
const BROKEN: readonly (readonly [rule: string, how: string, report: () => Report, reason: string])[] = [
  [
    'subagents',
    'a trace without them',
    () => ofTrace({ subagents: 0 }),
    'no agent of the trace has subagents',
  ],
  [
    'lanes',
    'sessions that arrive at a rate',
    () => ofRun({ pattern: { kind: 'poisson', requestsPerSecond: 2 } }),
    'sessions arrived at a rate',
  ],
  [
    'lanes',
    'a concurrency of requests',
    () => ofRun({ shape: shapeOf(TRACE, 'requests') }),
    'the concurrency counted requests',
  ],
  [
    'lanes',
    'a number of sessions that grows',
    () => ofRun({ shape: { ...shapeOf(TRACE), rampMs: 1_000 } }),
    'the number of sessions changed',
  ],
  ['recorded-pauses', 'a speed', () => ofTrace({ speed: 2 }), 'the trace was replayed at 2 times its speed'],
  [
    'recorded-pauses',
    'a limit of each pause',
    () => ofTrace({ gapMsMax: 5_000 }),
    'each pause was cut to 5\u00a0s',
  ],
  [
    'idle-max',
    'another limit of the idle time',
    () => ofTrace({ idleMsMax: 60_000 }),
    'the time without a request was limited to 60\u00a0s, not to 10\u00a0s',
  ],
  [
    'start-anywhere',
    'one share for all starts',
    () => ofTrace({ startAt: { from: 0, to: 0 } }),
    'all conversations began at the same share of them',
  ],
  [
    'primed',
    'a request of the warm-up that failed',
    () => ({ ...kept(), warmup: { ...kept().warmup, completed: 7, failed: 1 } }),
    '1 of 8 requests that prime the cache did not complete',
  ],
  ['nonce-at-first-turn', 'no nonce', () => ofRun({ hasNonce: false }), 'prompts had no nonce'],
  ['streamed', 'whole answers', () => ofRun({ streaming: false }), 'answers were not streamed'],
  ['duration', 'fourteen minutes', () => planned(14 * MINUTE), 'it was planned for 840\u00a0s'],
  [
    'coverage',
    'a server that stalls',
    () => ofFigures({ lastContentMs: 28 * MINUTE }),
    'the last content arrived after 93.3% of it',
  ],
  ['counted', 'replies without token counts', () => ofFigures({ counted: 900 }), '90% of them have both'],
  [
    'context-refusals',
    'a context that is too short',
    () => refused('prompt is too long: 200001 tokens > 131072 maximum', 11),
    '1.1% did',
  ],
  ['failures', 'a server that fails', () => refused('internal error', 101), '10.1% failed'],
  [
    'finished',
    'Ctrl-C',
    () => ({ ...kept(), interrupted: true, complete: false, incompleteReason: 'the run was interrupted' }),
    'the run was interrupted',
  ],
  [
    'finished',
    'a rule that stopped it',
    () => ({
      ...kept(),
      stopped: { cause: 'nothing-succeeded', problem: 'nothing succeeded for 30 s', advice: '', atNs: 1 },
    }),
    'the run was stopped: nothing succeeded for 30 s',
  ],
];

describe('a run of AgentX', () => {
  test('that keeps every rule is valid', () => {
    expect(brokenBy(kept())).toEqual({});
    expect(judgedRules(kept())).toHaveLength(RULE_KEYS.length);
  });

  test.each(BROKEN)('breaks the rule %s alone by %s', (rule, _, report, reason) => {
    expect(brokenBy(report())).toEqual({ [rule]: reason });
  });

  test('that lacks what a rule is about breaks it too', () => {
    const { idleMsMax: _, primed: __, recycles: ___, marksSessions: ____, ...plain } = TRACE;
    const report = ofRun({ shape: shapeOf({ ...plain, startAt: unknown('with their first request') }) });
    expect(brokenBy(report)).toEqual({
      lanes: 'after the last conversation none began',
      'idle-max': 'the time without a request was not limited',
      'start-anywhere': 'conversations began with their first request',
      primed: "the server's cache was not primed",
      'nonce-at-first-turn': 'sessions had no nonce of their own',
    });
  });

  test('of anything but a trace of agents breaks each rule about one', () => {
    const broken = brokenBy(ofRun({ shape: PLAIN_SHAPE }));
    expect(broken).toMatchObject({
      'agent-trace': 'the load is no trace of agents',
      lanes: 'the load is no trace of agents',
      subagents: 'no agent of the trace has subagents',
    });
  });

  test('whose server was not sent ignore_eos, or whose --body decides, breaks the rule of whole answers', () => {
    const requested = kept().run.requests;
    if (!('body' in requested)) throw new Error('it has requests');
    const answers = (changed: Partial<typeof requested>): string | undefined =>
      brokenBy(ofRun({ requests: { ...requested, ...changed } }))['whole-answers'];
    expect(answers({ lengthFields: [] })).toContain(`--body '{"ignore_eos":true}'`);
    expect(answers({ lengthFields: [], body: '{"ignore_eos":true}' })).toBeUndefined();
    expect(answers({ body: '{"ignore_eos":null}' })).toBe('--body leaves out ignore_eos');
    expect(answers({ outputSource: 'body' })).toBe('--body determined the length of answers');
  });

  test('with a rule of another version is not valid', () => {
    const report = ofRun({ scenario: { name: 'later', rules: { gpus: 8 }, durationMs: 1 } });
    expect(brokenBy(report)).toEqual({ gpus: 'this version does not have the rule' });
  });
});

test('every rule is broken once by a run that keeps the others, but those that need another load', () => {
  const alone = new Set(BROKEN.map(([rule]) => rule));
  expect(RULE_KEYS.filter(key => !alone.has(key))).toEqual(['agent-trace', 'whole-answers']);
});

test('a rule is written with its limit', () => {
  expect(requirementText('duration', 15 * MINUTE)).toBe(
    'The run is planned for at least 900\u00a0s (--duration).',
  );
  expect(requirementText('coverage', 0.95)).toBe('Content arrived until at least 95% of the planned time.');
});
