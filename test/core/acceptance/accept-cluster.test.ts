// An acceptance of simulated clusters on a virtual clock: what it finds of planted faults, and that it raises no false alarm.

import { describe, expect, test } from 'vitest';
import {
  ACCEPTANCE_CHECKS,
  acceptanceSources,
  acceptCluster,
} from '../../../src/core/acceptance/accept-cluster.ts';
import { acceptanceOutcome, type JudgedCheck } from '../../../src/core/acceptance/acceptance-document.ts';
import type { AcceptancePlan } from '../../../src/core/acceptance/acceptance-plan.ts';
import { ClusterWatch } from '../../../src/core/acceptance/cluster-watch.ts';
import { LinkWatch } from '../../../src/core/link/link-view.ts';
import { seededRandom } from '../../../src/core/random.ts';
import { scenarioOfSize } from '../../../src/simulate/scenario/scenario-of-size.ts';
import { seededNodeKeys } from '../../../src/simulate/seeded-node-key.ts';
import { SimulatedWorld } from '../../simulate/simulated-world.ts';
import { longCount } from '../../support/counts.ts';
import {
  CONSEQUENCES,
  FAULTY_RACK,
  PLANTED,
  soundRack,
  withPlantedFaults,
  withVariation,
} from './planted-faults.ts';

const WATCHED_MS = 60_000;
const SEED = 3;

/** Watched once a second, as the command does. */
const accepted = async (
  world: SimulatedWorld,
  plan: AcceptancePlan = {},
): Promise<readonly JudgedCheck[]> => {
  const watch = new ClusterWatch();
  const links = new LinkWatch();
  const sourcesNow = () => {
    const { state } = world;
    const nowMs = world.clock.nowMs();
    return acceptanceSources({
      state,
      nowMs,
      links: links.read(state, nowMs),
      requested: undefined,
      watched: watch.watched,
      watchedMsMin: WATCHED_MS,
      ageMsMax: 3_600_000,
      plan,
    });
  };
  for (let atMs = 0; atMs <= WATCHED_MS; atMs += 1_000) {
    await world.clock.advance(1_000);
    watch.look(sourcesNow());
  }
  const sources = sourcesNow();
  return acceptCluster(sources, plan).flatMap(({ checks }) => checks);
};

const failed = (checks: readonly JudgedCheck[]): readonly JudgedCheck[] =>
  checks.filter(({ result }) => result === 'fail');

describe('an acceptance of a rack with eight planted faults', () => {
  test('finds each of them at its node, and nothing that is not a consequence of one', async () => {
    const [, slow] = seededNodeKeys(SEED, FAULTY_RACK.machines.length);
    await using world = new SimulatedWorld(FAULTY_RACK, {
      seed: SEED,
      change: withPlantedFaults(slow?.nodeId),
    });
    const found = failed(await accepted(world));
    const missed = PLANTED.filter(
      ({ check, nodes }) =>
        !found.some(one => one.check === check && nodes.every(node => one.nodes.includes(node))),
    );
    expect(missed.map(({ fault }) => fault)).toEqual([]);
    const unexplained = found.filter(
      ({ check, nodes }) =>
        !PLANTED.some(
          planted => planted.check === check && planted.nodes.every(node => nodes.includes(node)),
        ) && !CONSEQUENCES.some(one => one.check === check && nodes.includes(one.node)),
    );
    expect(unexplained.map(({ check, subject, reason }) => `${check}, ${subject}: ${reason}`)).toEqual([]);
    for (const { reason, from } of found) {
      expect(reason).not.toBe('');
      expect(from).not.toBe('none');
    }
  });

  test('finds none of them in the same rack without the faults', async () => {
    await using world = new SimulatedWorld(soundRack(), { seed: SEED });
    const checks = await accepted(world);
    expect(failed(checks)).toEqual([]);
    // Each of the planted ones was looked for, and passed.
    for (const { check } of PLANTED)
      expect(checks.filter(one => one.check === check && one.result === 'pass').length).toBeGreaterThan(0);
  });
});

test('fifty healthy clusters, twelve in a quick run, whose parts differ as sound parts do, raise no false alarm', {
  timeout: 600_000,
}, async () => {
  const alarms: string[] = [];
  const random = seededRandom(38);
  for (let seed = 1; seed <= longCount(12, 50); seed += 1) {
    // Different machines, and equal ones, which are compared with one another.
    const scenario = seed % 2 === 0 ? soundRack() : scenarioOfSize(2 + random.below(11));
    await using world = new SimulatedWorld(scenario, {
      seed,
      hasFaults: false,
      change: withVariation(seededRandom(seed)),
    });
    for (const { check, subject, reason } of failed(await accepted(world)))
      alarms.push(`seed ${seed}, ${scenario.name}: ${check}, ${subject}: ${reason}`);
  }
  expect(alarms).toEqual([]);
});

test('the ids of checks are unique, and outcomes are the worst result', () => {
  const ids = ACCEPTANCE_CHECKS.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(acceptanceOutcome([])).toBe('undecided');
});
