// What an acceptance finds only under load: faults that appear after minutes, and what is too narrow for all nodes at once. A soak of an
// hour is a hundred and eighty rounds of twenty seconds.

import { describe, expect, test } from 'vitest';
import { acceptCluster } from '../../../src/core/acceptance/accept-cluster.ts';
import type { JudgedCheck } from '../../../src/core/acceptance/acceptance-document.ts';
import { acceptedDevices } from '../../../src/core/acceptance/accepted-device.ts';
import { directionSubject } from '../../../src/core/acceptance/accepted-path.ts';
import { NOTHING_WATCHED } from '../../../src/core/acceptance/cluster-watch.ts';
import {
  LOAD_SLOTS,
  type LoadedHop,
  type Loads,
  NO_LOADS,
  rateTogether,
  withLoads,
} from '../../../src/core/acceptance/load-watch.ts';
import type { NodeId } from '../../../src/core/ids.ts';
import { type Load, SENT_RATE } from '../../../src/core/probe/load.ts';
import type { ProbeSubject } from '../../../src/core/probe/probe-status.ts';
import { seededRandom } from '../../../src/core/random.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { loadRounds } from '../../../src/probe/load/load-rounds.ts';
import { scenarioOfSize } from '../../../src/simulate/scenario/scenario-of-size.ts';
import { SimulatedWorld } from '../../simulate/simulated-world.ts';
import { longCount } from '../../support/counts.ts';
import { soundRack } from './planted-faults.ts';
import { worldSources } from './world-sources.ts';

const ROUNDS = 180;
const ROUND_MS = 20_000;

/** What becomes of a figure of a load, by the name of its node and the time since the soak began. */
type Fault = (of: { readonly name: string; readonly subject: ProbeSubject; readonly atMs: number }) => number;

const soaked = async (
  world: SimulatedWorld,
  fault: Fault,
  rounds = ROUNDS,
): Promise<readonly JudgedCheck[]> => {
  await world.clock.advance(60_000);
  const sources = worldSources(world);
  const names = new Map(sources.nodes.map(({ nodeId, name }) => [nodeId, name]));
  const devices = Map.groupBy(acceptedDevices(sources), ({ nodeId }) => nodeId);
  const links = loadRounds(sources);
  let loads: Loads = NO_LOADS;
  const load = (node: NodeId, subjects: readonly ProbeSubject[], at: number): void => {
    const name = names.get(node) ?? '';
    const reached = world.simulation.load(node, subjects, ROUND_MS) ?? [];
    loads = withLoads({ ...loads, soakedMs: (at + 1) * ROUND_MS }, at / rounds, {
      node,
      loads: reached.map(one =>
        one.kind === 'idle'
          ? one
          : {
              ...one,
              figures: one.figures.map(each => ({
                ...each,
                value: each.value * fault({ name, subject: one.subject, atMs: at * ROUND_MS }),
              })),
            },
      ),
    });
  };
  for (let at = 0; at < rounds; at += 1) {
    for (const [node, hops] of Map.groupBy(links[at % links.length] ?? [], ({ facts }) => facts.source))
      load(node, hops.map(directionSubject), at);
    for (const [node, own] of devices)
      load(
        node,
        own.map(({ deviceId }) => ({ kind: 'gpu', deviceId })),
        at,
      );
  }
  const watched = { ...NOTHING_WATCHED, watchedMs: rounds * ROUND_MS, loads };
  return acceptCluster({ ...sources, watched }, {}).flatMap(({ checks }) => checks);
};

const OF_LOAD = new Set(['time-under-load', 'rate-over-time', 'resent-under-load', 'all-at-once']);
const ofLoad = (checks: readonly JudgedCheck[], result: JudgedCheck['result']): readonly JudgedCheck[] =>
  checks.filter(one => OF_LOAD.has(one.check) && one.result === result);

describe('an hour under load', () => {
  test('names a GPU that throttles after ten minutes and a direction that degrades, and nothing else', async () => {
    await using world = new SimulatedWorld(soundRack(), { seed: 3, hasFaults: false });
    const random = seededRandom(5);
    const r2 = world.nodeNamed('r2');
    const checks = await soaked(world, ({ name, subject, atMs }) => {
      const noise = 1 + 0.03 * (2 * random.next() - 1);
      const isHot =
        name === 'r6' && subject.kind === 'gpu' && subject.deviceId.endsWith('3') && atMs > 600_000;
      const isWorn =
        name === 'r1' &&
        subject.kind === 'link' &&
        subject.sink === r2 &&
        subject.connectionKey.startsWith('socket');
      return noise * (isHot ? 0.84 : isWorn ? 1 - 0.25 * (atMs / 3_600_000) : 1);
    });
    const found = ofLoad(checks, 'fail');
    expect(found.map(({ check, nodes }) => `${check} ${nodes.join(' ')}`)).toEqual(
      expect.arrayContaining(['rate-over-time r6', 'rate-over-time r1 r2']),
    );
    for (const { subject, reason } of found) {
      expect(subject).toMatch(/^r6, GPU \d|r1→r2$/);
      expect(reason).toMatch(/^1[3-9] % slower in the last quarter of the soak than in the first: /);
    }
    // Every other direction and figure was looked at, and every node was loaded all the time.
    expect(ofLoad(checks, 'undecided')).toEqual([]);
    const times = checks.filter(({ check }) => check === 'time-under-load');
    expect(times).toHaveLength(16);
    for (const { value } of times) expect(value).toBeGreaterThan(0.95);
  });

  test('of fifty healthy clusters, eight in a quick run, whose figures vary raises no alarm', async () => {
    const alarms: string[] = [];
    for (let seed = 1; seed <= longCount(8, 50); seed += 1) {
      const random = seededRandom(seed);
      const scenario = seed % 2 === 0 ? soundRack() : scenarioOfSize(2 + random.below(11));
      await using world = new SimulatedWorld(scenario, { seed, hasFaults: false });
      const spread = 0.04 + 0.2 * random.next();
      for (const { check, subject, reason } of ofLoad(
        await soaked(world, () => 1 + spread * (random.next() - 0.5)),
        'fail',
      ))
        alarms.push(`seed ${seed}, ${scenario.name}: ${check}, ${subject}: ${reason}`);
    }
    expect(alarms).toEqual([]);
  }, 600_000);

  test('a soak too short for two figures in a quarter cannot judge them', async () => {
    await using world = new SimulatedWorld(soundRack(), { seed: 3, hasFaults: false });
    const checks = await soaked(world, () => 1, 7);
    const links = checks.filter(({ check, subject }) => check === 'rate-over-time' && subject.includes('→'));
    expect(new Set(links.map(({ result }) => result))).toEqual(new Set(['undecided']));
  });
});

describe('the rounds of a load', () => {
  test('of nodes at one switch, each node sends to one and receives from one; every direction is in one round', async () => {
    await using world = new SimulatedWorld(scenarioOfSize(3), { hasFaults: false });
    await world.clock.advance(60_000);
    const rounds = loadRounds(worldSources(world));
    const all = rounds.flat().map(({ facts }) => `${facts.source} ${facts.path} ${facts.sink}`);
    expect(new Set(all).size).toBe(all.length);
    for (const round of rounds)
      for (const own of Map.groupBy(round, ({ facts }) => facts.source).values()) {
        const ports = own.flatMap(({ sends }) => sends);
        expect(new Set(ports).size).toBe(ports.length);
      }
  });
});

const span = (fromMs: number, toMs: number, value: number) => ({ figure: SENT_RATE, fromMs, toMs, value });
const sent = (...figures: readonly ReturnType<typeof span>[]): Load => ({
  kind: 'loaded',
  subject: { kind: 'gpu', deviceId: 'x' },
  fromMs: 0,
  toMs: 20_000,
  figures: [...figures],
  bytes: 1,
  retransmits: 0,
});

test('the rate of a direction while all send is that of its runs in which all did', () => {
  const early = sent(span(0, 5_000, 9), span(5_000, 10_000, 3), span(10_000, 15_000, 5));
  const late = sent(span(4_000, 9_000, 3), span(9_000, 14_000, 3), span(14_000, 19_000, 9));
  expect(rateTogether(early, [early, late])).toBe(4);
  expect(rateTogether(late, [early, late])).toBe(3);
  const never = sent(span(30_000, 35_000, 9));
  expect(rateTogether(never, [early, never])).toEqual(
    unknown('the others did not send for long enough at the same time'),
  );
  expect(rateTogether({ kind: 'idle', subject: { kind: 'gpu', deviceId: 'x' }, reason: 'busy' }, [])).toEqual(
    unknown('busy'),
  );
});

test('a series is never longer than its slots, and each has the mean of its values', () => {
  let loads = NO_LOADS;
  for (let at = 0; at < 4_000; at += 1)
    loads = withLoads(loads, at / 4_000, { node: 'n', loads: [sent(span(0, 5_000, at % 2))] });
  const [series] = Object.values(loads.series);
  expect(series).toHaveLength(LOAD_SLOTS);
  expect(new Set(series?.map(({ mean, count }) => `${mean} ${count}`))).toEqual(new Set(['0.5 100']));
});

describe('all nodes at once', () => {
  const hop = (source: string, sink: string, rates: Partial<LoadedHop> = {}): LoadedHop => ({
    source,
    sink,
    path: `${source} to ${sink}`,
    alone: 9.4e9,
    bothWays: unknown('not needed'),
    together: 9.3e9,
    ...rates,
  });
  const judged = async (hops: readonly LoadedHop[]): Promise<JudgedCheck | undefined> => {
    await using world = new SimulatedWorld(scenarioOfSize(3), { hasFaults: false });
    await world.clock.advance(10_000);
    const watched = { ...NOTHING_WATCHED, loads: { ...NO_LOADS, rounds: [[...hops]] } };
    const checks = acceptCluster({ ...worldSources(world), watched }, {}).flatMap(stage => stage.checks);
    return checks.find(({ check }) => check === 'all-at-once');
  };

  test('that keep their rates pass', async () => {
    expect(await judged([hop('a', 'b'), hop('b', 'c'), hop('c', 'a')])).toMatchObject({ result: 'pass' });
  });

  test('that do not have what joins them as their limit, and the directions are named with their rates', async () => {
    const narrow = { together: 3.1e9, bothWays: 9.3e9 };
    const check = await judged([hop('a', 'b', narrow), hop('b', 'c'), hop('c', 'a', narrow)]);
    expect(check).toMatchObject({ result: 'fail', nodes: ['a', 'b', 'c'] });
    expect(check?.reason).toMatch(
      /a→b 3.10.Gb\/s, 9.40.Gb\/s alone, 9.30.Gb\/s with only the opposite direction/,
    );
    expect(check?.reason).toContain('1 other is as fast as alone: what joins them is the limit');
  });

  test('are not blamed for what a node cannot do in both directions at once', async () => {
    const half = { together: 4.7e9, bothWays: 4.8e9 };
    expect(await judged([hop('a', 'b', half), hop('b', 'c', half), hop('c', 'a', half)])).toMatchObject({
      result: 'pass',
    });
  });

  test('of which one was not loaded cannot be judged', async () => {
    const idle = { together: unknown('a benchmark runs against b') };
    expect(await judged([hop('a', 'b', idle), hop('b', 'c'), hop('c', 'a')])).toMatchObject({
      result: 'undecided',
      reason: 'a→b: a benchmark runs against b',
    });
  });
});
