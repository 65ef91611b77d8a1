import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  laneSpan,
  phaseTotals,
  type RequestColumns,
  requestLanes,
} from '../../../src/core/run/request-lanes.ts';

type Outcome = RequestColumns['outcome'][number];

interface OneRequest {
  readonly dueMs: number;
  readonly sentMs: number;
  readonly firstContentMs: number | null;
  readonly promptMs: number | null;
  readonly endMs: number;
  readonly outcome: Outcome;
}

const columnsOf = (requests: readonly OneRequest[]): RequestColumns => ({
  dueMs: requests.map(({ dueMs }) => dueMs),
  sentMs: requests.map(({ sentMs }) => sentMs),
  firstContentMs: requests.map(({ firstContentMs }) => firstContentMs),
  promptMs: requests.map(({ promptMs }) => promptMs),
  endMs: requests.map(({ endMs }) => endMs),
  outcome: requests.map(({ outcome }) => outcome),
  more: 0,
});

const request = (more: Partial<OneRequest> = {}): OneRequest => ({
  dueMs: 0,
  sentMs: 10,
  firstContentMs: 60,
  promptMs: null,
  endMs: 100,
  outcome: 'completed',
  ...more,
});

const ALL = { fromMs: 0, toMs: 1e9 } as const;

const phasesOf = (one: OneRequest): readonly (readonly [string, number, number])[] =>
  requestLanes(columnsOf([one]), ALL).requests.flatMap(({ parts }) =>
    parts.map(({ phase, fromMs, toMs }) => [phase, fromMs, toMs] as const),
  );

describe('the phases of a request', () => {
  test('are its wait at the client, the time to its first token, and the rest', () => {
    expect(phasesOf(request())).toEqual([
      ['waiting', 0, 10],
      ['prefill', 10, 60],
      ['decode', 60, 100],
    ]);
  });

  test('include the queue of the server only if the reply reports how long the prompt took', () => {
    expect(phasesOf(request({ promptMs: 20 }))).toEqual([
      ['waiting', 0, 10],
      ['queued', 10, 40],
      ['prefill', 40, 60],
      ['decode', 60, 100],
    ]);
    // More than there was time for: the clocks of two machines.
    expect(phasesOf(request({ promptMs: 70 })).map(([phase]) => phase)).toEqual([
      'waiting',
      'prefill',
      'decode',
    ]);
  });

  test('include it by the mean of the server if the reply does not report it, within the time that there was', () => {
    const queued = (queueMs: number | null): unknown =>
      requestLanes({ ...columnsOf([request()]), queueMs: [queueMs] }, ALL).requests[0]?.parts.slice(1);
    expect(queued(30)).toEqual([
      { phase: 'queued', fromMs: 10, toMs: 40 },
      { phase: 'prefill', fromMs: 40, toMs: 60 },
      { phase: 'decode', fromMs: 60, toMs: 100 },
    ]);
    expect(queued(70)).toEqual([
      { phase: 'queued', fromMs: 10, toMs: 60 },
      { phase: 'decode', fromMs: 60, toMs: 100 },
    ]);
    expect(queued(null)).toMatchObject([{ phase: 'prefill' }, { phase: 'decode' }]);
  });

  test('end in how it ended: what was spent for nothing is not decode', () => {
    expect(phasesOf(request({ outcome: 'cancelled' })).at(-1)).toEqual(['cancelled', 60, 100]);
    expect(phasesOf(request({ outcome: 'failed', firstContentMs: null }))).toEqual([
      ['waiting', 0, 10],
      ['failed', 10, 100],
    ]);
  });

  test('add up to the time from when it was due to its end', () => {
    const totals = phaseTotals(columnsOf([request(), request({ dueMs: 5, endMs: 200, promptMs: 20 })]));
    expect(totals.map(({ phase, requests, totalMs }) => [phase, requests, totalMs])).toEqual([
      ['waiting', 2, 15],
      ['queued', 1, 30],
      ['prefill', 2, 70],
      ['decode', 2, 180],
    ]);
    expect(totals.reduce((sum, { totalMs }) => sum + totalMs, 0)).toBe(100 + 195);
  });
});

describe('lanes', () => {
  test('are used again once their request has ended, the first that is free', () => {
    const columns = columnsOf([
      request({ dueMs: 0, endMs: 100 }),
      request({ dueMs: 20, sentMs: 20, endMs: 80 }),
      request({ dueMs: 80, sentMs: 80, firstContentMs: 85, endMs: 90 }),
      request({ dueMs: 85, sentMs: 85, firstContentMs: 90, endMs: 120 }),
    ]);
    const { laneCount, requests } = requestLanes(columns, ALL);
    expect(requests.map(({ lane }) => lane)).toEqual([0, 1, 1, 2]);
    expect(laneCount).toBe(3);
  });

  test('have one request at a time, and are as many as there were requests at once', () => {
    const one = fc
      .record({ dueMs: fc.nat(1_000), waitMs: fc.nat(50), firstMs: fc.nat(50), restMs: fc.nat(200) })
      .map(({ dueMs, waitMs, firstMs, restMs }) => {
        const sentMs = dueMs + waitMs;
        return request({ dueMs, sentMs, firstContentMs: sentMs + firstMs, endMs: sentMs + firstMs + restMs });
      });
    fc.assert(
      fc.property(fc.array(one, { maxLength: 60 }), made => {
        const sorted = made.toSorted((a, b) => a.dueMs - b.dueMs);
        const { laneCount, requests } = requestLanes(columnsOf(sorted), ALL);
        const endsMs = new Map<number, number>();
        for (const { lane, fromMs, toMs } of requests) {
          expect(fromMs).toBeGreaterThanOrEqual(endsMs.get(lane) ?? 0);
          endsMs.set(lane, toMs);
        }
        const most = Math.max(
          0,
          ...sorted.map(
            ({ dueMs }, at) => 1 + sorted.slice(0, at).filter(({ endMs }) => endMs > dueMs).length,
          ),
        );
        expect(laneCount).toBe(most);
      }),
    );
  });

  test('of a part of the run are packed for that part alone', () => {
    const columns = columnsOf([
      request(),
      request(),
      request({ dueMs: 500, sentMs: 500, firstContentMs: 510, endMs: 600 }),
    ]);
    expect(laneSpan(columns)).toEqual({ fromMs: 0, toMs: 600 });
    const part = requestLanes(columns, { fromMs: 400, toMs: 600 });
    expect(part.laneCount).toBe(1);
    expect(part.requests.map(({ lane, fromMs }) => [lane, fromMs])).toEqual([[0, 500]]);
  });

  test('there are none without requests', () => {
    expect(laneSpan(columnsOf([]))).toBeUndefined();
    expect(requestLanes(columnsOf([]), ALL)).toEqual({ laneCount: 0, requests: [] });
  });
});
