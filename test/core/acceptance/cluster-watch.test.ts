// What an acceptance watches: growth of counters, ports that go down, and what continues after an interruption.

import { describe, expect, test } from 'vitest';
import {
  ClusterWatch,
  counterKey,
  deviceKey,
  type Watched,
} from '../../../src/core/acceptance/cluster-watch.ts';
import { SOAK_CHECKS } from '../../../src/core/acceptance/soak-checks.ts';
import type { Fact } from '../../../src/core/event-kinds.ts';
import { SimulatedWorld } from '../../simulate/simulated-world.ts';
import { soundRack } from './planted-faults.ts';
import { worldSources } from './world-sources.ts';

const look = (world: SimulatedWorld, watch: ClusterWatch): void => watch.look(worldSources(world));

/** The corrected errors of GPU 0 of r1 as they are set now. */
const withErrors =
  (errors: () => number) =>
  (name: string, fact: Fact): Fact => {
    if (name !== 'r1' || fact.kind !== 'gpuHealths.gathered') return fact;
    const { payload } = fact;
    const devices = payload.value.devices.map((health, at) =>
      at === 0 ? { ...health, eccVolatile: { ...health.eccVolatile, corrected: errors() } } : health,
    );
    return { kind: fact.kind, payload: { ...payload, value: { ...payload.value, devices } } };
  };

/** Health is read every half minute. */
const NEXT_MS = 31_000;

describe('a watched cluster', () => {
  test('adds up what a counter grew by, also after it was reset and after an interruption', async () => {
    let errors = 5;
    await using world = new SimulatedWorld(soundRack(), { change: withErrors(() => errors) });
    await world.clock.advance(1_000);
    const id = world.nodeNamed('r1');
    const deviceId = world.state.nodeGpuHealths[id]?.['nvidia']?.value.devices[0]?.deviceId ?? '';
    const key = counterKey('ecc-corrected', id, deviceId);
    const watch = new ClusterWatch();
    look(world, watch);
    expect(watch.watched.counters[key]).toEqual({ last: 5, grown: 0 });
    errors = 8;
    await world.clock.advance(NEXT_MS);
    look(world, watch);
    expect(watch.watched.counters[key]).toEqual({ last: 8, grown: 3 });
    errors = 1;
    await world.clock.advance(NEXT_MS);
    look(world, watch);
    expect(watch.watched.counters[key]).toEqual({ last: 1, grown: 3 });
    const continued = new ClusterWatch(watch.watched);
    errors = 4;
    await world.clock.advance(NEXT_MS);
    look(world, continued);
    expect(continued.watched.counters[key]).toEqual({ last: 4, grown: 6 });
  });

  test('counts only time without interruptions as watched', async () => {
    await using world = new SimulatedWorld(soundRack());
    const watch = new ClusterWatch();
    for (const ms of [1_000, 2_000, 60_000, 2_000]) {
      await world.clock.advance(ms);
      look(world, watch);
    }
    expect(watch.watched.watchedMs).toBe(4_000);
  });

  test('has what each device did while it was busy', async () => {
    await using world = new SimulatedWorld(soundRack());
    await world.clock.advance(1_000);
    const watch = new ClusterWatch();
    look(world, watch);
    const id = world.nodeNamed('r1');
    const deviceId = world.state.nodeGpus[id]?.['nvidia']?.value.devices[0]?.deviceId ?? '';
    expect(watch.watched.devices[deviceKey(id, deviceId)]).toMatchObject({
      busyCount: 1,
      throttled: [],
      lanes: 16,
    });
  });
});

test('that nothing grew is undecided until it was watched for long enough; that something did is not', async () => {
  await using world = new SimulatedWorld(soundRack());
  await world.clock.advance(1_000);
  const watch = new ClusterWatch();
  look(world, watch);
  const grown = { last: 1, grown: 1 };
  const { watched } = watch;
  const [first] = Object.keys(watched.counters).filter(key => key.startsWith('ecc-corrected'));
  const judged = (watchedMsMin: number, of: Watched) =>
    SOAK_CHECKS.find(({ id }) => id === 'ecc-corrected-growth')?.judge(
      worldSources(world, { watched: of, watchedMsMin }),
      undefined,
    ) ?? [];
  const results = (watchedMsMin: number, of: Watched) =>
    new Set(judged(watchedMsMin, of).map(({ result }) => result));
  expect(results(0, watched)).toEqual(new Set(['pass']));
  expect(results(60_000, watched)).toEqual(new Set(['undecided']));
  const faulty = { ...watched, counters: { ...watched.counters, [first ?? '']: grown } };
  expect(results(60_000, faulty)).toEqual(new Set(['fail', 'undecided']));
});
