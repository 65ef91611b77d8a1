import { expect, test } from 'vitest';
import { DemoFleet } from '../../../src/daemon/demo/demo-fleet.ts';
import { Lifetimes } from '../../../src/daemon/lifetimes.ts';
import { seededNodeKeys } from '../../../src/simulate/seeded-node-key.ts';
import { memoryFact } from '../../support/mesh-node.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

test('a node that is away is not linked, and is soon after it came back', async () => {
  const clock = new VirtualClock();
  const [own, asleep, awake] = seededNodeKeys(1, 3);
  if (own === undefined || asleep === undefined || awake === undefined) throw new Error('three keys');
  const fleet = new DemoFleet({
    own: own.nodeId,
    others: [asleep, awake],
    clock,
    plimsollVersion: '0.0.0-test',
  });
  await using parts = new Lifetimes();
  const stop = new AbortController();
  const transport = fleet.ownTransport(own, 1);
  parts.addAsync(transport);
  await transport.start(stop.signal);
  fleet.setAway(asleep.nodeId, 'silent');
  await fleet.start(parts, stop.signal);
  const seconds = async (count: number): Promise<void> => {
    for (let second = 0; second < count; second += 1) {
      await clock.advance(1_000);
      fleet.report(awake.nodeId, [{ fact: memoryFact(second), ageMs: 0 }]);
      if (isBack) fleet.report(asleep.nodeId, [{ fact: memoryFact(second), ageMs: 0 }]);
    }
  };
  let isBack = false;
  await seconds(100);
  expect([...transport.links.keys()]).toEqual([awake.nodeId]);
  fleet.setAway(asleep.nodeId, 'back');
  isBack = true;
  await seconds(6);
  expect([...transport.links.keys()].sort()).toEqual([asleep.nodeId, awake.nodeId].sort());
  fleet.setAway(asleep.nodeId, 'silent');
  isBack = false;
  await seconds(20);
  expect([...transport.links.keys()]).toEqual([awake.nodeId]);
});
