// A cable that is faster one way than the other: the probe must agree with iperf3, each way.

import { describe, expect, test } from 'vitest';
import { isKnown } from '../../src/core/unknown.ts';
import { isLongRun } from '../support/counts.ts';
import { type CableRates, reasonAgainstShaping, ShapedCable } from './shaped-cable.ts';
import type { BothWays } from './two-hosts.ts';

/**
 * Each round measures with both tools, one right after the other, and the median of the rounds' ratios counts: a busy machine
 * slows single rounds of either tool, and a buffer that was full when a round began makes it too fast.
 */
const ROUNDS = 5;

describe('a probe of a cable with', () => {
  test.for<CableRates & { readonly seconds: number; readonly bufferKib: number }>([
    // Rates that two busy processors can fill; the benchmark also has a cable of 1,000 up and 200 down.
    { upMbit: 400, downMbit: 80, seconds: 2, bufferKib: 32 },
    { upMbit: 50, downMbit: 5, seconds: 4, bufferKib: 4 },
  ])(
    '$upMbit Mbit/s up and $downMbit Mbit/s down is within 3 % of iperf3 each way',
    { timeout: 60_000 * ROUNDS },
    async ({ seconds, bufferKib, ...rates }, context) => {
      if (!isLongRun) context.skip('iperf3 beside the probe, for a dozen seconds: in npm run test:long');
      const reason = reasonAgainstShaping();
      if (reason !== undefined) context.skip(reason);
      await using cable = new ShapedCable(rates);
      const ratios: BothWays[] = [];
      const ratioOf = (way: keyof BothWays): number => median(ratios.map(ratio => ratio[way]));
      for (let round = 0; round < ROUNDS; round += 1) {
        const theirs = await cable.iperf3({ seconds, bufferKib });
        const outcome = await cable.probe();
        if (outcome.kind === 'failed') throw new Error(outcome.reason);
        const { uploadBitsPerSecond: up, downloadBitsPerSecond: down, bytesUsed } = outcome.measurement;
        if (!isKnown(up) || !isKnown(down)) throw new Error('a direction is unknown');
        ratios.push({ up: up / theirs.up, down: down / theirs.down });
        // The most that the cable can carry in the time that a probe may take.
        expect(bytesUsed).toBeLessThan(((rates.upMbit + rates.downMbit) * 1e6 * 20) / 8);
      }
      for (const way of WAYS) {
        const ratio = ratioOf(way);
        console.info(`${rates.upMbit}/${rates.downMbit} Mbit/s ${way}: ${ratio.toFixed(3)} of iperf3`);
        expect(Math.abs(ratio - 1)).toBeLessThan(TOLERANCE);
      }
    },
  );
});

const WAYS = ['up', 'down'] as const;
const TOLERANCE = 0.03;

const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
};
