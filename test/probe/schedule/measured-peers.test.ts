import { describe, expect, test } from 'vitest';
import type { Event } from '../../../src/core/event.ts';
import { MeasuredPeers } from '../../../src/probe/schedule/measured-peers.ts';
import { eventOf, groupedNodeId, groupedState } from '../../support/grouped-nodes.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const SEEN_MS = 100_000;
const COUNT = 200;
const SELF = groupedNodeId(0);

/** Twenty-five racks of eight, all of them seen now; the clock is at that moment. */
const fleetAt = async (count: number, more: readonly Event[] = []) => {
  const clock = new VirtualClock();
  await clock.advance(SEEN_MS);
  const nodes = Array.from({ length: count }, (_, index) => ({
    name: `n${index}`,
    site: 'greenwich',
    rack: `r${index % 25}`,
  }));
  const peers = new MeasuredPeers({ nodeId: SELF, clock, state: () => groupedState(nodes, more) });
  const all = nodes.map((_, index) => groupedNodeId(index)).slice(1);
  return { clock, peers, chosen: () => all.filter(node => peers.isChosen(node)) };
};

describe('what a node measures, by the state that it sees', () => {
  test('is everybody while the cluster is small', async () => {
    const { chosen } = await fleetAt(64);
    expect(chosen()).toHaveLength(63);
  });

  test('is its rack and some others in a fleet', async () => {
    const { chosen } = await fleetAt(COUNT);
    const peers = chosen();
    for (let index = 25; index < COUNT; index += 25) expect(peers).toContain(groupedNodeId(index));
    expect(peers.length).toBeGreaterThanOrEqual(7 + 3);
    expect(peers.length).toBeLessThanOrEqual(7 + 3 + 16);
  });

  test('is also for ten minutes what a person asked for', async () => {
    const { clock, peers, chosen } = await fleetAt(COUNT);
    const before = new Set(chosen());
    const other = Array.from({ length: COUNT - 1 }, (_, index) => groupedNodeId(index + 1)).find(
      node => !before.has(node),
    );
    if (other === undefined) throw new Error('everybody was chosen');
    peers.request(other);
    expect(peers.isChosen(other)).toBe(true);
    await clock.advance(9_000);
    expect(peers.isChosen(other)).toBe(true);
  });

  test('is also the other end of a run that goes on', async () => {
    const lease = (target: number): Event =>
      eventOf(
        SELF,
        {
          kind: 'runner.reported',
          payload: {
            runnerKey: 'run 20261122-220000-abcd',
            source: 'run',
            targetNode: groupedNodeId(target),
            requestsInFlight: 1,
          },
        },
        { seq: 9 },
      );
    const idle = await fleetAt(COUNT);
    const target = Array.from({ length: COUNT - 1 }, (_, index) => index + 1).find(
      index => !idle.peers.isChosen(groupedNodeId(index)),
    );
    if (target === undefined) throw new Error('everybody was chosen');
    const busy = await fleetAt(COUNT, [lease(target)]);
    expect(busy.peers.isChosen(groupedNodeId(target))).toBe(true);
  });
});
