import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GapEdges } from '../../src/bench/parse/gap-edges.ts';
import { recordOf } from '../../src/core/record-of.ts';
import { LATENESS_KEYS, NO_FIGURE, type SampleLateness } from '../../src/core/run/event-record.ts';
import { lowerIndex } from '../../src/core/statistics/percentile.ts';
import { unknown } from '../../src/core/unknown.ts';
import { boundPercentiles } from '../../src/metrics/bound-percentiles.ts';
import { GapBounds } from '../../src/metrics/gap-bounds.ts';
import { RunMetrics } from '../../src/metrics/run-metrics.ts';
import { TimeBins } from '../../src/metrics/time-bins.ts';
import { WakeLateness } from '../../src/metrics/wake-lateness.ts';
import { longCount } from '../support/counts.ts';
import { sampleOf } from '../support/sample-of.ts';

const NOT_LATE: SampleLateness = recordOf(LATENESS_KEYS, () => 0);
const marksOf = (ns: readonly number[]): WakeLateness => new WakeLateness([ns]);

const ranked = (values: readonly number[]) => {
  const sorted = values.toSorted((a, b) => a - b);
  return { length: sorted.length, at: (rank: number) => sorted[rank] };
};

describe('the bound of a percentile', () => {
  test('contains the true percentile for any latenesses, as long as no more of them exceed the lag than were spared', () => {
    const sample = fc.record({
      trueNs: fc.nat(1_000_000),
      ownNs: fc.nat(50_000),
      wakeNs: fc.nat(20_000),
      isSpared: fc.integer({ min: 0, max: 9 }).map(draw => draw === 0),
    });
    fc.assert(
      fc.property(
        fc.array(sample, { minLength: 1, maxLength: 60 }),
        fc.constantFrom(1, 25, 50, 90, 99),
        (samples, p) => {
          const passing = samples.filter(({ isSpared }) => isSpared).length;
          const lateOf = ({ wakeNs, isSpared }: (typeof samples)[number]): number =>
            isSpared ? 5_000_000 : wakeNs;
          const measured = samples.map(each => each.trueNs + each.ownNs + lateOf(each));
          const all = ranked(measured);
          const least = ranked(samples.map((each, at) => (measured[at] ?? 0) - each.ownNs));
          const lags = [
            { spared: passing, lagNs: 20_000 },
            { spared: 0, lagNs: 6_000_000 },
          ];
          const bound = boundPercentiles(all, [{ least, lags }], [p])[String(p)];
          const rank = lowerIndex(p, samples.length);
          const error =
            (ranked(measured).at(rank) ?? 0) - (ranked(samples.map(({ trueNs }) => trueNs)).at(rank) ?? 0);
          expect(bound?.above).toBeGreaterThanOrEqual(error);
        },
      ),
      { numRuns: longCount(300, 20_000) },
    );
  });
});

describe('marks', () => {
  /** Evenly up to a millisecond, in groups of twenty that have all latenesses. */
  const marks = (count: number): WakeLateness =>
    new WakeLateness(
      Array.from({ length: count / 20 }, (_, group) =>
        Array.from({ length: 20 }, (__, at) => ((at * (count / 20) + group + 1) / count) * 1_000_000),
      ),
    );

  /** Each reply woken by itself. */
  const bins = (count: number): TimeBins => {
    const all = new TimeBins();
    for (let at = 0; at < count; at += 1) all.add(at * 1e9);
    return all;
  };

  const lagAt = (wake: WakeLateness, replies: number, spared: number): number =>
    wake.lags(bins(replies)).find(lag => lag.spared === spared)?.lagNs ?? Number.NaN;

  test('bound what a share of the replies may pass, a little above that share of the marks', () => {
    expect(lagAt(marks(10_000), 1_000, 10) / 1e3).toBeGreaterThan(990);
    expect(lagAt(marks(10_000), 1_000, 10) / 1e3).toBeLessThan(1_000);
    expect(lagAt(marks(10_000), 1_000, 400) / 1e3).toBeGreaterThan(600);
    expect(lagAt(marks(10_000), 1_000, 400) / 1e3).toBeLessThan(700);
  });

  test('that are too few for a rare lateness let it be greater than any of them', () => {
    expect(lagAt(marks(60), 1_000, 0) / 1e6).toBeGreaterThan(10);
  });

  test('bound a mean by their own and by how much it may vary', () => {
    expect(marks(10_000).meanMaxNs(10_000) / 1e3).toBeCloseTo(500 + 2 * 3.09 * 288.7 * 0.01, 0);
    expect(marks(10_000).meanMaxNs(4) / 1e3).toBeGreaterThan(900);
  });

  test('that are late together count as one', () => {
    const evenly = Array.from({ length: 100 }, () => [...Array(18).fill(1_000), 5e6, 5e6]);
    const together = Array.from({ length: 100 }, (_, at) => Array(20).fill(at < 10 ? 5e6 : 1_000));
    expect(new WakeLateness(together).meanMaxNs(1_000)).toBeGreaterThan(
      1.2 * new WakeLateness(evenly).meanMaxNs(1_000),
    );
  });

  test('replies that came together may have waited together', () => {
    const all = bins(10);
    for (let more = 0; more < 90; more += 1) all.add(0);
    expect(
      marks(10_000)
        .lags(all)
        .map(({ spared }) => spared),
    ).toEqual([0, 91, 92, 93, 94]);
    expect(all.effectiveCount).toBeCloseTo(100 ** 2 / (91 ** 2 + 9), 5);
  });
});

describe('the bound of gaps between chunks', () => {
  const made = fc.record({
    trueNs: fc.array(fc.nat(20_000_000), { minLength: 2, maxLength: 30 }),
    lateNs: fc.array(fc.nat(3_000_000), { minLength: 30, maxLength: 30 }),
  });

  test('contains every percentile for any latenesses of both ends, with edges of other streams among them', () => {
    fc.assert(
      fc.property(fc.array(made, { minLength: 1, maxLength: 8 }), fc.nat(3), (streams, uncounted) => {
        const edges = new GapEdges();
        const bounds = new GapBounds();
        const truth: number[] = [];
        const measured: number[] = [];
        for (const [index, { trueNs, lateNs }] of [...streams, ...streams.slice(0, uncounted)].entries()) {
          const written = trueNs.map((_, at) => trueNs.slice(0, at + 1).reduce((sum, ns) => sum + ns, 0));
          const late = written.map((_, at) => lateNs[at] ?? 0);
          // Reads follow each other: nothing is read before what came earlier.
          const stamps = Float64Array.from(written, (ns, at) => ns + (late[at] ?? 0)).sort();
          const bound = Float32Array.from({ length: 2 * stamps.length }, (_, at) => {
            const of = Math.floor(at / 2);
            return ((stamps[of] ?? 0) - (written[of] ?? 0)) * (1 + 2 ** -23);
          });
          edges.add(stamps, bound, { count: stamps.length, choiceOf: [] });
          if (index >= streams.length) continue;
          const gaps = Array.from(stamps.subarray(1), (ns, at) => ns - (stamps[at] ?? 0));
          measured.push(...gaps);
          truth.push(...written.slice(1).map((ns, at) => ns - (written[at] ?? 0)));
          bounds.completed(
            sampleOf({ chunkGapsNs: gaps, firstContentNs: stamps[0] ?? 0, endNs: stamps.at(-1) ?? 0 }),
            NOT_LATE,
          );
        }
        for (const record of edges.take({ atNs: 0, thread: 0 })) bounds.observed(record);
        const marked = { beyondKnown: marksOf([0]), beyondSleep: marksOf([0]) };
        const reported = boundPercentiles(ranked(measured), bounds.ways(marked), [1, 50, 90, 99]);
        for (const p of [1, 50, 90, 99]) {
          const rank = lowerIndex(p, measured.length);
          const error = (ranked(measured).at(rank) ?? 0) - (ranked(truth).at(rank) ?? 0);
          expect(reported[String(p)]?.above).toBeGreaterThanOrEqual(error);
          expect(reported[String(p)]?.below).toBeGreaterThanOrEqual(-error);
        }
      }),
      { numRuns: longCount(30, 10_000) },
    );
    // The long run makes up three hundred times as many.
  }, 180_000);
});

test('a run that a processor quota throttled for more than a twentieth of the time has no bounds, and reports why', () => {
  const boundsAfter = (throttledNs: number) => {
    const pattern = { kind: 'concurrency', concurrency: 1 } as const;
    const metrics = new RunMetrics({ pattern, isStreaming: false, objectives: [] });
    const ns = Array<number>(100).fill(1_000);
    metrics.bounds.observed({ kind: 'client.marks', atNs: 1, thread: 0, latenessNs: ns, blockedNs: ns });
    metrics.issued(sampleOf());
    metrics.ended(sampleOf({ lateness: NOT_LATE }));
    const host = { kind: 'client.host', atNs: 1, pressureNs: NO_FIGURE, stolenNs: NO_FIGURE } as const;
    metrics.host({ ...host, intervalNs: 1_000_000_000, throttledNs }, true);
    const latency = metrics.final().find(({ name }) => name === 'latencyNs');
    return { ofRun: metrics.bounds.ofRun(), ofLatency: latency?.kind === 'series' && latency.errorBound };
  };
  expect(boundsAfter(50_000_000)).toEqual({
    ofRun: { windowNs: expect.anything() },
    ofLatency: expect.anything(),
  });
  expect(boundsAfter(630_000_000)).toEqual({
    ofRun: unknown(
      'a processor quota throttled the client for 63% of the time, and it is not known which stamps it delayed',
    ),
    ofLatency: undefined,
  });
});

test.each([
  [
    'few marks',
    19,
    'the run was too short: 19 marks reached the load threads of boreas, and 20 say something of them',
  ],
  ['no mark', 0, 'no mark reached the load threads of boreas over loopback'],
  ['nothing', undefined, 'boreas reported nothing about its lateness'],
])('a run from agents of which one reported %s has no bounds, and names it', (_what, marks, reason) => {
  const pattern = { kind: 'concurrency', concurrency: 2 } as const;
  const metrics = new RunMetrics({ pattern, isStreaming: false, objectives: [] });
  const partsOf = (count: number) => {
    const ns = Array<number>(count).fill(1_000);
    const agent = new RunMetrics({ pattern, isStreaming: false, objectives: [] });
    if (count > 0)
      agent.bounds.observed({ kind: 'client.marks', atNs: 1, thread: 0, latenessNs: ns, blockedNs: ns });
    return agent.bounds.parts();
  };
  const addBoreas = (reported: number | undefined): void =>
    metrics.bounds.addAgent(reported === undefined ? undefined : partsOf(reported), {
      name: 'boreas',
      clockErrorNs: 0,
    });
  metrics.bounds.addAgent(partsOf(100), { name: 'atlas', clockErrorNs: 0 });
  metrics.issued(sampleOf());
  metrics.ended(sampleOf({ lateness: NOT_LATE }));
  expect(metrics.bounds.ofRun()).toEqual({ windowNs: expect.anything() });
  addBoreas(marks);
  expect(metrics.bounds.ofRun()).toEqual(unknown(reason));
});

test("threads whose timestamps are the kernel's need no marks: their bounds are the latenesses of the stamps", () => {
  const pattern = { kind: 'concurrency', concurrency: 2 } as const;
  const byKernel = { kind: 'client.marks', atNs: 1, thread: 0, latenessNs: [], blockedNs: [] } as const;
  const lateness = { ...NOT_LATE, endLateNs: 300, endLateNsMax: 300 };
  const ended = (): RunMetrics => {
    const metrics = new RunMetrics({ pattern, isStreaming: false, objectives: [] });
    metrics.issued(sampleOf());
    metrics.ended(sampleOf({ lateness }));
    return metrics;
  };
  const own = ended();
  expect(own.bounds.ofRun()).toEqual(unknown('no mark reached the load threads over loopback'));
  own.bounds.observed(byKernel);
  own.bounds.observed({ ...byKernel, atNs: 2 });
  expect(own.bounds.ofRun()).toEqual({ windowNs: { above: 300, below: 0 } });
  const coordinator = ended();
  coordinator.bounds.addAgent(own.bounds.parts(), { name: 'atlas', clockErrorNs: 0 });
  expect(coordinator.bounds.ofRun()).toEqual({ windowNs: { above: 300, below: 0 } });
});
