import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { arrivals } from '../../../src/bench/schedule/arrivals.ts';
import { type LoadProfile, loadProfile } from '../../../src/bench/schedule/load-profile.ts';
import { OwnArrivals } from '../../../src/bench/schedule/own-arrivals.ts';
import { ProfileUsers } from '../../../src/bench/schedule/profile-users.ts';
import type { Arrival } from '../../../src/core/run/run-pattern.ts';
import type { LoadStep } from '../../../src/core/run/run-shape.ts';

const SECOND = 1e9;

const course = (steps: readonly LoadStep[], { rampMs = 0, warmupMs = 0 } = {}): LoadProfile => {
  const made = loadProfile({ kind: 'concurrency', concurrency: 8 }, { rampMs, warmupMs, steps }, 256);
  if (made === undefined) throw new Error('no course');
  return made;
};

const due = (
  arrival: Arrival | 'poisson' | 'constant',
  of: LoadProfile,
  count: number,
  seed = 1,
): readonly number[] => {
  const kind = typeof arrival === 'string' ? { kind: arrival } : arrival;
  const schedule = arrivals({ ...kind, requestsPerSecond: 1 }, seed, of);
  return Array.from({ length: count }, () => schedule.nextNs());
};

const anySteps = fc.array(
  fc.record({
    from: fc.double({ min: 0, max: 500, noNaN: true }),
    to: fc.double({ min: 0, max: 500, noNaN: true }),
    durationMs: fc.integer({ min: 1, max: 60_000 }),
  }),
  { minLength: 1, maxLength: 6 },
);

/** Requests that the levels add up to until then, by summing thin slices: no formula of the code. */
const addedUp = (steps: readonly LoadStep[], untilNs: number): number => {
  let sum = 0;
  let startNs = 0;
  for (const { from, to, durationMs } of steps) {
    const slices = 2_000;
    const sliceNs = (durationMs * 1e6) / slices;
    for (let slice = 0; slice < slices; slice += 1) {
      const middleNs = startNs + (slice + 0.5) * sliceNs;
      const part = Math.max(0, Math.min(1, (untilNs - startNs - slice * sliceNs) / sliceNs));
      sum += ((from + ((to - from) * (middleNs - startNs)) / (durationMs * 1e6)) * sliceNs * part) / 1e9;
    }
    startNs += durationMs * 1e6;
  }
  return sum;
};

describe('arrivals of a load that moves', () => {
  test('at a constant spacing come whenever the rates have added up to one more', () => {
    const ramp = course([{ from: 0, to: 2, durationMs: 4_000 }]);
    // Λ(t) = t²/4 s: the n-th is due at 2√n s; behind the ramp it is one each 0.5 s.
    expect(due('constant', ramp, 8)).toEqual(
      [0, 2, 2 * Math.SQRT2, 2 * Math.sqrt(3), 4, 4.5, 5, 5.5].map(seconds => Math.round(seconds * SECOND)),
    );
  });

  test('by Poisson are the same draws at every rate: twice the rate halves every time', () => {
    const [slow, fast] = [2, 4].map(level => course([{ from: level, to: level, durationMs: 10_000 }]));
    if (slow === undefined || fast === undefined) throw new Error('two courses');
    const times = due('poisson', slow, 30);
    const halves = due('poisson', fast, 30).map(atNs => 2 * atNs);
    for (const [index, atNs] of times.entries())
      expect(Math.abs(atNs - (halves[index] ?? 0))).toBeLessThanOrEqual(2);
  });

  test('are the exact inverse of any levels, and never decrease', () => {
    fc.assert(
      fc.property(anySteps, steps => {
        const lastNs = steps.reduce((sum, { durationMs }) => sum + durationMs * 1e6, 0);
        let previous = 0;
        for (const [index, atNs] of due('constant', course(steps), 200).entries()) {
          expect(atNs).toBeGreaterThanOrEqual(previous);
          previous = atNs;
          if (atNs > lastNs) break;
          expect(addedUp(steps, atNs)).toBeCloseTo(index, 1);
        }
      }),
      { numRuns: 30 },
    );
  });

  test('by Poisson are as many as the levels report, stage by stage', () => {
    const steps = [
      { from: 50, to: 50, durationMs: 60_000 },
      { from: 50, to: 200, durationMs: 60_000 },
      { from: 10, to: 10, durationMs: 60_000 },
    ];
    const times = due('poisson', course(steps), 12_000, 7);
    for (const [index, expected] of [3_000, 7_500, 600].entries()) {
      const [from, to] = [index * 60 * SECOND, (index + 1) * 60 * SECOND];
      const seen = times.filter(atNs => atNs >= from && atNs < to).length;
      // Five standard deviations of a Poisson count.
      expect(Math.abs(seen - expected)).toBeLessThan(5 * Math.sqrt(expected));
    }
  });

  test('by gamma are as many as the levels report, and vary from stage to stage by their burstiness', () => {
    const steps = [
      { from: 50, to: 50, durationMs: 60_000 },
      { from: 50, to: 200, durationMs: 60_000 },
    ];
    const burstiness = 0.25;
    const times = due({ kind: 'gamma', burstiness }, course(steps), 12_000, 7);
    for (const [index, expected] of [3_000, 7_500].entries()) {
      const [from, to] = [index * 60 * SECOND, (index + 1) * 60 * SECOND];
      const seen = times.filter(atNs => atNs >= from && atNs < to).length;
      // The variance of a renewal count is its mean times the squared coefficient of variation of the gaps.
      expect(Math.abs(seen - expected)).toBeLessThan(5 * Math.sqrt(expected / burstiness));
    }
  });

  test('end where the last level is 0', () => {
    const over = course([{ from: 2, to: 0, durationMs: 3_000 }]);
    expect(due('constant', over, 5)).toEqual([
      0,
      expect.any(Number),
      expect.any(Number),
      ...Array(2).fill(Number.POSITIVE_INFINITY),
    ]);
  });
});

describe("a load thread's share of a schedule", () => {
  const own = (index: number, of: number, samplesMax: number): readonly (readonly [number, boolean])[] => {
    const ramp = course([{ from: 4, to: 4, durationMs: 10_000 }], { rampMs: 2_000 });
    const share = new OwnArrivals({
      arrivals: arrivals({ kind: 'constant', requestsPerSecond: 4 }, 1, ramp),
      share: { index, of },
      startNs: 0,
      endNs: Number.POSITIVE_INFINITY,
      measuredFromNs: ramp.measuredFromNs,
      samplesMax,
    });
    const taken: (readonly [number, boolean])[] = [];
    for (; !share.hasEnded; share.advance()) taken.push([share.index, share.isMeasured]);
    return taken;
  };

  test('counts only what is measured, with however many threads', () => {
    // The ramp adds up to four requests: number 4 is due at its very end.
    const alone = own(0, 1, 6);
    expect(alone.filter(([, isMeasured]) => !isMeasured).map(([index]) => index)).toEqual([0, 1, 2, 3]);
    expect(alone.filter(([, isMeasured]) => isMeasured)).toHaveLength(6);
    const shared = [0, 1, 2].flatMap(index => own(index, 3, 6));
    expect(shared.toSorted(([a], [b]) => a - b)).toEqual(alone);
  });
});

const levelAt = (steps: readonly LoadStep[], atMs: number): number => {
  let startMs = 0;
  for (const { from, to, durationMs } of steps) {
    if (atMs < startMs + durationMs) return from + ((to - from) * (atMs - startMs)) / durationMs;
    startMs += durationMs;
  }
  return steps.at(-1)?.to ?? 0;
};

describe('users of a load that moves', () => {
  const rises = (of: LoadProfile, untilNs: number): readonly (readonly [number, number])[] => {
    const users = new ProfileUsers(of);
    const seen: (readonly [number, number])[] = [];
    for (let atNs = 0; atNs <= untilNs; atNs = users.nextRiseNs(atNs))
      seen.push([atNs / SECOND, users.at(atNs)]);
    return seen;
  };

  test('join one by one, the first at once, so that all are there when the ramp ends', () => {
    const ramp = loadProfile(
      { kind: 'concurrency', concurrency: 4 },
      { rampMs: 8_000, warmupMs: 0, steps: [] },
      256,
    );
    if (ramp === undefined) throw new Error('no course');
    expect(rises(ramp, 60 * SECOND)).toEqual([
      [0, 1],
      [2, 2],
      [4, 3],
      [6, 4],
    ]);
    expect(ramp.measuredFromNs).toBe(8 * SECOND);
  });

  test('go one by one as the level falls, and are there again when it steps up', () => {
    const users = new ProfileUsers(
      course([
        { from: 4, to: 4, durationMs: 2_000 },
        { from: 4, to: 0, durationMs: 4_000 },
        { from: 3, to: 3, durationMs: 2_000 },
      ]),
    );
    const seen = [0, 1.9, 2, 2.9, 3, 4.5, 5, 5.9, 6, 7, 9].map(seconds => users.at(seconds * SECOND));
    expect(seen).toEqual([4, 4, 4, 4, 3, 2, 1, 1, 3, 3, 3]);
  });

  test('are never more than the level, rounded up, and never fewer than it, rounded down', () => {
    fc.assert(
      fc.property(anySteps, fc.array(fc.nat(120_000), { maxLength: 40 }), (steps, timesMs) => {
        const users = new ProfileUsers(course(steps));
        for (const atMs of timesMs.toSorted((a, b) => a - b)) {
          const level = levelAt(steps, atMs);
          expect(users.at(atMs * 1e6)).toBeGreaterThanOrEqual(Math.floor(level));
          // A level that is whole but for its last digits is whole.
          expect(users.at(atMs * 1e6)).toBeLessThanOrEqual(Math.floor(level + 2e-9) + 1);
        }
      }),
    );
  });
});

test('a load that keeps its one level from the start has no course', () => {
  expect(loadProfile({ kind: 'max-throughput' }, { rampMs: 0, warmupMs: 0, steps: [] }, 256)).toBe(undefined);
});
