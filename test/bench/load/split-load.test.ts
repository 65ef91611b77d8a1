// A load that is split over agents: together they send exactly what one machine would.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createThreadBoardMemory, ThreadBoard } from '../../../src/bench/arena/thread-board.ts';
import { plannedPrompts } from '../../../src/bench/dataset/planned-prompts.ts';
import { WORDS_AS_TOKENS } from '../../../src/bench/dataset/word-costs.ts';
import { type LoadPlan, threadShare } from '../../../src/bench/load/load-plan.ts';
import { arrivals, type Share, shareOf, WHOLE_LOAD } from '../../../src/bench/schedule/arrivals.ts';
import { loadProfile } from '../../../src/bench/schedule/load-profile.ts';
import { OwnArrivals } from '../../../src/bench/schedule/own-arrivals.ts';
import { ProfileUsers } from '../../../src/bench/schedule/profile-users.ts';
import { serverApi } from '../../../src/bench/target/api/server-apis.ts';
import { RequestWriter } from '../../../src/bench/target/http1/request-writer.ts';
import { requestBodies } from '../../../src/bench/target/request-bodies.ts';
import type { SchedulePattern } from '../../../src/core/run/run-pattern.ts';
import type { LoadStep } from '../../../src/core/run/run-shape.ts';

const WARMUP = 3;
const ARRIVALS = 400;

const requestsPerSecond = fc.double({ min: 1, max: 5_000, noNaN: true });
const pattern: fc.Arbitrary<SchedulePattern> = fc.oneof(
  fc.record({ kind: fc.constantFrom('poisson', 'constant'), requestsPerSecond }),
  fc.record({
    kind: fc.constant('gamma'),
    requestsPerSecond,
    burstiness: fc.double({ min: 0.05, max: 50, noNaN: true }),
  }),
);
const level = fc.double({ min: 0, max: 500, noNaN: true });
const steps: fc.Arbitrary<LoadStep[]> = fc.array(
  fc.record({ from: level, to: level, durationMs: fc.integer({ min: 1, max: 2_000 }) }),
  { maxLength: 4 },
);
const agents = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 8 });

interface LoadRequest {
  readonly pattern: SchedulePattern;
  readonly seed: number;
  readonly rampMs: number;
  readonly steps: readonly LoadStep[];
  readonly samplesMax: number;
}

type Sent = readonly [sampleId: number, dueNs: number, isMeasured: boolean];

/** What the threads of one machine send: as a load worker walks its schedule. */
const sentBy = (options: LoadRequest, share: Share, threads: number): readonly Sent[] => {
  const course = loadProfile(options.pattern, { ...options, warmupMs: 0 }, 1);
  const sent: Sent[] = [];
  for (let thread = 0; thread < threads; thread += 1) {
    const own = new OwnArrivals({
      arrivals: arrivals(options.pattern, options.seed, course),
      share: threadShare({ share, threads: { load: threads, parse: 1 } }, thread),
      startNs: 1_000,
      endNs: 1_000 + 3_600e9,
      measuredFromNs: 1_000 + (course?.measuredFromNs ?? 0),
      samplesMax: options.samplesMax,
    });
    while (!own.hasEnded && own.index < ARRIVALS) {
      sent.push([WARMUP + own.index, own.dueNs, own.isMeasured]);
      own.advance();
    }
  }
  return sent.filter(([id]) => id < WARMUP + ARRIVALS);
};

const inOrder = (sent: readonly Sent[]): readonly Sent[] => sent.toSorted(([a], [b]) => a - b);

describe('a schedule that is split over agents', () => {
  test('is together exactly that of one machine, for any process, any shape and any threads of each', () => {
    fc.assert(
      fc.property(
        fc.record({
          pattern,
          seed: fc.maxSafeNat(),
          rampMs: fc.integer({ min: 0, max: 500 }),
          steps,
          samplesMax: fc.integer({ min: 1, max: 1_000 }),
        }),
        agents,
        fc.integer({ min: 1, max: 4 }),
        (options, threadsOf, threads) => {
          const whole = inOrder(sentBy(options, WHOLE_LOAD, threads));
          const union = threadsOf.flatMap((own, index) =>
            sentBy(options, { index, of: threadsOf.length }, own),
          );
          expect(inOrder(union)).toEqual(whole);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('goes to the agent of its number modulo their number', () => {
    const options = {
      pattern: { kind: 'poisson', requestsPerSecond: 100 },
      seed: 7,
      rampMs: 0,
      steps: [],
    } as const;
    for (const count of [2, 4, 8]) {
      for (let index = 0; index < count; index += 1) {
        const sent = sentBy({ ...options, samplesMax: 1_000 }, { index, of: count }, 3);
        expect(new Set(sent.map(([id]) => (id - WARMUP) % count))).toEqual(new Set([index]));
      }
    }
  });
});

describe('requests that are split over agents', () => {
  test('are together byte for byte those of one machine, with calibrated words and shared prefixes too', () => {
    const costs = { ...WORDS_AS_TOKENS, taskTokens: 13, prefixTokens: 5 };
    const api = serverApi('chat');
    fc.assert(
      fc.property(fc.nat(), fc.constantFrom(2, 4, 8), fc.boolean(), (seed, of, hasPrefixes) => {
        const { prompts } = plannedPrompts(
          {
            seed,
            file: undefined,
            input: { distribution: { kind: 'fixed', value: 40 }, text: '40' },
            output: { distribution: { kind: 'uniform', min: 4, max: 64 }, text: '4..64' },
            prefixes: hasPrefixes ? { tokens: 20, count: 3 } : undefined,
            isOutputInBody: false,
          },
          costs,
        );
        // A machine of its own each: nothing is passed on but the seed and what words cost.
        const writer = (): RequestWriter =>
          new RequestWriter(
            ['POST / HTTP/1.1\r\ncontent-length: '],
            requestBodies(prompts.slice(0, 50), {
              api,
              model: 'm',
              isStreaming: true,
              hasNonce: true,
              noncePrefix: '0badcafe',
            }),
            WARMUP,
          );
        const bytesOf = (from: RequestWriter, sampleId: number): string => {
          const into = { bytes: Buffer.alloc(0), sampleId: 0, promptIndex: -1 };
          from.prepare(into, sampleId, 0);
          return into.bytes.toString('latin1');
        };
        const ids = Array.from({ length: 120 }, (_, index) => index);
        const one = writer();
        const union: string[] = [];
        for (let index = 0; index < of; index += 1) {
          const own = writer();
          for (const id of ids.filter(each => each % of === index)) union[id] = bytesOf(own, id);
        }
        expect(union).toEqual(ids.map(id => bytesOf(one, id)));
      }),
      { numRuns: 4 },
    );
  });
});

describe('a closed loop that is split over agents', () => {
  const planned = (share: Share, load: number): Pick<LoadPlan, 'share' | 'threads'> => ({
    share,
    threads: { load, parse: 1 },
  });

  test('has the users of one machine, by largest remainder, at every moment of a ramp', () => {
    const course = loadProfile(
      { kind: 'concurrency', concurrency: 13 },
      { rampMs: 1_000, warmupMs: 0, steps: [{ from: 13, to: 2, durationMs: 700 }] },
      13,
    );
    fc.assert(
      fc.property(agents, fc.double({ min: 0, max: 2e9, noNaN: true }), (threadsOf, atNs) => {
        const users = course === undefined ? 0 : new ProfileUsers(course).at(atNs);
        const shares = threadsOf.map((threads, index) => {
          const share = { index, of: threadsOf.length };
          let own = 0;
          for (let thread = 0; thread < threads; thread += 1)
            own += shareOf(users, threadShare(planned(share, threads), thread));
          expect(own).toBe(shareOf(users, share));
          return own;
        });
        expect(shares.reduce((sum, own) => sum + own, 0)).toBe(users);
        expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
      }),
    );
  });

  test('gives each number once, and each agent its own', () => {
    const of = 3;
    const taken = Array.from({ length: of }, (_, index) => {
      const board = new ThreadBoard(createThreadBoardMemory(1));
      board.setNextSampleId(5 + index);
      return Array.from({ length: 4 }, () => board.takeSampleId(of));
    });
    expect(taken).toEqual([
      [5, 8, 11, 14],
      [6, 9, 12, 15],
      [7, 10, 13, 16],
    ]);
  });
});
