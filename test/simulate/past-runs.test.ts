import { expect, test } from 'vitest';
import { runViews } from '../../src/core/run/run-selectors.ts';
import { isUnknown, knownOr } from '../../src/core/unknown.ts';
import { SimulatedWorld, stateOf } from './simulated-world.ts';

test('benchmarks of the days before are there at once, of the machine that serves a model', async () => {
  await using world = new SimulatedWorld(8);
  await world.clock.advance(100);
  const views = runViews(stateOf(world), world.clock.nowMs());
  expect(views.length).toBeGreaterThan(3);
  expect(new Set(views.map(({ run }) => run.targetNode))).toEqual(new Set([world.nodeNamed('spark-1')]));
  expect(new Set(views.map(({ node }) => node))).toEqual(new Set([world.nodeNamed('atlas')]));
  expect(views.every(({ isLive }) => !isLive)).toBe(true);
  expect(new Set(views.map(({ state }) => state))).toEqual(new Set(['complete', 'interrupted']));
  const startedMs = views.map(({ run }) => Date.parse(run.startedAt));
  expect(Math.max(...startedMs)).toBeLessThan(world.clock.wallMs());
});

test('their figures agree with each other: what is in flight is rate times latency', async () => {
  await using world = new SimulatedWorld(8);
  await world.clock.advance(100);
  for (const { fact } of world.facts('run.ended')) {
    const { figures, pattern } = fact.payload;
    if (isUnknown(figures)) throw new Error('no figures');
    const latencySeconds = (figures.series['latencyNs']?.percentiles['50'] ?? 0) / 1e9;
    const inFlight = knownOr(figures.requestsPerSecond, 0) * latencySeconds;
    if (pattern.kind === 'concurrency') expect(inFlight).toBeCloseTo(pattern.concurrency, 6);
    const counted = figures.histogram.reduce((sum, [, , count]) => sum + count, 0);
    expect(Math.abs(counted - figures.counts.completed)).toBeLessThan(0.05 * figures.counts.completed + 12);
  }
});

test('where nobody serves a model, nobody has measured one', async () => {
  await using world = new SimulatedWorld(2);
  await world.clock.advance(100);
  expect(world.facts('run.ended')).toEqual([]);
});
