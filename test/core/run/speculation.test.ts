import { describe, expect, test } from 'vitest';
import { SpeculationTally, speculationOf } from '../../../src/core/run/speculation.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { serverOf } from '../../support/spoiled-run.ts';

const NO_SERVER = unknown('not asked');
const pair = (tokensPerStep: number, tpotNs: number) => ({ tokensPerStep, tpotNs });

describe('the counters of a server', () => {
  const START = { moment: 'start', drafts: 10, draftedTokens: 30, acceptedTokens: 20 } as const;
  const END = { moment: 'end', drafts: 110, draftedTokens: 330, acceptedTokens: 170 } as const;

  test('are the share, the length with one token of the step itself, and the shares by position', () => {
    const server = serverOf([
      { ...START, acceptedAt0: 9, acceptedAt1: 6, acceptedAt2: 5 },
      { ...END, acceptedAt0: 99, acceptedAt1: 51, acceptedAt2: 5 },
    ]);
    expect(speculationOf(server, undefined)).toMatchObject({
      acceptedShare: 0.5,
      acceptanceLength: 2.5,
      byPosition: [
        { position: 1, ofDrafts: 0.9, ofReached: 0.9 },
        { position: 2, ofDrafts: 0.45, ofReached: 0.5 },
        { position: 3, ofDrafts: 0, ofReached: 0 },
      ],
      byTercile: unknown('replies do not report draft tokens'),
    });
  });

  test('without positions, or without drafts, are what they are', () => {
    expect(speculationOf(serverOf([START, END]), undefined)?.byPosition).toEqual([]);
    const idle = { drafts: 0, draftedTokens: 0, acceptedTokens: 0 };
    const off = serverOf([
      { ...idle, moment: 'start' },
      { ...idle, moment: 'end' },
    ]);
    expect(speculationOf(off, undefined)).toBeUndefined();
    expect(speculationOf(NO_SERVER, undefined)).toBeUndefined();
  });

  test('are gauges on some servers, which are 0 without a draft', () => {
    const gauges = (acceptedShare: number, acceptanceLength: number) =>
      speculationOf(serverOf([{ acceptedShare, acceptanceLength }]), undefined);
    expect(gauges(0.55, 1.55)).toMatchObject({ acceptedShare: 0.55, acceptanceLength: 1.55, byPosition: [] });
    expect(gauges(0, 0)).toBeUndefined();
  });
});

describe('requests', () => {
  test('are divided in three by their tokens per step, next to their time per output token', () => {
    const pairs = Array.from({ length: 30 }, (_, at) => pair(1 + at, 30e6 - at * 1e5));
    expect(speculationOf(NO_SERVER, pairs)).toMatchObject({
      byTercile: [
        { from: 1, to: 10, count: 10, tpotNs: { max: 30e6 } },
        { from: 11, to: 20, count: 10, tpotNs: { max: 29e6 } },
        { from: 21, to: 30, count: 10, tpotNs: { max: 28e6 } },
      ],
      tpotCorrelation: expect.closeTo(-1, 9),
    });
  });

  test('with equal tokens per step are never in two parts', () => {
    const equal = (count: number, rest: number) => [
      ...Array.from({ length: count }, () => pair(2, 10e6)),
      ...Array.from({ length: rest }, (_, at) => pair(3 + at, 9e6 - at)),
    ];
    const known = speculationOf(NO_SERVER, equal(15, 15))?.byTercile;
    expect(known).toEqual(unknown('too many requests have equal tokens per step'));
    const slow = Array.from({ length: 15 }, () => pair(1, 20e6));
    expect(speculationOf(NO_SERVER, [...equal(15, 15), ...slow])?.byTercile).toMatchObject([
      { from: 1, to: 1, count: 15 },
      { from: 2, to: 2, count: 15 },
      { from: 3, count: 15 },
    ]);
  });

  test('that are too few, or do not vary, leave it unknown', () => {
    const few = Array.from({ length: 29 }, (_, at) => pair(at, at));
    expect(speculationOf(NO_SERVER, few)?.byTercile).toMatchObject({ kind: 'unknown' });
    const same = Array.from({ length: 40 }, (_, at) => pair(2, at));
    expect(speculationOf(NO_SERVER, same)?.tpotCorrelation).toEqual(unknown('they do not vary'));
  });

  test('of which there are many are thinned out evenly', () => {
    const tally = new SpeculationTally(4);
    for (let at = 0; at < 20; at += 1) tally.ended(pair(at, at));
    expect(tally.pairs.map(({ tpotNs }) => tpotNs)).toEqual([0, 8, 16]);
  });
});
