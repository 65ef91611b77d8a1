import { describe, expect, test } from 'vitest';
import type { TraceSession } from '../../../../src/bench/dataset/trace/read-trace.ts';
import type { TraceRequest } from '../../../../src/bench/dataset/trace/trace.ts';
import { traceLanes } from '../../../../src/bench/dataset/trace/trace-lanes.ts';

const request = (atMs: number, after: readonly number[], agent = 0): TraceRequest => ({
  atMs,
  tookMs: 100,
  after,
  delayMs: after.length === 0 ? atMs : 900,
  inputTokens: 64,
  outputTokens: 8,
  blocks: [],
  blockTokens: 64,
  agent,
});

/** A turn each second, the second of which starts a subagent with two requests at 1.5 s and 2.5 s. */
const session = (id: string): TraceSession => ({
  id,
  startMs: undefined,
  requests: [
    request(0, []),
    request(1_000, [0]),
    request(1_500, [1], 1),
    request(2_500, [2], 1),
    request(3_000, [1, 3]),
    request(4_000, [4]),
  ],
});

const at = (share: number): { from: number; to: number } => ({ from: share, to: share });

describe('lanes of a trace of agents', () => {
  test('begin after a moment of their conversation, each stream primed with its last request before it', () => {
    // At 50 % of four seconds the subagent has sent its first request.
    const { sessions, primes } = traceLanes(
      { sessions: [session('a')] },
      { lanes: 1, startAt: at(0.5), seed: 1 },
    );
    expect(
      sessions[0]?.requests.map(({ atMs, after, delayMs, agent }) => ({ atMs, after, delayMs, agent })),
    ).toEqual([
      // Nothing is pending earlier, so it begins at once.
      { atMs: 500, after: [], delayMs: 0, agent: 1 },
      { atMs: 1_000, after: [0], delayMs: 900, agent: 0 },
      { atMs: 2_000, after: [1], delayMs: 900, agent: 0 },
    ]);
    expect(primes.map(({ session: of, request: { atMs, agent } }) => ({ of, atMs, agent }))).toEqual([
      { of: 0, atMs: 1_000, agent: 0 },
      { of: 0, atMs: 1_500, agent: 1 },
    ]);
  });

  test('keep their distances: the first of all requests begins at once, the others as much later as recorded', () => {
    const late: TraceSession = {
      id: 'b',
      startMs: undefined,
      requests: [request(0, []), request(4_000, [0])],
    };
    const { sessions } = traceLanes(
      { sessions: [session('a'), late] },
      { lanes: 2, startAt: at(0.5), seed: 1 },
    );
    expect(sessions.slice(0, 2).map(({ requests }) => requests[0]?.delayMs)).toEqual([0, 1_500]);
  });

  test('from the beginning are whole and need no primes', () => {
    const { sessions, primes } = traceLanes(
      { sessions: [session('a')] },
      { lanes: 1, startAt: undefined, seed: 1 },
    );
    expect(sessions[0]?.requests).toEqual(session('a').requests);
    expect(primes).toEqual([]);
  });

  test('at the very end have one request left', () => {
    const { sessions } = traceLanes({ sessions: [session('a')] }, { lanes: 1, startAt: at(1), seed: 1 });
    expect(sessions[0]?.requests).toMatchObject([{ after: [], delayMs: 0, agent: 0 }]);
  });

  test('are followed by every conversation from its beginning, from the one after the last lane on', () => {
    const names = ['a', 'b', 'c'];
    const { sessions } = traceLanes(
      { sessions: names.map(session) },
      { lanes: 4, startAt: at(0.5), seed: 1 },
    );
    expect(sessions.map(({ id }) => id)).toEqual([
      ...['a, lane 1', 'b, lane 2', 'c, lane 3', 'a, lane 4'],
      ...['b', 'c', 'a'],
    ]);
    expect(sessions.slice(4).map(({ requests }) => requests.length)).toEqual([6, 6, 6]);
  });

  test('of one seed begin at the same moments, of another one elsewhere', () => {
    const starts = (seed: number): readonly number[] =>
      traceLanes({ sessions: [session('a')] }, { lanes: 20, startAt: { from: 0, to: 1 }, seed })
        .sessions.slice(0, 20)
        .map(({ requests }) => requests.length);
    expect(starts(1)).toEqual(starts(1));
    expect(starts(1)).not.toEqual(starts(2));
    expect(new Set(starts(1)).size).toBeGreaterThan(2);
  });
});
