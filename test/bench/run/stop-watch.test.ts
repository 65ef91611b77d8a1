import { expect, test } from 'vitest';
import { StopWatch } from '../../../src/bench/run/stop-watch.ts';
import type { CountedFailure, OutcomeSpan } from '../../../src/core/run/outcome.ts';
import { parseStopRule } from '../../../src/core/run/parse-stop-rule.ts';
import { NO_STOP_RULES, type StopRules, stopRuleText } from '../../../src/core/run/run-stop.ts';

const refused = (statusCode: number, detail: string, count = 1): CountedFailure => ({
  kind: 'http-status',
  statusCode,
  detail,
  count,
});

const watch = (rules: Partial<StopRules> = {}, inFlight = 0) =>
  new StopWatch({ ...NO_STOP_RULES, ...rules }, () => inFlight);

const afterWarmup = (failures: readonly CountedFailure[], completed = 0, rules: Partial<StopRules> = {}) => {
  const stopping = watch(rules);
  const failed = failures.reduce((sum, { count }) => sum + count, 0);
  stopping.add({ spans: [[3, completed, failed]], failures });
  return { mayStart: stopping.warmedUp(), stop: stopping.stop, isHalted: stopping.signal.aborted };
};

/** A second of each: how many succeeded and failed. */
const perSecond = (completed: number, failed: number, seconds: number, from = 0): OutcomeSpan[] =>
  Array.from({ length: seconds }, (_, at) => [10 * (from + at), completed, failed]);

test.each([
  [401, 'Incorrect API key provided'],
  [403, 'forbidden'],
  [404, 'The model `x` does not exist.'],
  [400, 'stream_options is not supported'],
  [422, 'extra fields not permitted'],
  [501, 'This server does not support reranking'],
])('a warm-up of which every request got %s ends the run before its load', (status, detail) => {
  expect(afterWarmup([refused(status, detail, 2)])).toEqual({
    mayStart: false,
    isHalted: true,
    stop: {
      cause: 'rejected',
      problem: `every request would fail as all 2 requests of the warm-up did: HTTP ${status}, ${detail.replace(/\.$/, '')}`,
      advice: 'To send the load all the same: --keep-going.',
      atNs: 300_000_000,
    },
  });
});

test.each([
  ['another status for each', [refused(401, 'no'), refused(404, 'no')], 0],
  ['a status that may pass', [refused(503, 'loading', 2)], 0],
  ['a broken connection', [{ kind: 'reset', statusCode: 0, detail: 'reset', count: 2 } as const], 0],
  ['one success', [refused(401, 'no')], 1],
  ['nothing', [], 0],
])('a warm-up with %s does not', (_, failures, completed) => {
  expect(afterWarmup(failures, completed)).toEqual({ mayStart: true, stop: undefined, isHalted: false });
});

test('--keep-going sends the load after a warm-up that was refused', () => {
  expect(afterWarmup([refused(401, 'no')], 0, { keepsGoing: true })).toMatchObject({ mayStart: true });
});

test('a run of which nothing succeeds stops after 30 s by the times of the events', () => {
  const stopping = watch();
  stopping.warmedUp();
  stopping.started(0);
  const spans = perSecond(0, 4, 40);
  const at = spans.findIndex(span => {
    stopping.add({ spans: [span], failures: [refused(502, 'Bad Gateway')] });
    return stopping.signal.aborted;
  });
  // What came within the last 0.3 s may not be all that has ended: the 31st second is the first one that is sure.
  expect(at).toBe(31);
  expect(stopping.stop).toEqual({
    cause: 'nothing-succeeded',
    problem: 'no request succeeded for 30 s, and 120 failed; the last one: HTTP 502, Bad Gateway',
    advice: 'To go on all the same: --keep-going.',
    atNs: 30_700_000_000,
  });
});

test.each([
  ['--keep-going', { keepsGoing: true }, 0, perSecond(0, 4, 60)],
  [
    'one success within every 30 s',
    {},
    0,
    [...perSecond(0, 4, 29), ...perSecond(1, 4, 1, 29), ...perSecond(0, 4, 29, 30)],
  ],
  ['more requests in flight than have failed', {}, 8, [...perSecond(0, 1, 2), ...perSecond(0, 0, 60, 2)]],
  ['no failure', {}, 0, perSecond(0, 0, 60)],
])('it goes on with %s', (_, rules, inFlight, spans) => {
  const stopping = watch(rules, inFlight);
  stopping.warmedUp();
  stopping.started(0);
  for (const span of spans) stopping.add({ spans: [span], failures: [] });
  expect(stopping.stop).toBeUndefined();
});

test('a rule of --stop-when counts what ended within its time, once the load is that old', () => {
  const stopping = watch({ when: [{ failedShareMax: 0.5, windowMs: 10_000 }] });
  stopping.warmedUp();
  stopping.started(5e9);
  const reported: OutcomeSpan[] = [...perSecond(1, 1, 20, 5), ...perSecond(1, 3, 20, 25)];
  const at = reported.findIndex(span => {
    stopping.add({ spans: [span], failures: [refused(429, 'slow down')] });
    return stopping.signal.aborted;
  });
  expect(reported[at]?.[0]).toBe(260);
  expect(stopping.stop).toMatchObject({
    cause: 'stop-when',
    problem:
      "12 of 22 requests that ended within 10 s failed (--stop-when 'failures > 50% over 10s'); the last one: HTTP 429, slow down",
  });
});

test('half of the requests are not more than half', () => {
  const stopping = watch({ when: [{ failedShareMax: 0.5, windowMs: 1_000 }] });
  stopping.warmedUp();
  stopping.started(0);
  for (const span of perSecond(2, 2, 30)) stopping.add({ spans: [span], failures: [] });
  expect(stopping.stop).toBeUndefined();
});

test.each([
  ['failures > 50% over 10s', 'failures > 50% over 10s'],
  ['Failures>0.5% over 90s', 'failures > 0.5% over 90s'],
  ['failures > 0% over 1500ms', 'failures > 0% over 1500ms'],
  ['failures > 50 % over 10s', 'failures > 50% over 10s'],
  ['failures>50%over10s', 'failures > 50% over 10s'],
  [' failures >.5% over 10 s ', 'failures > 0.5% over 10s'],
])('%s is a rule', (text, shown) => {
  const rule = parseStopRule(text);
  expect(rule.kind === 'ok' ? stopRuleText(rule.value) : rule.problem).toBe(shown);
});

test.each([
  ['', '"" is not a stop rule'],
  ['50%', '"50%" is not a stop rule'],
  ['failures > 50%', '"failures > 50%" is not a stop rule'],
  ['latency > 50% over 10s', '"latency" cannot stop a run: only failures can'],
  ['failures < 50% over 10s', '"failures < 50% over 10s" has no share'],
  ['failures > 50 over 10s', '"50" is not a percentage'],
  ['failures > 100% over 10s', 'more than 100% of the requests can never fail'],
  ['failures > 50% within 10s', '"failures > 50% within 10s" has no time'],
  ['failures > 50% over 10', '"10" is not a duration'],
  ['failures > 50% over 20m', '20m is not a time from 1s to 10m'],
])('%s is refused, with the reason', (text, problem) => {
  expect(parseStopRule(text)).toMatchObject({ kind: 'wrong', problem });
});
