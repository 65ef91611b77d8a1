// What is reported about servers that do not behave like a queue: the first sentence of line.txt and the reasons of
// stages, whole, with figures as N. Searches on the virtual clock, reported by the code for real ones.

import { describe, expect, test } from 'vitest';
import type { SearchOptions } from '../../../src/bench/line/line-search.ts';
import type { JudgedObjective } from '../../../src/core/run/objective.ts';
import type { StageVerdict } from '../../../src/core/sweep/stage.ts';
import type { Behaviour } from '../../support/simulated-line.ts';
import { type ScriptedLine, scriptedLine } from '../../support/spoken-line.ts';

const SEARCH: SearchOptions = { by: 'rate', arrival: { kind: 'poisson' }, resolution: 0.05, loadMax: 10_000 };
const LIMIT_NS = 80e6;
const P95: JudgedObjective = { kind: 'percentile', name: 'latency', percentile: 95, limitNs: LIMIT_NS };
const errorRate = (limitShare: number): JudgedObjective => ({ kind: 'error-rate', limitShare });
const MEAN: JudgedObjective = { kind: 'mean', name: 'latency', limitNs: 45e6 };

/** Four servers of 25 ms: a capacity of 160/s, and without oddities a line at 136/s. */
const sentenceOf = (behaviour: Behaviour, objectives: readonly JudgedObjective[] = [P95]): ScriptedLine =>
  scriptedLine(
    {
      model: { servers: 4, serviceNs: 25e6, serviceVariation: 0 },
      objective: { limitNs: LIMIT_NS, share: 0.05 },
      behaviour,
    },
    objectives,
    { ...SEARCH, budgetMs: 300_000, seed: 1 },
  );

/** "11.6", "−130", "4 048". */
const NUMBER = /[−+]?\d+(?:\s\d{3})*(?:\.\d+)?/gu;
const withoutFigures = (text: string): string => text.replace(NUMBER, 'N').replace(/\s/gu, ' ');

/** Every different reason of stages with that verdict. */
const reasonsOf = ({ stages }: ScriptedLine, verdict: StageVerdict): readonly string[] => [
  ...new Set(
    stages.filter(stage => stage.verdict === verdict).flatMap(({ reasons }) => reasons.map(withoutFigures)),
  ),
];

const HELD_REASON =
  'every objective is met; the queue is stable: requests in flight change by N a minute (N to N)';
const NOT_REQUESTED = [
  'shows how fast an idle endpoint is; whether this load holds was not tested',
  'gives a first estimate of the capacity; whether this load holds was not tested',
];

describe('what is reported of', () => {
  test('a queue: its line, and what decided each load', () => {
    const reported = sentenceOf({});
    expect(withoutFigures(reported.sentence)).toBe(
      'carries N to N requests/s at latency pN ≤ N ms; above that an objective is missed',
    );
    expect(reported.line).toMatchObject({ holds: between(110, 136.6), fails: between(136.4, 170) });
    expect(reasonsOf(reported, 'held')).toEqual([HELD_REASON]);
    expect(reasonsOf(reported, 'missed')).toEqual(['latency.pN=Nms: missed, N ms (at least N ms)']);
    expect(reasonsOf(reported, 'undecided')).toEqual([
      ...NOT_REQUESTED,
      'too few requests to decide; about N requests would decide',
    ]);
  });

  test('a missed limit is never less than the limit', () => {
    const { stages } = sentenceOf({});
    const reported = stages.flatMap(({ reasons }) =>
      reasons.map(reason => /\(at least ([\d.]+)\sms\)/u.exec(reason)?.[1]),
    );
    const least = reported.filter(text => text !== undefined).map(Number);
    expect(least.length).toBeGreaterThan(0);
    expect(Math.min(...least)).toBeGreaterThanOrEqual(80);
  });

  test('a growing queue is growth that the interval shows too', () => {
    const reported = sentenceOf({}, [errorRate(0.05)]);
    expect(withoutFigures(reported.sentence)).toMatch(
      /^carries N to N requests\/s at error rate ≤ N %; above that the queue grows( \(not every end was confirmed\))?$/u,
    );
    expect(reported.line).toMatchObject({ holds: between(130, 160), fails: between(160, 190) });
    const grows = reported.stages.filter(({ verdict }) => verdict === 'over-capacity');
    expect(grows.length).toBeGreaterThan(1);
    for (const { reasons } of grows)
      expect(reasons).toEqual([
        expect.stringMatching(
          /^the queue grows: requests in flight change by \+\S+(\s\d+)* a minute \(\+.* to \+.*\)$/u,
        ),
      ]);
  });

  test('one whose capacity drops by 30 % midway: what it carries by then', () => {
    const reported = sentenceOf({ stretch: atNs => (atNs < 120e9 ? 1 : 1 / 0.7) });
    expect(withoutFigures(reported.sentence)).toBe(
      'carries N to N requests/s at latency pN ≤ N ms; above that an objective is missed; it carried more at first: N requests/s held, and later N did not',
    );
    expect(reported.line).toMatchObject({ holds: between(60, 100), fails: between(90, 112) });
    expect(reasonsOf(reported, 'held')).toEqual([HELD_REASON]);
  });

  test('one that fails 1 % at all rates: the line of an objective that allows it, with the failures counted', () => {
    const reported = sentenceOf({ fails: draw => draw < 0.01 });
    expect(withoutFigures(reported.sentence)).toBe(
      'carries N to N requests/s at latency pN ≤ N ms; above that an objective is missed',
    );
    expect(reasonsOf(reported, 'held')).toEqual([HELD_REASON, 'N of N requests failed (status N: N)']);
    expect(reported.stages.flatMap(({ reasons }) => reasons).join()).toContain('(status 500: ');
  });

  test('one that fails 1 % at all rates: that no load holds where 0.1 % are allowed', () => {
    const reported = sentenceOf({ fails: draw => draw < 0.01 }, [P95, errorRate(0.001)]);
    expect(withoutFigures(reported.sentence)).toBe(
      'carries no load at latency pN ≤ N ms and error rate ≤ N %: not even one request at a time (N requests/s) meets it',
    );
    expect(reported.stages.at(-1)).toMatchObject({ purpose: 'alone', verdict: 'missed' });
    expect(reasonsOf(reported, 'held')).toEqual([]);
    expect(reasonsOf(reported, 'missed')).toContain('error-rate=N%: missed, N % (N % to N %)');
  });

  test('one that refuses with 429: an objective missed, no growing queue, and how many it refused', () => {
    const reported = sentenceOf({ refusesFrom: 6 });
    expect(withoutFigures(reported.sentence)).toBe(
      'carries N to N requests/s at latency pN ≤ N ms; above that an objective is missed',
    );
    expect(reasonsOf(reported, 'missed')).toEqual([
      'latency.pN=Nms: missed, longer than all completed requests (at least N ms)',
      'N of N requests failed (status N: N)',
    ]);
    expect(reported.stages.flatMap(({ reasons }) => reasons).join()).toContain('(status 429: ');
    expect(reasonsOf(reported, 'over-capacity')).toEqual([]);
  });

  test('one that hangs beyond six in flight: the queue grows where nobody comes back', () => {
    const reported = sentenceOf({ hangsFrom: 6 });
    expect(withoutFigures(reported.sentence)).toBe(
      'carries N to N requests/s at latency pN ≤ N ms; above that the queue grows',
    );
    expect(reasonsOf(reported, 'over-capacity')).toEqual([
      'the queue grows: requests in flight change by N a minute (N to N)',
    ]);
  });

  test('one that never answers: that no request was answered', () => {
    const reported = sentenceOf({ hangsFrom: 0 });
    expect(reported.sentence).toBe('nothing is known: no request was answered, not even one at a time');
    expect(reported.stages).toMatchObject([
      { verdict: 'broken', reasons: ['the only request was not answered'] },
    ]);
  });

  test('one under an objective of its mean latency', () => {
    const reported = sentenceOf({}, [MEAN]);
    expect(withoutFigures(reported.sentence)).toBe(
      'carries N to N requests/s at mean latency ≤ N ms; above that the queue grows',
    );
    expect(reasonsOf(reported, 'held')).toContain(HELD_REASON);
  });
});

const between = (low: number, high: number): unknown =>
  expect.toSatisfy((value: number) => value >= low && value <= high, `from ${low} to ${high}`);
