import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Fact, factOf } from '../../../src/core/event-kinds.ts';
import type { NodeId } from '../../../src/core/ids.ts';
import type { Connection } from '../../../src/core/link/connection.ts';
import { forgetLink } from '../../../src/core/link/forget-link.ts';
import { pathKey } from '../../../src/core/link/link-path.ts';
import { figureAgeMs, linkViews } from '../../../src/core/link/link-view.ts';
import { lossCauseText } from '../../../src/core/link/loss-text.ts';
import { expiredLosses } from '../../../src/core/link/losses.ts';
import { unknown } from '../../../src/core/unknown.ts';
import {
  A,
  B,
  Cluster,
  here,
  lost,
  memory,
  NOW_MS,
  network,
  port,
  profile,
  socket,
} from '../../support/linked-nodes.ts';

/** After everything that the node had recorded. */
const STOPPING: Fact = { kind: 'node.stopping', payload: { durableEpoch: 1, durableSeq: 99 } };

describe('the path of a connection', () => {
  test('is the same for every address of two interfaces, from both ends', () => {
    const keys = [
      pathKey(A, socket(B, '10.0.0.2', ['en0', 'eth1'])),
      pathKey(A, socket(B, 'fe80::2%en0', ['en0', 'eth1'])),
      pathKey(B, socket(A, '10.0.0.1', ['eth1', 'en0'])),
    ];
    expect(new Set(keys)).toEqual(new Set(['socket en0 eth1']));
  });

  test('is its own where an interface is not known, for each end', () => {
    const hidden = { ...socket(B, '10.0.0.2', ['en0', 'x']), sinkInterface: unknown('translated') };
    const back = { ...socket(A, '10.0.0.2', ['en0', 'x']), sinkInterface: unknown('translated') };
    expect(pathKey(A, hidden)).not.toBe(pathKey(B, back));
  });
});

test('the age shown is the age of the figure shown, for any time, connection and source of the measurements', () => {
  const ways = [
    { source: A, connection: socket(B, '10.0.0.2', ['en0', 'en0']) },
    { source: A, connection: socket(B, 'fe80::2%en0', ['en0', 'en0']) },
    { source: B, connection: socket(A, '10.0.0.1', ['en0', 'en0']) },
    { source: A, connection: socket(B, '10.1.0.2', ['en1', 'en1']) },
    { source: B, connection: socket(A, '10.1.0.1', ['en1', 'en1']) },
  ];
  const measurement = fc.record({
    way: fc.constantFrom(...ways),
    atMs: fc.integer({ min: 1, max: 9_000_000 }),
    up: fc.integer({ min: 1_000, max: 1_000_000 }),
    down: fc.integer({ min: 1_000, max: 1_000_000 }),
    waitedMs: fc.constantFrom(0, 0, 60_000),
  });
  fc.assert(
    fc.property(atDistinctTimes(measurement), measured => {
      const cluster = new Cluster();
      for (const { source, connection } of ways)
        cluster.record(source, 0, factOf('connection.opened', connection));
      const inOrder = measured.toSorted((a, b) => a.atMs - b.atMs);
      for (const { way, atMs, up, down, waitedMs } of inOrder)
        cluster.record(way.source, atMs, profile(way.source, way.connection, [up, down], waitedMs));
      const link = cluster.present().link();
      // Of each connection the last one counts, and of each path the one whose figures are the youngest.
      const newest = new Map<string, (typeof measured)[number]>();
      const last = new Map(inOrder.map(one => [one.way, one]));
      for (const one of last.values()) {
        const path = pathKey(one.way.source, one.way.connection);
        const existing = newest.get(path);
        if (existing === undefined || one.atMs - one.waitedMs > existing.atMs - existing.waitedMs)
          newest.set(path, one);
      }
      const ageOf = ({ atMs, waitedMs }: (typeof measured)[number]): number => NOW_MS - atMs + waitedMs;
      const there = [...newest.values()].map(one => ({
        value: one.way.source === A ? one.up : one.down,
        ageMs: ageOf(one),
      }));
      const shown = link.there;
      if (shown === undefined) throw new Error('nothing is shown');
      expect(shown.value).toBe(Math.max(...there.map(({ value }) => value)));
      expect(there.filter(({ value }) => value === shown.value).map(({ ageMs }) => ageMs)).toContain(
        figureAgeMs(shown, NOW_MS),
      );
      const back = [...newest.values()].map(one => (one.way.source === A ? one.down : one.up));
      expect(link.back?.value).toBe(Math.max(...back));
    }),
    { numRuns: 300 },
  );
});

/** Of two figures of the same moment either may be shown. */
const atDistinctTimes = <T extends { readonly atMs: number; readonly waitedMs: number }>(
  measurement: fc.Arbitrary<T>,
): fc.Arbitrary<T[]> =>
  fc.uniqueArray(measurement, {
    minLength: 1,
    maxLength: 12,
    selector: ({ atMs, waitedMs }) => atMs - waitedMs,
  });

describe('a path that is lost', () => {
  const way = socket(B, '10.0.0.2', ['en0', 'eth0']);
  const back = socket(A, '10.0.0.1', ['eth0', 'en0']);
  const cluster = (): Cluster =>
    new Cluster()
      .record(A, 0, network(port('en0')), factOf('connection.opened', way))
      .record(B, 0, network(port('eth0')), factOf('connection.opened', back))
      .record(A, 9_000_000, profile(A, way, [4e8, 3e8]));

  test('keeps its last figures with their age, and reports since when', () => {
    const link = cluster().record(A, 9_700_000, lost(way)).record(B, 9_800_000, lost(back)).present().link();
    expect(link.standing).toMatchObject({ kind: 'lost', path: { lostAtMs: 9_800_000, code: 'no-answer' } });
    expect(link.there).toBeUndefined();
    expect(link.last.there).toMatchObject({ value: 4e8, isStale: true });
    expect(link.last.back).toMatchObject({ value: 3e8 });
    const { there } = link.last;
    expect(there && figureAgeMs(there, NOW_MS)).toBe(1_000_000);
  });

  test('is not lost while one direction is open', () => {
    const link = cluster().record(A, 9_700_000, lost(way)).present().link();
    expect(link.standing.kind).toBe('measured');
    expect(link.lost).toEqual([]);
    expect(link.there?.value).toBe(4e8);
  });

  test('is next to another path that is open, whose figures are the link’s', () => {
    const radio: Connection = { ...socket(B, '10.9.0.2', ['en1', 'wlan0']), type: 'wifi' };
    const link = cluster()
      .record(A, 9_700_000, factOf('connection.opened', radio), profile(A, radio, [5e7, 5e7]), lost(way))
      .record(B, 9_700_000, lost(back))
      .present()
      .link();
    expect(link.standing.kind).toBe('measured');
    expect(link.there?.value).toBe(5e7);
    expect(link.lost).toMatchObject([
      { path: 'socket en0 eth0', of: { profile: { uploadBitsPerSecond: 4e8 } } },
    ]);
  });

  test('has its figures back when it opens again, with their age, and nothing lost', () => {
    const link = cluster().record(A, 9_700_000, lost(way), factOf('connection.opened', way)).present().link();
    expect(link.lost).toEqual([]);
    expect(link.there?.value).toBe(4e8);
    expect(link.there && figureAgeMs(link.there, NOW_MS)).toBe(1_000_000);
  });

  test.each([
    ['cable unplugged or port down at en0 of A', port('en0', { isUp: false }), port('eth0')],
    ['cable unplugged or port down at eth0 of B', port('en0'), port('eth0', { isUp: false })],
    ['no interface en0 of A any more', port('en9'), port('eth0')],
    ['', port('en0'), port('eth0')],
  ])('has the cause that its interfaces show: %j', (text, own, theirs) => {
    const link = cluster()
      .record(A, 9_700_000, lost(way), network(own))
      .record(B, 9_700_000, lost(back), network(theirs))
      .present()
      .link();
    expect(link.lost.map(({ cause }) => lossCauseText(cause, id => (id === A ? 'A' : 'B')))).toEqual([text]);
  });

  test('is expected back while the only reason is a node that was away', () => {
    const away = cluster()
      .record(A, 9_700_000, lost(way, { code: 'node-stopped' }))
      .record(B, 9_700_000, lost(back, { code: 'node-offline' }))
      .present();
    expect(away.link()).toMatchObject({ standing: { kind: 'returning' }, lost: [] });
    expect(away.link().last.there?.value).toBe(4e8);
  });

  test('is shown as gone, with its last figures, while its node is offline', () => {
    const link = cluster()
      .record(A, 9_700_000, lost(way, { code: 'node-offline' }))
      .record(A, NOW_MS, here, memory)
      .link();
    expect(link).toMatchObject({ standing: { kind: 'gone', offline: [B] }, lost: [] });
    expect(link.last.there?.value).toBe(4e8);
  });

  test('is listed as away with its node from the moment that the node is, before anybody has recorded that', () => {
    const stopped = cluster().record(A, NOW_MS, here, memory).record(B, 9_990_000, here, memory, STOPPING);
    const silent = cluster().record(A, NOW_MS, here, memory).record(B, 9_960_000, here, memory);
    for (const [both, code, lostAtMs] of [
      [stopped, 'node-stopped', 9_990_000],
      [silent, 'node-offline', 9_960_000],
    ] as const)
      expect(both.link()).toMatchObject({
        standing: { kind: 'gone', offline: [B] },
        lost: [],
        away: [{ path: 'socket en0 eth0', code, lostAtMs, of: { profile: { uploadBitsPerSecond: 4e8 } } }],
      });
  });

  test('stays until a person forgets it, and is listed again when it is lost again', () => {
    const both = cluster().record(A, 9_700_000, lost(way)).record(B, 9_700_000, lost(back)).present();
    const forgetting = forgetLink(both.state, [B, A]);
    if (forgetting.kind !== 'forgotten') throw new Error('it is lost');
    both.record(B, NOW_MS, factOf('loss.forgotten', forgetting.fact));
    expect(linkViews(both.state, NOW_MS)).toEqual([]);
    expect(forgetLink(both.state, [A, B])).toEqual({ kind: 'refused', code: 'nothing-lost' });
    expect(expiredLosses(both.state, A, NOW_MS)).toMatchObject([{ connectionKey: 'socket 10.0.0.2' }]);
    both.record(A, NOW_MS, factOf('connection.opened', way), lost(way));
    const laterMs = NOW_MS + 30_000;
    expect(both.present(laterMs).link(laterMs).standing.kind).toBe('lost');
  });

  test('is not hidden by a forgetting that claims events that nobody has', () => {
    const both = cluster().record(A, 9_700_000, lost(way)).record(B, 9_700_000, lost(back)).present();
    const through = (source: NodeId) => ({ source, durableEpoch: 99, durableSeq: 1e9 });
    both.record(B, NOW_MS, factOf('loss.forgotten', { nodes: [A, B], through: [through(A), through(B)] }));
    expect(both.link().standing.kind).toBe('lost');
  });

  const WEEK_MS = 7 * 24 * 3_600_000;

  test('ends when its interface has been gone for a week, and not while the interface is there', () => {
    const both = cluster().record(A, 9_700_000, lost(way)).record(B, 9_700_000, lost(back));
    const later = 9_700_000 + WEEK_MS;
    expect(expiredLosses(both.state, A, later)).toEqual([]);
    both.record(A, NOW_MS, network(port('en9')));
    expect(expiredLosses(both.state, A, later - 1)).toEqual([]);
    expect(expiredLosses(both.state, A, later)).toMatchObject([
      { reason: 'its interface has been gone for a week' },
    ]);
  });

  test('of one address only ends an hour later, because its path needs no other', () => {
    const other = socket(B, 'fd00::2', ['en0', 'eth0']);
    const both = cluster().record(A, 9_700_000, factOf('connection.opened', other), lost(way));
    expect(expiredLosses(both.state, A, 9_700_000 + 3_600_000), 'its figures are the only ones').toEqual([]);
    both.record(A, 9_700_000, profile(A, other, [4e8, 3e8]));
    expect(both.present().link().lost).toEqual([]);
    expect(expiredLosses(both.state, A, 9_700_000 + 3_599_999)).toEqual([]);
    expect(expiredLosses(both.state, A, 9_700_000 + 3_600_000)).toMatchObject([
      { reason: 'its path is open by another address' },
    ]);
  });
});
