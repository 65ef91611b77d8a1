// Little's law in a stage: requests in flight over time, reported at their issue, against the sum of their latencies,
// reported at their end. If one path lost something, or used another clock, the stage reports it.

import { describe, expect, test } from 'vitest';
import { StageAccount } from '../../../src/bench/sweep/stage-account.ts';
import { stageFigures } from '../../../src/bench/sweep/stage-figures.ts';
import { stageReasons } from '../../../src/bench/sweep/stage-text.ts';
import { PLAIN_SHAPE } from '../../../src/core/run/run-shape.ts';
import { isUnknown, unknown } from '../../../src/core/unknown.ts';
import { sampleOf } from '../../support/sample-of.ts';
import { TRUSTED } from '../../support/spoken-line.ts';

const COUNT = 400;
const LATENCY_NS = 100e6;

interface Trouble {
  readonly isIssueLost?: (index: number) => boolean;
  readonly isEndLost?: (index: number) => boolean;
  /** How far the clock of the lines' beginnings is behind that of their ends. */
  readonly clockNs?: number;
}

/** 400 requests, 20 ms apart, each of 100 ms. */
const reported = ({ isIssueLost, isEndLost, clockNs = 0 }: Trouble) => {
  const pattern = { kind: 'poisson', requestsPerSecond: 50 } as const;
  const account = new StageAccount([], { pattern, shape: PLAIN_SHAPE, isStreaming: false });
  for (let index = 0; index < COUNT; index += 1) {
    const dueNs = index * 20e6;
    if (isIssueLost?.(index) !== true) account.issued(index, dueNs);
  }
  for (let index = 0; index < COUNT; index += 1) {
    const sentNs = index * 20e6 - clockNs;
    const endNs = index * 20e6 + LATENCY_NS;
    if (isEndLost?.(index) !== true)
      account.ended(index, sampleOf({ sampleId: index, intendedNs: sentNs, sentNs, endNs }), 0);
  }
  const look = { verdict: 'held', issued: COUNT, isFutile: false, growth: undefined, results: [] } as const;
  const figures = stageFigures({
    account,
    load: { kind: 'rate', requestsPerSecond: 50, arrival: 'poisson' },
    elapsedNs: COUNT * 20e6,
    look,
    queue: unknown('not asked'),
  });
  const reasons = stageReasons({
    purpose: 'asked',
    verdict: 'held',
    look,
    figures,
    report: TRUSTED,
    failures: account.failures,
  });
  return { figures, reasons: reasons.slice(1) };
};

describe("Little's law", () => {
  test('holds exactly where every record came, and nothing is reported', () => {
    const { figures, reasons } = reported({});
    if (isUnknown(figures.littlesLawRatio)) throw new Error(figures.littlesLawRatio.reason);
    expect(figures.littlesLawRatio).toBeCloseTo(1, 9);
    expect(reasons).toEqual([]);
  });

  test('is broken by two clocks, and the stage reports by how much', () => {
    const { reasons } = reported({ clockNs: 25e6 });
    expect(reasons).toEqual([
      "Little's law does not hold (mean in flight is 0.800 × rate × latency): records were lost, or two clocks were read",
    ]);
  });

  test('is broken by issues that were lost', () => {
    const { reasons } = reported({ isIssueLost: index => index % 10 === 3 });
    expect(reasons).toHaveLength(1);
    expect(reasons[0]).toMatch(/^Little's law does not hold \(mean in flight is \S+ × rate × latency\)/u);
  });

  test('cannot be checked where ends were lost, which the stage reports instead', () => {
    const { figures, reasons } = reported({ isEndLost: index => index % 100 === 50 });
    expect(figures.littlesLawRatio).toMatchObject({ kind: 'unknown' });
    expect(reasons).toEqual(['how 4 of 400 requests ended is not known: records were lost']);
  });
});
