import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addedFailures,
  FAILURE_GROUPS_MAX,
  type FailedRequest,
  FailureTally,
  foldedMessage,
  shiftedFailures,
} from '../../../src/core/run/failure-groups.ts';

const failed = (detail: string, changes: Partial<FailedRequest> = {}): FailedRequest => ({
  kind: 'http-status',
  statusCode: 500,
  detail,
  endNs: 1,
  isWarmup: false,
  ...changes,
});

const tallied = (requests: readonly FailedRequest[]) => {
  const tally = new FailureTally();
  for (const request of requests) tally.add(request);
  return tally.groups();
};

describe('foldedMessage', () => {
  test('leaves what messages of one cause have in common', () => {
    const folded = (text: string): string => foldedMessage(text);
    expect(folded('requested 1,024 tokens (80 + 944), at most 64.5')).toBe(
      'requested # tokens (# + #), at most #',
    );
    expect(folded('request 6f1c2c0e-96fb-4a0d-8d2b-0f52b6a1a0f1 failed')).toBe('request … failed');
    expect(folded('no such id chatcmpl-9f3ab27cd01e4455')).toBe('no such id chatcmpl-…');
    expect(folded('req_011CSHoEeqs5C35K2UUqR7Fy: overloaded')).toBe('req_…: overloaded');
    expect(folded('at 0x7f3a2b1c in worker 3')).toBe('at … in worker #');
    expect(folded('connect to 10.0.0.12:8000')).toBe('connect to #:#');
  });

  test.each([
    ['Please try again in 2m2.2s.', 'Please try again in 59.999s.', 'Please try again in #.'],
    ['retry after 1m12.5s', 'retry after 6m0s', 'retry after #'],
    ['waited 20ms', 'waited 1h 5m', 'waited #'],
    ['timed out after 1,200ms', 'timed out after 30s', 'timed out after #'],
    ['at 2026-11-27T02:05:36.123Z', 'at 2026-11-27 13:00:00+01:00', 'at #'],
    ['Request id req_2abc', 'Request id req_0', 'Request id req_…'],
    ['key sk-abcd2 is wrong', 'key sk-proj-a1****b2 is wrong', 'key sk-… is wrong'],
    ['limit of org-x12: 10', 'limit of org-7: 20', 'limit of org-…: #'],
    ['worker7 died', 'worker12 died', 'worker# died'],
    ['no reply from rank3', 'no reply from rank0', 'no reply from rank#'],
    ['block 3f2a9c is lost', 'block 0b11de is lost', 'block … is lost'],
  ])('"%s" and "%s" have %j in common', (one, other, common) => {
    expect([foldedMessage(one), foldedMessage(other)]).toEqual([common, common]);
  });

  test('leaves names as they are', () => {
    for (const text of ['The model `gpt4-turbo` does not exist.', 'bad_request_error', 'decode backend v2'])
      expect(foldedMessage(text)).toBe(text);
  });
});

describe('FailureTally', () => {
  test('makes one group of one cause, with its count, its times and its first message', () => {
    const requests = [9, 3, 5].map(at => failed(`worker ${at} died`, { endNs: at, isWarmup: at === 3 }));
    expect(tallied(requests)).toEqual({
      groups: [
        {
          kind: 'http-status',
          statusCode: 500,
          message: 'worker # died',
          example: 'worker 3 died',
          isVaried: true,
          count: 2,
          warmupCount: 1,
          firstAtNs: 3,
          lastAtNs: 9,
        },
      ],
    });
  });

  test('keeps apart what has another kind or status', () => {
    const requests = [
      failed('x'),
      failed('x', { statusCode: 503 }),
      failed('x', { kind: 'error-frame', statusCode: 200 }),
    ];
    expect(tallied(requests).groups).toHaveLength(3);
  });

  test('reports ten groups, and all others in one count', () => {
    const requests = Array.from({ length: 12 }, (_, at) =>
      Array.from({ length: 20 - at }, () => failed(`cause ${'abcdefghijkl'.charAt(at)}`, { endNs: at })),
    ).flat();
    const { groups, others } = tallied(requests);
    expect(groups.map(({ count }) => count)).toEqual([20, 19, 18, 17, 16, 15, 14, 13, 12, 11]);
    expect(others).toEqual({ count: 19, warmupCount: 0, firstAtNs: 10, lastAtNs: 11 });
  });

  test('keeps the frequent cause of a server that reports something else each time', () => {
    const noise = (at: number) =>
      failed(
        `garbage ${String.fromCharCode(97 + (at % 26), 97 + ((at * 7) % 26), 97 + (Math.floor(at / 26) % 26))}`,
      );
    const requests = Array.from({ length: 2_000 }, (_, at) =>
      at % 4 === 0 ? failed('the cause') : noise(at),
    );
    const { groups, others } = tallied(requests);
    expect(groups[0]).toMatchObject({ example: 'the cause', count: 500 });
    expect(groups.reduce((sum, { count }) => sum + count, others?.count ?? 0)).toBe(2_000);
  });

  /** A word that matches no rule: letters around digits. */
  const word = (at: number): string => `${'abcdefgh'.charAt(at % 8)}z${at}q`;

  test('makes one group of more than ten messages that differ only in words with digits', () => {
    const requests = Array.from({ length: 28 }, (_, at) => failed(`unit ${word(at)} broke`, { endNs: at }));
    expect(tallied(requests)).toEqual({
      groups: [
        expect.objectContaining({
          message: 'unit … broke',
          example: 'unit az0q broke',
          count: 28,
          isVaried: true,
          firstAtNs: 0,
          lastAtNs: 27,
        }),
      ],
    });
    expect(tallied(requests.slice(0, 3)).groups).toHaveLength(3);
  });

  test('gives up no message for those that differ only in words with digits, however many come', () => {
    const requests = Array.from({ length: 1_000 }, (_, at) =>
      at % 50 === 0
        ? failed('the rare cause', { endNs: at })
        : failed(`unit ${word(at)} broke`, { endNs: at }),
    );
    const { groups, others } = tallied(requests);
    expect(groups.map(({ message, count }) => [message, count])).toEqual([
      ['unit … broke', 980],
      ['the rare cause', 20],
    ]);
    expect(others).toBeUndefined();
  });

  test('counts each failure once, for any messages', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ detail: fc.string(), isWarmup: fc.boolean(), endNs: fc.nat() })),
        all => {
          const { groups, others } = tallied(all.map(({ detail, ...rest }) => failed(detail, rest)));
          const sum = (of: 'count' | 'warmupCount') =>
            groups.reduce((total, group) => total + group[of], others?.[of] ?? 0);
          expect(sum('warmupCount')).toBe(all.filter(({ isWarmup }) => isWarmup).length);
          expect(sum('count') + sum('warmupCount')).toBe(all.length);
          expect(groups.length).toBeLessThanOrEqual(FAILURE_GROUPS_MAX);
        },
      ),
    );
  });
});

describe('failures of several machines', () => {
  test('are added group by group', () => {
    const [a, b] = [
      tallied([failed('boom 1', { endNs: 5 })]),
      tallied([failed('boom 2', { endNs: 2 }), failed('other')]),
    ];
    const added = addedFailures([
      { ...a, outages: [] },
      { ...b, outages: [] },
    ]);
    expect(added?.groups).toMatchObject([
      { message: 'boom #', count: 2, firstAtNs: 2, lastAtNs: 5, example: 'boom 2', isVaried: true },
      { message: 'other', count: 1, isVaried: false },
    ]);
    expect(addedFailures([])).toBeUndefined();
  });

  test('are put on one clock first', () => {
    const failures = {
      ...tallied([failed('boom', { endNs: 5 })]),
      outages: [{ fromNs: 1, toNs: 2, isOver: true, failed: 1 }],
      unsuccessfulEnd: { fromNs: 3, toNs: 5 },
    };
    const shifted = shiftedFailures(failures, 100);
    expect(shifted.groups).toMatchObject([{ firstAtNs: 105, lastAtNs: 105 }]);
    expect(shifted.outages).toEqual([{ fromNs: 101, toNs: 102, isOver: true, failed: 1 }]);
    expect(shifted.unsuccessfulEnd).toEqual({ fromNs: 103, toNs: 105 });
    expect(addedFailures([shifted])).toEqual(shifted);
    expect(addedFailures([shifted, shifted])).not.toHaveProperty('unsuccessfulEnd');
  });
});
