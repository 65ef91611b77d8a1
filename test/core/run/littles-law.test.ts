// Fifty made-up loads: the law holds of each as it was, and of none once records are lost, the window is wrong or two clocks differ.

import { describe, expect, test } from 'vitest';
import { InFlightCounter, littlesLaw } from '../../../src/core/run/littles-law.ts';
import { isUnknown } from '../../../src/core/unknown.ts';

interface MadeUpLoad {
  readonly requests: readonly { readonly sentNs: number; readonly endNs: number }[];
  readonly windowNs: number;
  readonly counter: InFlightCounter;
}

const generator = (seed: number): (() => number) => {
  let state = seed * 2_654_435_761 + 1;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e3779b9) >>> 0;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  };
};

/** A minute, arrivals at random, latencies from 0.2 to 2 s that wander; counted ten times a second. */
const loadOf = (seed: number): MadeUpLoad => {
  const draw = generator(seed);
  const rate = 5 + 60 * draw();
  const requests: { sentNs: number; endNs: number }[] = [];
  let level = 0.5 + draw();
  for (let at = 0; at < 60e9; at += (-Math.log(1 - draw()) / rate) * 1e9) {
    level = Math.min(1.8, Math.max(0.25, level + 0.1 * (draw() - 0.5)));
    requests.push({ sentNs: at, endNs: at + level * (0.8 + 0.4 * draw()) * 1e9 });
  }
  const windowNs = Math.max(...requests.map(({ endNs }) => endNs)) - (requests[0]?.sentNs ?? 0);
  const counter = new InFlightCounter();
  for (let at = 0; at <= windowNs + 1e8; at += 1e8)
    counter.add(at, requests.filter(({ sentNs, endNs }) => sentNs <= at && at < endNs).length);
  return { requests, windowNs, counter };
};

const lawOf = ({ requests, windowNs, counter }: MadeUpLoad) => {
  const law = littlesLaw({
    counted: counter,
    latencyTotalNs: requests.reduce((sum, { sentNs, endNs }) => sum + endNs - sentNs, 0),
    requests: requests.length,
    windowNs,
  });
  if (isUnknown(law)) throw new Error(law.reason);
  return law;
};

const LOADS = Array.from({ length: 50 }, (_, seed) => loadOf(seed + 1));

describe("Little's law", () => {
  test('holds of fifty loads', () => {
    expect(LOADS.filter(load => !lawOf(load).holds)).toHaveLength(0);
  });

  test('is broken where one record in twelve is lost', () => {
    const broken = LOADS.map(load => ({ ...load, requests: load.requests.filter((_, at) => at % 12 !== 0) }));
    expect(broken.filter(load => lawOf(load).holds)).toHaveLength(0);
  });

  test('is broken where the window is a tenth too long', () => {
    const broken = LOADS.map(load => {
      const law = littlesLaw({
        counted: load.counter,
        latencyTotalNs: lawOf(load).expected * load.windowNs * 1.1,
        requests: load.requests.length,
        windowNs: load.windowNs,
      });
      return !isUnknown(law) && law.holds;
    });
    expect(broken.filter(Boolean)).toHaveLength(0);
  });

  test('is broken where ends are stamped by a clock that is 100 ms ahead', () => {
    const broken = LOADS.map(load => ({
      ...load,
      requests: load.requests.map(({ sentNs, endNs }) => ({ sentNs, endNs: endNs + 1e8 })),
    }));
    expect(broken.filter(load => lawOf(load).holds)).toHaveLength(0);
  });

  test('reports nothing of a window that is short next to its latencies', () => {
    const counted = new InFlightCounter();
    for (let at = 0; at < 50; at += 1) counted.add(at * 1e8, 4);
    expect(littlesLaw({ counted, latencyTotalNs: 20e9, requests: 4, windowNs: 5e9 })).toMatchObject({
      kind: 'unknown',
    });
  });
});
