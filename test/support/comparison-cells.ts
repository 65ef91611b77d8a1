// Simulated comparisons whose truth is known: a queue at three quarters of its capacity, whose neighbouring requests correlate by
// about 0.9, and segments that differ by 1.5 % of themselves, as machines do; together the pairs of TTFT p90 spread by about 3 %.

import type { SimulatedPairs } from './simulated-comparison.ts';

export interface ComparisonCell {
  readonly name: string;
  readonly pairs: SimulatedPairs;
}

const QUEUE: Omit<SimulatedPairs, 'stretch'> = {
  model: { servers: 1, serviceNs: 7.5e6, serviceVariation: 0.5 },
  requestsPerSecond: 100,
  segmentMs: 60_000,
  segmentSpread: 0.015,
  prefillNs: 120e6,
};

const latencies = (share: number): Readonly<Record<string, number>> =>
  Object.fromEntries(
    ['ttft', 'tpot', 'latency'].flatMap(name => [50, 90, 99].map(p => [`${name}.p${p}`, share] as const)),
  );

export const COMPARISON_CELLS: readonly ComparisonCell[] = [
  { name: 'A/A', pairs: { ...QUEUE, stretch: 1 } },
  { name: 'A/A, 10 % slower over the time', pairs: { ...QUEUE, stretch: 1, drift: 0.1 } },
  { name: '5 % slower, margin 2 %', pairs: { ...QUEUE, stretch: 1.05, margins: latencies(0.02) } },
  { name: '2 % slower, margin 5 %', pairs: { ...QUEUE, stretch: 1.02 } },
];
