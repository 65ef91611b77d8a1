import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type NodeId, nodeId } from '../../../src/core/ids.ts';
import { ALL_MEASURED_MAX } from '../../../src/core/link/link-view.ts';
import {
  chosenPeers,
  DRAWN_COUNT,
  DUTIES_MAX,
  type FleetMember,
  GROUP_MEASURED_MAX,
  groupKeyOf,
  NEIGHBOURS_COUNT,
  USED_MAX,
} from '../../../src/probe/schedule/measured-peers.ts';
import { longCount } from '../../support/counts.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

const idOf = (index: number, seed: number): NodeId => {
  let left = (index + 1) * 7_919 + seed * 104_729;
  const signs = Array.from({ length: 26 }, () => {
    left = (left * 1_103_515_245 + 12_345) % 2_147_483_648;
    return ALPHABET[Math.floor(left / 65_536) % 32] ?? 'a';
  });
  return nodeId(`${signs.slice(0, 20).join('')}${digitsOf(index)}`);
};

/** Six signs, so that no two ids are one. */
const digitsOf = (index: number): string =>
  [25, 20, 15, 10, 5, 0].map(shift => ALPHABET[Math.floor(index / 2 ** shift) % 32] ?? 'a').join('');

const fleet = (count: number, rackCount: number, seed = 1): readonly FleetMember[] =>
  Array.from({ length: count }, (_, index) => ({
    nodeId: idOf(index, seed),
    site: ['greenwich', 'leith', 'cardiff'][(index % rackCount) % 3],
    rack: `r${index % rackCount}`,
    isPresent: true,
  }));

const choose = (
  members: readonly FleetMember[],
  self: NodeId,
  wallMs: number,
  used: readonly NodeId[] = [],
) => chosenPeers({ self, members, used, wallMs });

const everyChoice = (members: readonly FleetMember[], wallMs: number) =>
  new Map(members.map(({ nodeId: self }) => [self, choose(members, self, wallMs)]));

const pairsOfGroups = (members: readonly FleetMember[]): ReadonlySet<string> => {
  const keys = [...new Set(members.map(groupKeyOf))].sort();
  return new Set(keys.flatMap((one, at) => keys.slice(at + 1).map(other => `${one} ${other}`)));
};

const coveredPairs = (members: readonly FleetMember[], choices: ReturnType<typeof everyChoice>) => {
  const keys = new Map(members.map(member => [member.nodeId, groupKeyOf(member)]));
  const covered = new Set<string>();
  for (const [self, chosen] of choices)
    for (const peer of chosen.keys())
      covered.add([keys.get(self) ?? '', keys.get(peer) ?? ''].sort().join(' '));
  return covered;
};

const HOUR_MS = 3_600_000;
const anyMoment = fc.integer({ min: 1.7e12, max: 1.9e12 });

describe('the peers that a node measures', () => {
  test('are all of them in a cluster of 64 and fewer, as ever', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: ALL_MEASURED_MAX }), anyMoment, (count, wallMs) => {
        const members = fleet(count, 8);
        const [first] = members;
        const chosen = choose(members, first?.nodeId ?? idOf(0, 1), wallMs);
        expect(chosen.size).toBe(count - 1);
        expect(new Set(chosen.values()).size).toBeLessThanOrEqual(1);
      }),
      { numRuns: 50 },
    );
  });

  test('of 1,000 nodes in 25 racks are few, and few measure one node; each two racks are measured', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 999 }), anyMoment, (seed, wallMs) => {
        const members = fleet(1_000, 25, seed);
        const choices = everyChoice(members, wallMs);
        const requested = new Map<NodeId, number>();
        for (const [self, chosen] of choices) {
          expect(chosen.has(self)).toBe(false);
          expect(chosen.size).toBeLessThanOrEqual(39 + DRAWN_COUNT + DUTIES_MAX);
          for (const peer of chosen.keys()) requested.set(peer, (requested.get(peer) ?? 0) + 1);
        }
        // Its rack, and what others draw: three on average, so above 16 for one of 1,000 nodes once in 50,000 days (Poisson);
        // and for each two racks one, of which a node has 5 or more as rarely.
        expect(Math.max(...requested.values())).toBeLessThanOrEqual(39 + 16 + 6);
        const covered = coveredPairs(members, choices);
        expect([...pairsOfGroups(members)].filter(pair => !covered.has(pair))).toEqual([]);
      }),
      { numRuns: longCount(1, 10) },
    );
  });

  test('cover each two groups within a day, also where a node must stand for more than it may measure at once', async () => {
    const clock = new VirtualClock();
    const members = fleet(120, 120);
    const covered = new Set<string>();
    for (let hour = 0; hour < 24; hour += 1) {
      const choices = everyChoice(members, 1.8e12 - (1.8e12 % (24 * HOUR_MS)) + clock.nowMs());
      for (const chosen of choices.values())
        expect(chosen.size).toBeLessThanOrEqual(63 + DUTIES_MAX + DRAWN_COUNT);
      for (const pair of coveredPairs(members, choices)) covered.add(pair);
      await clock.advance(HOUR_MS);
    }
    expect([...pairsOfGroups(members)].filter(pair => !covered.has(pair)).length).toBe(0);
  });

  test('stay the same for hours, and within a day and an hour each node draws others once', () => {
    const members = fleet(400, 25);
    const at = (hour: number) => everyChoice(members, 1.8e12 + hour * HOUR_MS);
    const [now, soon, tomorrow] = [at(0), at(1), at(24)];
    const differing = (one: typeof now, other: typeof now): number =>
      members.filter(({ nodeId: self }) => !isSame(one.get(self), other.get(self))).length;
    // An hour is a 24th of a day, and the moments are spread over it.
    expect(differing(now, soon)).toBeLessThan(400 / 6);
    expect(differing(now, tomorrow)).toBeGreaterThan(380);
    expect(differing(now, now)).toBe(0);
  });

  test('change only around a node that comes or goes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 399 }), anyMoment, (gone, wallMs) => {
        const members = fleet(400, 25);
        const fewer = members.map((member, index) =>
          index === gone ? { ...member, isPresent: false } : member,
        );
        const lost = members[gone]?.nodeId;
        const [before, after] = [everyChoice(members, wallMs), everyChoice(fewer, wallMs)];
        const lostChoice = before.get(lost ?? idOf(0, 1));
        let moved = 0;
        for (const { nodeId: self } of members) {
          if (self === lost) continue;
          const kept = [...(before.get(self) ?? [])].filter(([peer]) => peer !== lost);
          const now = after.get(self) ?? new Map();
          // Nobody drops a peer that is still there, but for a pair of groups that another node represents
          // now.
          for (const [peer, why] of kept)
            if (why !== 'pair' && why !== 'drawn') expect(now.has(peer)).toBe(true);
          if (!isSame(new Map(kept), now)) moved += 1;
        }
        // Those that drew it draw another; its duties and those towards it pass to others.
        const drewIt = [...before].filter(
          ([, chosen]) => lost !== undefined && chosen.get(lost) === 'drawn',
        ).length;
        const duties = [...(lostChoice ?? [])].filter(([, why]) => why === 'pair').length;
        const towards = [...before].filter(
          ([, chosen]) => lost !== undefined && chosen.get(lost) === 'pair',
        ).length;
        expect(moved).toBeLessThanOrEqual(drewIt + 2 * (duties + towards));
      }),
      { numRuns: longCount(2, 20) },
    );
  });

  test('are a few of a large group without racks, and all of a small site', () => {
    const without = Array.from({ length: 300 }, (_, index) => ({
      nodeId: idOf(index, 3),
      site: undefined,
      rack: undefined,
      isPresent: true,
    }));
    const self = idOf(0, 3);
    expect(choose(without, self, 1.8e12).size).toBe(NEIGHBOURS_COUNT + DRAWN_COUNT);
    const small = without.map((member, index) => ({
      ...member,
      site: index < 60 ? 'desk' : `s${index % 3}`,
    }));
    const chosen = choose(small, self, 1.8e12);
    expect([...chosen.values()].filter(why => why === 'group')).toHaveLength(59);
    expect(GROUP_MEASURED_MAX).toBeGreaterThanOrEqual(60);
  });

  test('are few as well of a node that has not reported yet where it is', () => {
    const chosen = choose(fleet(400, 25), idOf(9_999, 1), 1.8e12);
    expect(chosen.size).toBeLessThanOrEqual(NEIGHBOURS_COUNT + DRAWN_COUNT + DUTIES_MAX);
    expect(chosen.size).toBeGreaterThanOrEqual(DRAWN_COUNT);
  });

  test('have those at the other end of what runs, so many at most', () => {
    const members = fleet(400, 25);
    const [self, ...rest] = members.map(({ nodeId: id }) => id);
    if (self === undefined) throw new Error('a fleet');
    const far = rest.filter((_, index) => index % 25 === 3).slice(0, 4);
    const chosen = choose(members, self, 1.8e12, far);
    expect(far.map(node => chosen.get(node))).toEqual(far.map(() => 'used'));
    const many = [...choose(members, self, 1.8e12, rest).values()].filter(why => why === 'used');
    expect(many).toHaveLength(USED_MAX);
  });
});

const isSame = (
  one: ReadonlyMap<NodeId, unknown> | undefined,
  other: ReadonlyMap<NodeId, unknown> | undefined,
) => one?.size === other?.size && [...(one?.keys() ?? [])].every(key => other?.has(key) === true);
