import { describe, expect, test } from 'vitest';
import { NO_EVIDENCE } from '../../../src/bench/line/line-estimate.ts';
import { capacityChange, type SearchedStage } from '../../../src/bench/line/line-search.ts';

/** "112 held" as a stage. */
const change = (...reported: readonly (readonly [load: number, verdict: SearchedStage['verdict']])[]) =>
  capacityChange(
    reported.map(([requestsPerSecond, verdict]) => ({
      purpose: 'bisect',
      load: { kind: 'rate', requestsPerSecond, arrival: 'poisson' },
      verdict,
      completedPerSecond: requestsPerSecond,
      evidence: NO_EVIDENCE,
    })),
    { by: 'rate' },
  );

describe('a capacity that changed', () => {
  test('is seen where a load that held is far above one that did not later', () => {
    expect(change([112, 'held'], [190, 'over-capacity'], [101, 'missed'])).toEqual({
      kind: 'less',
      held: 112,
      failed: 101,
    });
    expect(change([101, 'missed'], [56, 'held'], [112, 'held'])).toEqual({
      kind: 'more',
      held: 112,
      failed: 101,
    });
  });

  test('is not taken for one where a verdict close to the line was wrong once or twice', () => {
    expect(change([112, 'held'], [140, 'missed'], [112, 'missed'], [108, 'missed'])).toBeUndefined();
    expect(change([112, 'held'], [112, 'missed'], [108, 'missed'], [110, 'missed'])).toMatchObject({
      kind: 'less',
    });
  });

  test('is nothing that stages report which decided nothing', () => {
    expect(change([112, 'held'], [80, 'undecided'], [80, 'client-bound'])).toBeUndefined();
  });
});
