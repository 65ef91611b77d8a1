import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type SeededRandom, seededRandom } from '../../../src/core/random.ts';
import { NO_FIGURE } from '../../../src/core/run/event-record.ts';
import { judgeObjective, type ObjectiveAnswer } from '../../../src/core/run/judge-objective.ts';
import type { JudgedObjective, RunObjective } from '../../../src/core/run/objective.ts';
import { ObjectiveTally } from '../../../src/core/run/objective-tally.ts';
import type { Outcome } from '../../../src/core/run/outcome.ts';
import { isUnknown } from '../../../src/core/unknown.ts';
import { longCount } from '../../support/counts.ts';

const MS = 1e6;
const TTFT_P95: RunObjective = { kind: 'percentile', name: 'ttft', percentile: 95, limitNs: 500 * MS };
const TTFT_P50: RunObjective = { kind: 'percentile', name: 'ttft', percentile: 50, limitNs: 500 * MS };
const TTFT_MEAN: RunObjective = { kind: 'mean', name: 'ttft', limitNs: 500 * MS };
const ERROR_RATE: RunObjective = { kind: 'error-rate', limitShare: 0.001 };
const ALL: JudgedObjective = {
  kind: 'attainment',
  share: 1,
  limits: [{ name: 'ttft', limitNs: 500 * MS }],
};
const MOST: JudgedObjective = { ...ALL, share: 0.95 };

type Sample = number | Exclude<Outcome, 'completed'> | 'no-usage';

/** Samples by their TTFT in ms, or by how they ended. */
const judged = (objective: JudgedObjective, samples: Iterable<Sample>): ObjectiveAnswer => {
  const tally = new ObjectiveTally(objective);
  for (const sample of samples) {
    if (sample === 'failed' || sample === 'cancelled') tally.ended(sample, undefined);
    else tally.ended('completed', figures(sample === 'no-usage' ? NO_FIGURE : sample * MS));
  }
  return judgeObjective(objective, tally.evidence());
};

const figures = (ttftNs: number) => ({
  ttftNs,
  ttftFromIntendedNs: ttftNs,
  tpotNs: 10,
  latencyNs: ttftNs + 10,
  latencyFromIntendedNs: ttftNs + 10,
  outputTokens: 10,
});

const normal = (random: SeededRandom): number =>
  Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());

/** Log-normal times of one median, each like the one before it by `phi`. */
const correlated = (seed: number, count: number, phi: number): readonly number[] => {
  const random = seededRandom(seed);
  let state = normal(random);
  return Array.from({ length: count }, () => {
    state = phi * state + Math.sqrt(1 - phi * phi) * normal(random);
    return 300 * Math.exp(0.25 * state);
  });
};

const repeated = (count: number, sample: Sample): readonly Sample[] =>
  Array.from({ length: count }, () => sample);

/** TTFTs in ms of a queue that grows from the first request on. */
const growing = (count: number, topMs: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => 100 + (index * topMs) / count);

describe('an objective that is clearly missed', () => {
  test('is missed although all requests wait in one queue: p90 of 13.1 s against 500 ms in 314 requests', () => {
    const answer = judged({ ...TTFT_P95, percentile: 90 }, growing(314, 14_500));
    expect(answer).toMatchObject({ answer: 'missed', estimate: { low: 500 * MS } });
    expect(isUnknown(answer.estimate) ? 0 : answer.estimate.value).toBeCloseTo(13.1e9, -8);
  });

  test('is missed by 13.9 % of 115 requests where 90 % are demanded, with an interval that reports it', () => {
    const answer = judged({ ...MOST, share: 0.9 }, [...growing(16, 100), ...repeated(99, 9_000)]);
    expect(answer.answer).toBe('missed');
    expect(answer.estimate).toMatchObject({ value: 16 / 115, high: expect.any(Number) });
    expect(isUnknown(answer.estimate) ? 1 : answer.estimate.high).toBeLessThanOrEqual(0.9);
  });

  test('of a mean is missed as well', () => {
    expect(judged(TTFT_MEAN, growing(314, 14_500))).toMatchObject({
      answer: 'missed',
      estimate: { low: 500 * MS },
    });
  });

  test('is so with failures that come in stretches among requests in time', () => {
    const stretches = Array.from({ length: 400 }, (_, index): Sample => (index % 40 < 12 ? 'failed' : 100));
    expect(judged({ ...TTFT_P95, percentile: 90 }, stretches).answer).toBe('missed');
    // One stretch alone is one event.
    const burst = Array.from({ length: 400 }, (_, index): Sample => (index < 60 ? 'failed' : 100));
    expect(judged({ ...TTFT_P95, percentile: 90 }, burst).answer).toBe('too-few-samples');
  });
});

test('the number of requests that would decide is never lower than that of those made, for any series', () => {
  const sample = fc.oneof(
    fc.integer({ min: 1, max: 1_000 }),
    fc.constantFrom<Sample>('failed', 'cancelled', 'no-usage'),
  );
  const objective = fc.constantFrom(TTFT_P50, TTFT_P95, TTFT_MEAN, MOST, ERROR_RATE);
  fc.assert(
    fc.property(fc.array(sample, { minLength: 1, maxLength: 200 }), objective, (samples, each) => {
      const { answer, samplesNeeded } = judged(each, samples);
      if (answer !== 'too-few-samples' || isUnknown(samplesNeeded)) return;
      expect(samplesNeeded).toBeGreaterThan(samples.length);
    }),
  );
});

describe('a mean whose values stay correlated for about as long as the run', () => {
  const wave = Array.from({ length: 60 }, (_, index) => 100 + 40 * Math.sin(index / 15));

  test('is met where ten times the wait is within the limit, and else unknown, with how many requests would do', () => {
    expect(judged({ ...TTFT_MEAN, limitNs: 2_000 * MS }, wave)).toMatchObject({
      answer: 'met',
      estimate: { low: 0, high: 2_000 * MS },
    });
    const unsure = judged({ ...TTFT_MEAN, limitNs: 130 * MS }, wave);
    expect(unsure).toMatchObject({ answer: 'too-few-samples', estimate: { kind: 'unknown' } });
    expect(unsure.samplesNeeded).toBeGreaterThan(60);
    expect(unsure.samplesNeeded).toBeLessThan(10_000);
  });
});

describe('an objective of a percentile', () => {
  test('is met only once there are enough samples that even the bound is within', () => {
    const few = judged(TTFT_P95, repeated(50, 100));
    expect(few.answer).toBe('too-few-samples');
    // 0.95^n ≤ 0.025 from 72 on.
    expect(few.samplesNeeded).toBe(72);
    expect(judged(TTFT_P95, repeated(71, 100)).answer).toBe('too-few-samples');
    expect(judged(TTFT_P95, repeated(72, 100)).answer).toBe('met');
  });

  test('reports of few samples no number that only their own chance makes large', () => {
    // Eight latencies of a warming endpoint, in ms, far below 500: a correlation of 0.9 seen in eight values is hardly one.
    const few = judged(TTFT_P95, [31, 30, 29, 27, 26, 25, 24, 24]);
    expect(few.answer).toBe('too-few-samples');
    expect(few.samplesNeeded).toBeGreaterThanOrEqual(72);
    expect(few.samplesNeeded).toBeLessThan(400);
    // Of a thousand as correlated ones it is known, and stays.
    const many = judged({ ...TTFT_P95, limitNs: 460 * MS }, correlated(1, 1_000, 0.9));
    expect(many.samplesNeeded).toBeGreaterThan(2_000);
  });

  test('counts a failure as longer than any answer', () => {
    const samples = repeated(1_000, 100).map((sample, index) => (index % 10 === 0 ? 'failed' : sample));
    expect(judged(TTFT_P95, samples)).toMatchObject({
      answer: 'missed',
      estimate: { value: null, high: null },
    });
    expect(judged({ ...TTFT_P95, percentile: 80 }, samples).answer).toBe('met');
  });

  test('has bounds that are order statistics of the samples', () => {
    // Of 100 values the median is between the 40th to the 61st with 95 % (binomial table).
    const random = seededRandom(1);
    const values = Array.from({ length: 100 }, (_, index) => ({ value: index + 1, order: random.next() }))
      .sort((a, b) => a.order - b.order)
      .map(({ value }) => value);
    const { estimate } = judged({ ...TTFT_P50, limitNs: 50.5 * MS }, values);
    if (isUnknown(estimate)) throw new Error(estimate.reason);
    expect((estimate.value ?? 0) / MS).toBeCloseTo(50, 0);
    expect(estimate.low / MS).toBeGreaterThan(34);
    expect(estimate.low / MS).toBeLessThan(41);
    expect((estimate.high ?? 0) / MS).toBeGreaterThan(60);
    expect((estimate.high ?? 0) / MS).toBeLessThan(67);
  });

  test('takes no answer without usage for good or bad', () => {
    const samples = repeated(1_000, 100).map((sample, index) => (index % 2 === 0 ? 'no-usage' : sample));
    expect(judged(TTFT_P95, samples)).toMatchObject({
      answer: 'too-few-samples',
      samplesNeeded: { reason: '500 requests have no figure for it' },
    });
  });
});

describe('an objective of an error rate', () => {
  test('needs thousands of requests before none that failed reports anything about one in a thousand', () => {
    const few = judged(ERROR_RATE, repeated(1_000, 100));
    expect(few).toMatchObject({ answer: 'too-few-samples', estimate: { value: 0, low: 0 } });
    expect(few.samplesNeeded).toBe(3_688);
    expect(judged(ERROR_RATE, repeated(3_688, 100)).answer).toBe('met');
  });

  test('is missed when too many failed', () => {
    const samples = repeated(3_000, 100).map((sample, index) => (index % 100 === 0 ? 'failed' : sample));
    const answer = judged(ERROR_RATE, samples);
    expect(answer.answer).toBe('missed');
    expect(answer).toMatchObject({ limit: 0.001, unit: 'share' });
  });

  test('of nothing at all is missed by the first failure, and met without one', () => {
    const none: RunObjective = { kind: 'error-rate', limitShare: 0 };
    expect(judged(none, repeated(10, 100)).answer).toBe('met');
    expect(judged(none, [100, 'failed', 100]).answer).toBe('missed');
  });
});

describe('attainment', () => {
  test('of every request is met by all of them, and missed by one slow or failed', () => {
    expect(judged(ALL, repeated(10, 100)).answer).toBe('met');
    expect(judged(ALL, [...repeated(999, 100), 501]).answer).toBe('missed');
    expect(judged(ALL, [...repeated(999, 100), 'failed']).answer).toBe('missed');
  });

  test('is the share of issued requests, of which failed ones miss', () => {
    const samples = [...repeated(950, 100), ...repeated(30, 700), ...repeated(20, 'failed' as const)];
    expect(judged({ ...MOST, share: 0.9 }, shuffled(samples))).toMatchObject({
      answer: 'met',
      limit: 0.9,
      estimate: { value: 0.95 },
    });
    expect(judged({ ...MOST, share: 0.99 }, shuffled(samples)).answer).toBe('missed');
    expect(judged(MOST, shuffled(samples))).toMatchObject({
      answer: 'too-few-samples',
      samplesNeeded: { reason: 'the measured value is at the limit itself' },
    });
  });

  test('takes a request that was stopped with the run neither for good nor for bad', () => {
    expect(judged(ALL, [...repeated(10, 100), 'cancelled']).answer).toBe('too-few-samples');
    const samples = [...repeated(1_000, 100), ...repeated(8, 'cancelled' as const)];
    expect(judged(MOST, samples).answer).toBe('met');
    expect(judged(MOST, [...repeated(1_000, 100), ...repeated(500, 'cancelled' as const)]).answer).toBe(
      'too-few-samples',
    );
  });

  test('lets an answer of one token meet any time per token, and keeps it out of a percentile', () => {
    const limits = [{ name: 'tpot', limitNs: 5 }] as const;
    const one = { ...figures(100), tpotNs: NO_FIGURE, outputTokens: 1 };
    const share = new ObjectiveTally({ kind: 'attainment', share: 1, limits });
    share.ended('completed', one);
    expect(share.evidence()).toMatchObject({ count: 1, good: 1 });
    const percentile = new ObjectiveTally({ kind: 'percentile', percentile: 95, name: 'tpot', limitNs: 5 });
    percentile.ended('completed', one);
    expect(percentile.evidence().count).toBe(0);
  });
});

describe('an objective of a mean', () => {
  test('is met, missed or undecided by where its interval is', () => {
    const samples = correlated(7, 2_000, 0);
    expect(judged(TTFT_MEAN, samples).answer).toBe('met');
    expect(judged({ ...TTFT_MEAN, limitNs: 250 * MS }, samples).answer).toBe('missed');
    const close = judged({ ...TTFT_MEAN, limitNs: 310 * MS }, samples);
    expect(close.answer).toBe('too-few-samples');
    expect(close.samplesNeeded).toBeGreaterThan(2_000);
  });

  test('leaves failures out, and reports nothing of fewer than 20 values', () => {
    expect(judged(TTFT_MEAN, [...repeated(30, 100), 'failed']).answer).toBe('met');
    expect(judged(TTFT_MEAN, repeated(19, 100))).toMatchObject({
      answer: 'too-few-samples',
      samplesNeeded: 20,
    });
  });
});

describe('a judgement', () => {
  test('of no sample is none', () => {
    for (const objective of [TTFT_P95, TTFT_MEAN, ERROR_RATE, ALL])
      expect(judged(objective, [])).toMatchObject({
        answer: 'too-few-samples',
        estimate: { reason: 'no request has ended' },
      });
  });

  test('never turns from met to missed as its limit rises', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 1_000 }), { minLength: 1, maxLength: 300 }),
        fc.integer({ min: 1, max: 1_000 }),
        fc.integer({ min: 1, max: 1_000 }),
        fc.constantFrom(TTFT_P95, TTFT_P50, TTFT_MEAN),
        (samples, one, other, objective) => {
          const at = (limitMs: number): string =>
            judged({ ...objective, limitNs: limitMs * MS }, samples).answer;
          if (at(Math.min(one, other)) === 'met') expect(at(Math.max(one, other))).not.toBe('missed');
          if (at(Math.max(one, other)) === 'missed') expect(at(Math.min(one, other))).not.toBe('met');
        },
      ),
    );
  });

  test('of a percentile keeps value, bounds and answer in one order', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.integer({ min: 1, max: 1_000 }), fc.constant('failed' as const)), {
          minLength: 1,
          maxLength: 300,
        }),
        fc.constantFrom(TTFT_P95, TTFT_P50),
        (samples, objective) => {
          const { estimate, answer, limit } = judged(objective, samples);
          if (isUnknown(estimate)) throw new Error(estimate.reason);
          const value = estimate.value ?? Number.POSITIVE_INFINITY;
          const high = estimate.high ?? Number.POSITIVE_INFINITY;
          expect(estimate.low).toBeLessThanOrEqual(Math.max(value, limit));
          expect(high).toBeGreaterThanOrEqual(Math.min(value, limit));
          if (answer === 'met') expect(high).toBeLessThanOrEqual(limit);
          if (answer === 'missed') expect(estimate.low).toBeGreaterThanOrEqual(limit);
          if (answer === 'too-few-samples') expect(high).toBeGreaterThan(limit * 0.998);
        },
      ),
    );
  });

  test('asks for about as many samples as then decide', () => {
    const share = 0.97;
    const samples = (count: number): readonly Sample[] =>
      shuffled(Array.from({ length: count }, (_, index) => (index < share * count ? 100 : 700)));
    const { samplesNeeded } = judged(MOST, samples(200));
    if (isUnknown(samplesNeeded)) throw new Error(samplesNeeded.reason);
    expect(judged(MOST, samples(Math.ceil(samplesNeeded * 1.6))).answer).toBe('met');
  });
});

// A limit at the truth itself is where a wrong answer is most likely: either answer is wrong there, and each of the two
// bounds may be with 2.5 %. 400 runs a cell in the long run.
describe('wrong answers at the limit itself', () => {
  const RUNS = longCount(200, 400);
  const P95_MS = 300 * Math.exp(0.25 * 1.644_853_6);
  const MEAN_MS = 300 * Math.exp(0.25 ** 2 / 2);
  const cells = [
    { phi: 0, count: 300 },
    { phi: 0.5, count: 300 },
    { phi: 0.9, count: 1_000 },
    { phi: 0.97, count: 3_000 },
  ];
  for (const { phi, count } of cells) {
    const title = `are 7 % of ${RUNS} at most, with ${count} samples and a correlation of ${phi}`;
    test(title, () => {
      let wrong = { percentile: 0, mean: 0, attainment: 0 };
      for (let seed = 1; seed <= RUNS; seed += 1) {
        const samples = correlated(seed, count, phi);
        const isWrong = (objective: JudgedObjective): number =>
          judged(objective, samples).answer === 'too-few-samples' ? 0 : 1;
        wrong = {
          percentile: wrong.percentile + isWrong({ ...TTFT_P95, limitNs: P95_MS * MS }),
          mean: wrong.mean + isWrong({ ...TTFT_MEAN, limitNs: MEAN_MS * MS }),
          attainment:
            wrong.attainment + isWrong({ ...MOST, limits: [{ name: 'ttft', limitNs: P95_MS * MS }] }),
        };
      }
      expect(Math.max(wrong.percentile, wrong.mean, wrong.attainment) / RUNS).toBeLessThanOrEqual(0.07);
    });
  }
});

const shuffled = (samples: readonly Sample[]): readonly Sample[] => {
  const random = seededRandom(samples.length);
  return samples
    .map(sample => ({ sample, order: random.next() }))
    .sort((a, b) => a.order - b.order)
    .map(({ sample }) => sample);
};
