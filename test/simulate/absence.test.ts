import fc from 'fast-check';
import { expect, test } from 'vitest';
import { linkViews } from '../../src/core/link/link-view.ts';
import { presence } from '../../src/core/node/presence-view.ts';
import { clusterTotals } from '../../src/core/totals.ts';
import { isAway, lastEndOf } from '../../src/simulate/absence.ts';
import { SimulatedWorld, stateOf } from './simulated-world.ts';

const SLEEP = { machine: 1, fromSeconds: -190, seconds: 400, everySeconds: 800 };

test('a machine is away from its beginning until its end, round after round', () => {
  const away = (atSeconds: number): boolean => isAway([SLEEP], 1, atSeconds);
  expect([-191, -190, 0, 209, 210, 609, 610, 1_009, 1_010].map(away)).toEqual([
    false,
    true,
    true,
    true,
    false,
    false,
    true,
    true,
    false,
  ]);
  expect(isAway([SLEEP], 0, 0)).toBe(false);
});

test('a machine that is there is back since the end of its last absence', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 10_000, noNaN: true }), atSeconds => {
      const since = lastEndOf(SLEEP, atSeconds);
      if (since === undefined) return atSeconds < 210;
      return since <= atSeconds && atSeconds - since < 800 && isAway([SLEEP], 1, since - 0.001);
    }),
  );
});

test('a node that fell silent before the simulation is offline from its first moment, out of totals and links', async () => {
  await using world = new SimulatedWorld(8);
  await world.clock.advance(100);
  const juno = world.nodeNamed('juno');
  const state = stateOf(world);
  const nowMs = world.clock.nowMs();
  expect(presence(state, juno, nowMs)).toBe('offline');
  expect(state.nodeIdentities[juno]?.value.friendlyName).toBe('juno');
  expect(clusterTotals(state, nowMs).nodeCount).toBe(7);
  const links = linkViews(state, nowMs).filter(({ nodes }) => nodes.includes(juno));
  expect(links.map(({ standing }) => standing.kind)).toEqual(Array(7).fill('gone'));
});

test('it comes back: events arrive again, its connections are opened by all and measured again', async () => {
  await using world = new SimulatedWorld(8);
  await world.clock.advance(209_000);
  const juno = world.nodeNamed('juno');
  expect(world.reported.filter(({ node, atMs }) => node === juno && atMs >= 0)).toEqual([]);
  await world.clock.advance(60_000);
  const state = stateOf(world);
  const nowMs = world.clock.nowMs();
  expect(presence(state, juno, nowMs)).toBe('live');
  const links = linkViews(state, nowMs).filter(({ nodes }) => nodes.includes(juno));
  expect(links.map(({ standing, isStale }) => [standing.kind, isStale])).toEqual(
    Array(7).fill(['measured', false]),
  );
  const measuredAgain = world
    .facts('link.profiled')
    .filter(({ node, fact, atMs }) => atMs > 210_000 && (node === juno || fact.payload.sink === juno));
  // Eleven ways each way: seven cables with a socket, two of them Thunderbolt with RDMA as well.
  expect(measuredAgain).toHaveLength(2 * 11);
});

test('when it falls silent again the others lose their connections to it, and it reports nothing', async () => {
  await using world = new SimulatedWorld(8);
  await world.clock.advance(645_000);
  const juno = world.nodeNamed('juno');
  expect(world.facts('connection.closed')).toEqual([]);
  const lost = world.facts('connection.lost').filter(({ atMs }) => atMs >= 610_000);
  const rows = lost.map(({ fact: { payload } }) => `${payload.code} after ${payload.lostAgeMs / 1_000} s`);
  expect(new Set(lost.map(({ fact }) => fact.payload.sink))).toEqual(new Set([juno]));
  expect(rows.sort()).toEqual([
    ...Array(11).fill('no-answer after 0 s'),
    ...Array(11).fill('node-offline after 18 s'),
  ]);
  const links = linkViews(stateOf(world), world.clock.nowMs()).filter(({ nodes }) => nodes.includes(juno));
  expect(links.map(({ standing, last }) => [standing.kind, last.there !== undefined])).toEqual(
    Array(7).fill(['gone', true]),
  );
  expect(world.reported.filter(({ node, atMs }) => node === juno && atMs >= 610_000)).toEqual([]);
  expect(presence(stateOf(world), juno, world.clock.nowMs())).toBe('offline');
});

test('nobody can have a node measured that is away', async () => {
  await using world = new SimulatedWorld(8);
  await world.clock.advance(1_000);
  expect(world.simulation.isAway(world.nodeNamed('juno'))).toBe(true);
  expect(world.simulation.request(world.nodeNamed('juno'), () => true)).toEqual([]);
  const toJuno = world.simulation.request(
    world.nodeNamed('atlas'),
    subject => subject.kind === 'link' && subject.sink === world.nodeNamed('juno'),
  );
  expect(toJuno).toEqual([]);
});

test('a newcomer has its links measured one after the other, and a pair that is cut off has none', async () => {
  await using world = new SimulatedWorld(8);
  await world.clock.advance(100);
  const [anchor, hermes] = [world.nodeNamed('anchor'), world.nodeNamed('hermes')];
  const ofAnchor = () =>
    world.facts('link.profiled').filter(({ node, fact }) => node === anchor || fact.payload.sink === anchor);
  expect(ofAnchor()).toEqual([]);
  await world.clock.advance(40_000);
  // To and from five of the seven others: one is cut off, one asleep.
  expect(ofAnchor()).toHaveLength(2 * 5);
  const pair = linkViews(stateOf(world), world.clock.nowMs()).filter(
    ({ nodes }) => nodes.includes(anchor) && nodes.includes(hermes),
  );
  expect(pair).toEqual([]);
});
