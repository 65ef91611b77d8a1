import { expect, test } from 'vitest';
import { factKey } from '../../src/core/event-kinds.ts';
import type { LinkProfile } from '../../src/core/link/link-profile.ts';
import type { GpuProfile } from '../../src/core/node/gpu-profile.ts';
import { knownOr } from '../../src/core/unknown.ts';
import { FALL_AGO_MS, PAST_DAYS } from '../../src/simulate/past-profiles.ts';
import type { PastProfile } from '../../src/simulate/simulation.ts';
import { SimulatedWorld } from './simulated-world.ts';

const DAY_MS = 24 * 3_600_000;

/** The newest profile of its kind that a node reported. */
const pastLike = (
  world: SimulatedWorld,
  name: string,
  like: (value: LinkProfile | GpuProfile) => boolean,
) => {
  const reported = world.reported.find(
    ({ node, fact }) =>
      node === world.nodeNamed(name) &&
      (fact.kind === 'link.profiled' || fact.kind === 'gpu.profiled') &&
      like(fact.payload),
  );
  if (reported === undefined) throw new Error(`nothing like it was measured on ${name}`);
  const slot = reported.fact.kind === 'link.profiled' ? 'link' : 'gpu';
  return world.simulation.past(world.nodeNamed(name), { slot, key: factKey(reported.fact) });
};

const linkRates = (past: readonly PastProfile[]) =>
  past.flatMap(({ fact, atMs }) =>
    fact.kind === 'link.profiled'
      ? [
          {
            atMs,
            up: knownOr(fact.payload.uploadBitsPerSecond, Number.NaN),
            down: knownOr(fact.payload.downloadBitsPerSecond, Number.NaN),
          },
        ]
      : [],
  );

test('a cable that went bad was at its rate until its fall, and its other way never changed', async () => {
  await using world = new SimulatedWorld(8);
  await world.clock.advance(100);
  const spark2 = world.nodeNamed('spark-2');
  const past = pastLike(world, 'bosun', value => 'sink' in value && value.sink === spark2);
  expect(past).toHaveLength(PAST_DAYS * 24);
  expect(past.map(({ atMs }) => atMs)).toEqual(past.map(({ atMs }) => atMs).toSorted((a, b) => a - b));
  const rates = linkRates(past);
  const before = rates.filter(({ atMs }) => atMs < -FALL_AGO_MS);
  const since = rates.filter(({ atMs }) => atMs >= -FALL_AGO_MS);
  expect(Math.min(...before.map(({ up }) => up))).toBeGreaterThan(9e9);
  expect(Math.max(...since.map(({ up }) => up))).toBeLessThan(5e9);
  expect(since.length).toBeGreaterThan(24);
  expect(Math.min(...rates.map(({ down }) => down))).toBeGreaterThan(9e9);
  expect(Math.max(...rates.flatMap(({ up, down }) => [up, down]))).toBeLessThanOrEqual(9.42e9);
  // What the page draws as the median of a week is that of the sound days.
  expect(FALL_AGO_MS).toBeLessThan(3.5 * DAY_MS);
});

test('a device that heat holds down computed more before', async () => {
  await using world = new SimulatedWorld(8);
  await world.clock.advance(100);
  const devices = world
    .facts('gpu.profiled')
    .filter(({ node }) => node === world.nodeNamed('bosun'))
    .map(({ fact }) => fact.payload.deviceId);
  const flops = devices.map(deviceId =>
    pastLike(world, 'bosun', value => 'deviceId' in value && value.deviceId === deviceId).map(({ fact }) =>
      fact.kind === 'gpu.profiled' ? knownOr(fact.payload.fp16FlopsPerSecond, Number.NaN) : Number.NaN,
    ),
  );
  const fallen = flops.map(figures => (figures.at(-1) ?? 0) / (figures[0] ?? 0));
  expect(fallen[0]).toBeGreaterThan(0.98);
  expect(fallen[1]).toBeLessThan(0.75);
});

test('what has just come has no past, and neither has what is not there', async () => {
  await using world = new SimulatedWorld(8);
  await world.clock.advance(60_000);
  expect(pastLike(world, 'anchor', value => 'deviceId' in value)).toEqual([]);
  expect(pastLike(world, 'anchor', value => 'sink' in value)).toEqual([]);
  expect(world.simulation.past(world.nodeNamed('atlas'), { slot: 'gpu', key: 'none' })).toEqual([]);
});
