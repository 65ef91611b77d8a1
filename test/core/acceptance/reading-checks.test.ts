// The first stage of an acceptance: what a source that stopped, a node that is offline and a plan do to it.

import { expect, test } from 'vitest';
import { acceptCluster } from '../../../src/core/acceptance/accept-cluster.ts';
import type { AcceptancePlan } from '../../../src/core/acceptance/acceptance-plan.ts';
import { lasting } from '../../../src/simulate/absence.ts';
import { SimulatedWorld } from '../../simulate/simulated-world.ts';
import { soundRack } from './planted-faults.ts';
import { worldSources } from './world-sources.ts';

const resultsOf = (world: SimulatedWorld, check: string, plan: AcceptancePlan = {}) => {
  return acceptCluster(worldSources(world, { plan }), plan)
    .flatMap(({ checks }) => checks)
    .filter(one => one.check === check && one.result !== 'pass')
    .map(({ subject, result }) => `${subject} ${result}`);
};

test('a source that is late by seconds is no fault, one that is silent for half a minute is', async () => {
  const rack = soundRack();
  const [first, ...others] = rack.machines;
  if (first === undefined) throw new Error('the rack is empty');
  const silent = { ...first, changes: [{ ...lasting(10), quirks: { silentReadings: ['memory'] as const } }] };
  await using world = new SimulatedWorld({ ...rack, machines: [silent, ...others] });
  await world.clock.advance(20_000);
  expect(resultsOf(world, 'readings')).toEqual([]);
  await world.clock.advance(30_000);
  expect(resultsOf(world, 'readings')).toEqual(['r1 fail']);
});

test('a node that stopped fails, and so does one that only the plan has', async () => {
  await using world = new SimulatedWorld({
    ...soundRack(),
    absences: [{ machine: 3, fromSeconds: 5, seconds: 600, everySeconds: 1_200 }],
  });
  await world.clock.advance(60_000);
  expect(resultsOf(world, 'node-up')).toEqual(['r4 fail']);
  expect(resultsOf(world, 'node-up', { nodes: ['r1', 'r9'] })).toEqual(['r4 fail', 'r9 fail']);
});

test('a check that the plan leaves out is not judged, and a limit of the plan replaces the others', async () => {
  await using world = new SimulatedWorld(soundRack());
  await world.clock.advance(5_000);
  expect(resultsOf(world, 'mtu', { limits: { mtu: 9_000 } }).length).toBeGreaterThan(0);
  expect(resultsOf(world, 'mtu', { limits: { mtu: 9_000 }, skip: ['mtu'] })).toEqual([]);
});
