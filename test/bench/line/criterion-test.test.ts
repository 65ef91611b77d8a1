// What requests that depend on each other prove about one criterion.

import { describe, expect, test } from 'vitest';
import { testCriterion } from '../../../src/bench/line/criterion-test.ts';
import type { Criterion } from '../../../src/bench/line/stage-ledger.ts';
import { seededRandom } from '../../../src/core/random.ts';

const LIMIT_MS = 200;
const LATE: Criterion = {
  kind: 'share',
  limit: 0.05,
  isOfTimes: true,
  overdueNs: LIMIT_MS * 1e6,
  firstOverdueNs: Number.POSITIVE_INFINITY,
};
const ALPHA = 0.002;

/** Latencies in ms; late ones miss. */
const judged = (count: number, latencyMsAt: (index: number) => number, alpha = ALPHA) => {
  const times = Float64Array.from({ length: count }, (_, index) => latencyMsAt(index) / LIMIT_MS);
  const values = times.map(reach => (reach > 1 ? 1 : 0));
  return testCriterion(LATE, { values, times, count, open: 0 }, alpha);
};

describe('a criterion', () => {
  test('of which no request missed reports how many would decide, and so many do', () => {
    const { answer, samplesNeeded = 0 } = judged(100, () => 100);
    expect(answer).toBe('too-few-samples');
    expect(judged(samplesNeeded, () => 100).answer).toBe('met');
    expect(judged(samplesNeeded - 1, () => 100).answer).toBe('too-few-samples');
  });

  test('is missed where nearly every request of a growing queue misses, without any steady state', () => {
    const queue = judged(745, index => 100 + 14 * index, 0.006);
    expect(queue.answer).toBe('missed');
    // A burst in one half of it is none of the load.
    expect(judged(745, index => (index > 400 ? 900 : 100), 0.006).answer).toBe('too-few-samples');
  });

  test('is not held up by a spell of latencies that are longer by less than a hundredth', () => {
    const random = seededRandom(1);
    // The noise of a clock or a network: no queue.
    const spell = judged(600, index => 100 + 0.1 * random.next() + (index % 300 < 25 ? 0.3 : 0));
    expect(spell.answer).toBe('met');
    expect(spell.worth).toBeCloseTo(1, 2);
  });

  test('is met where requests come in spells of three milliseconds, far from a limit that none of them misses', () => {
    const random = seededRandom(3);
    // A real stage at half of the line: nobody queues, the machine is slower for a while, some wait for a moment.
    const spells = judged(2_483, index => {
      const waited = random.next() < 0.01 ? 70 * random.next() : 0;
      return 100 + random.next() + (index % 800 < 100 ? 3 : 0) + waited;
    });
    expect(spells.answer).toBe('met');
    expect(spells.worth).toBeGreaterThan(1 / 3);
  });

  test('of which few requests missed takes them for bursts where slow requests come in bursts', () => {
    const random = seededRandom(2);
    // 30 slow ones in a row out of 300, none of them late, and then one that is.
    const bursts = judged(900, index =>
      index === 500 ? 300 : (index % 300 < 30 ? 150 : 100) + random.next(),
    );
    expect(bursts.worth).toBeLessThan(1 / 5);
    expect(bursts.answer).toBe('too-few-samples');
  });
});
