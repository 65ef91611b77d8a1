import { describe, expect, test } from 'vitest';
import { type UnsuccessfulEnd, UnsuccessfulEndTally } from '../../../src/core/run/unsuccessful-end.ts';

const S = 1e9;

type Ended = Parameters<UnsuccessfulEndTally['ended']>[0];

const completed = (sentNs: number, endNs: number): Ended => ({
  sentNs,
  endNs,
  outcome: 'completed',
  failure: undefined,
});
const failed = (sentNs: number, kind: 'http-status' | 'client' = 'http-status'): Ended => ({
  sentNs,
  endNs: sentNs + 1,
  outcome: 'failed',
  failure: { kind, statusCode: 500, detail: '' },
});

const endOf = (samples: readonly Ended[]): UnsuccessfulEnd | undefined => {
  const tally = new UnsuccessfulEndTally();
  for (const sample of samples) tally.ended(sample);
  return tally.end();
};

/** A request a second. */
const answered = (seconds: number): readonly Ended[] =>
  Array.from({ length: seconds }, (_, at) => completed(at * S, (at + 0.5) * S));
const failedAt = (...seconds: readonly number[]): readonly Ended[] => seconds.map(at => failed(at * S));

describe('UnsuccessfulEndTally', () => {
  test('reports from the last success to the last request that was tried, in any order', () => {
    const samples = [...failedAt(1.5, 2.5), ...answered(5), ...failedAt(5, 6, 7)];
    expect(endOf(samples)).toEqual({ fromNs: 4.5 * S, toNs: 7 * S });
    expect(endOf(samples.toReversed())).toEqual({ fromNs: 4.5 * S, toNs: 7 * S });
  });

  test.each([
    ['is shorter than two seconds', [...answered(5), ...failedAt(5, 6, 6.4)]],
    ['is not more than a tenth of the load', [...answered(40), ...failedAt(41, 42, 43)]],
    ['had only two requests', [...answered(5), ...failedAt(5, 9)]],
    ['had failures of the client alone', [...answered(5), ...[5, 7, 9].map(at => failed(at * S, 'client'))]],
    ['has a success at its end', [...answered(5), ...failedAt(5, 7, 9), completed(3 * S, 9 * S)]],
    ['is the whole run', failedAt(1, 5, 9)],
  ])('reports none that %s', (_, samples) => {
    expect(endOf(samples)).toBeUndefined();
  });
});
