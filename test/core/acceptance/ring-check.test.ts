// What slows down an all-reduce over all nodes of a simulated rack, whose pairs are three times slower as each test chooses.

import { expect, test } from 'vitest';
import { acceptanceSources } from '../../../src/core/acceptance/accept-cluster.ts';
import { NOTHING_WATCHED } from '../../../src/core/acceptance/cluster-watch.ts';
import type { Judged } from '../../../src/core/acceptance/limit.ts';
import { ringOver } from '../../../src/core/acceptance/ring-check.ts';
import { linkViews } from '../../../src/core/link/link-view.ts';
import { isKnown } from '../../../src/core/unknown.ts';
import { seededNodeKeys } from '../../../src/simulate/seeded-node-key.ts';
import { SimulatedWorld } from '../../simulate/simulated-world.ts';
import { soundRack } from './planted-faults.ts';

const SEED = 3;

type IsSlow = (one: string, other: string) => boolean;

/** Of the first machines of the rack, all joined. */
const judgedRing = async (count: number, isSlow: IsSlow): Promise<Judged | undefined> => {
  const rack = soundRack();
  const machines = rack.machines.slice(0, count);
  const keys = seededNodeKeys(SEED, count);
  const nameOf = (id: string): string => machines[keys.findIndex(({ nodeId }) => nodeId === id)]?.name ?? id;
  await using world = new SimulatedWorld(
    { ...rack, machines, cables: rack.cables.filter(({ a, b }) => a < count && b < count) },
    {
      seed: SEED,
      change: (name, fact) => {
        if (fact.kind !== 'link.profiled' || !isSlow(name, nameOf(fact.payload.sink))) return fact;
        const { allReduceNs1Mib: time } = fact.payload;
        return {
          kind: fact.kind,
          payload: { ...fact.payload, allReduceNs1Mib: isKnown(time) ? time * 3 : time },
        };
      },
    },
  );
  await world.clock.advance(60_000);
  const { state } = world;
  const nowMs = world.clock.nowMs();
  const links = linkViews(state, nowMs);
  const sources = acceptanceSources({
    state,
    nowMs,
    links,
    requested: undefined,
    watched: NOTHING_WATCHED,
    watchedMsMin: 0,
    ageMsMax: 3_600_000,
    plan: {},
  });
  const [ring] = ringOver(sources, undefined);
  return ring;
};

test('a ring of equal nodes takes 2 (N − 1) times its slowest hop, and nothing slows it down', async () => {
  const ring = await judgedRing(4, () => false);
  expect(ring).toMatchObject({ subject: 'ring of 4', result: 'pass' });
  expect(ring?.reason).toContain('no one node or cable');
  // Over InfiniBand of 400 Gb/s: a MiB in each of six steps, and half a round trip.
  expect(ring?.value).toBeGreaterThan((6 * 8 * 1024 ** 2) / 400);
  expect(ring?.value).toBeLessThan((6 * 8 * 1024 ** 2) / 300);
});

test('the node is named whose hops are all slow', async () => {
  const ring = await judgedRing(4, (...pair) => pair.includes('r2'));
  expect(ring).toMatchObject({ result: 'fail', nodes: ['r2'] });
  expect(ring?.reason).toContain('slowed down by r2');
});

test('the cable is named if the ring cannot avoid it', async () => {
  const ring = await judgedRing(3, (...pair) => pair.includes('r1') && pair.includes('r3'));
  expect(ring).toMatchObject({ result: 'fail', nodes: ['r1', 'r3'] });
  expect(ring?.reason).toContain('slowed down by the cable between r1 and r3');
});

test('a slow cable that another order avoids slows nothing down', async () => {
  const ring = await judgedRing(4, (...pair) => pair.includes('r1') && pair.includes('r3'));
  expect(ring).toMatchObject({ result: 'pass' });
});

test('two nodes are no ring', async () => {
  expect(await judgedRing(2, () => false)).toBeUndefined();
});
