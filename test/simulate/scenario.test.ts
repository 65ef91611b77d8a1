import { describe, expect, test } from 'vitest';
import { knownOr } from '../../src/core/unknown.ts';
import { connectionsOf } from '../../src/simulate/connection.ts';
import type { Cable } from '../../src/simulate/scenario/scenario.ts';
import {
  SIMULATED_NODES_MAX,
  scenarioOfSize,
  withoutFaults,
} from '../../src/simulate/scenario/scenario-of-size.ts';
import { seededNodeKeys } from '../../src/simulate/seeded-node-key.ts';
import { wire } from '../../src/simulate/site.ts';

/** Every size of racks, and some of the fleets. */
const sizesFrom = (first: number): readonly number[] => [
  ...Array.from({ length: 201 - first }, (_, at) => first + at),
  ...[201, 208, 512, SIMULATED_NODES_MAX],
];

const idsOf = (count: number) => seededNodeKeys(1, count).map(({ nodeId }) => nodeId);

describe('a scenario', () => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17, 64, 65, 200, 1_000])(
    'of %i machines has that many names, and cables between them only',
    count => {
      const scenario = scenarioOfSize(count);
      expect(new Set(scenario.machines.map(({ name }) => name)).size).toBe(count);
      const { sites, cables } = wire(scenario, idsOf(count));
      expect(sites).toHaveLength(count);
      expect(cables.every(({ cable: { a, b } }) => a !== b && a < count && b < count)).toBe(true);
    },
  );

  test.each([0, -1, 1.5, Number.NaN, SIMULATED_NODES_MAX + 1])('of %d machines is refused', count => {
    expect(() => scenarioOfSize(count)).toThrow(RangeError);
  });

  test.each([2, 4, 8, 12, 16])('of %i machines without faults lets everybody reach everybody', count => {
    const wiring = wire(withoutFaults(scenarioOfSize(count)), idsOf(count));
    for (const site of wiring.sites) {
      const sinks = new Set(connectionsOf(wiring, site).map(({ sink }) => sink.index));
      expect(sinks.size).toBe(count - 1);
    }
  });

  test('of 200 machines leaves nobody unreached, and grows with the racks and not with their square', () => {
    const wiring = wire(scenarioOfSize(200), idsOf(200));
    const sinks = wiring.sites.map(
      site => new Set(connectionsOf(wiring, site).map(({ sink }) => sink.index)).size,
    );
    expect(Math.min(...sinks)).toBeGreaterThanOrEqual(8);
    expect(Math.max(...sinks)).toBeLessThanOrEqual(10);
  });

  test('of 1,000 machines has some ten thousand links, and a pair for each two racks', () => {
    const { machines, cables } = scenarioOfSize(1_000);
    expect(cables.length).toBeGreaterThan(9_500);
    expect(cables.length).toBeLessThan(11_000);
    const racks = [...new Set(machines.map(({ place }) => place?.rack))];
    const joined = new Set(
      cables.map(({ a, b }) => [a, b].map(end => machines[end]?.place?.rack ?? '').join(' ')),
    );
    const missing = racks.flatMap((one, at) =>
      racks.slice(at).filter(other => !joined.has(`${one} ${other}`)),
    );
    expect(missing).toEqual([]);
    expect(new Set(machines.map(({ place }) => place?.site)).size).toBe(3);
  });

  test('of more than eight machines reports where each is', () => {
    for (const { place } of scenarioOfSize(64).machines) expect(place?.rack).toMatch(/^r\d\d$/);
    for (const { place } of scenarioOfSize(4).machines) expect(place).toBeUndefined();
  });

  test.each([8, 16])('of %i has what it is there to show, and without faults none of it', count => {
    const { machines, cables, absences } = scenarioOfSize(count);
    expect(machines.some(({ quirks }) => quirks?.throttledGpu !== undefined)).toBe(true);
    expect(machines.some(({ quirks }) => quirks?.isUnmeasured === true)).toBe(true);
    expect(cables.some(({ failure }) => failure !== undefined)).toBe(true);
    expect(cables.some(({ isCutOff }) => isCutOff === true)).toBe(true);
    expect(cables.some(({ retransmits = 0 }) => retransmits > 0)).toBe(true);
    expect(cables.filter(isLopsided).length).toBeGreaterThan(0);
    expect(absences.length).toBeGreaterThan(0);
    expect(absences.every(({ machine }) => machine > 0)).toBe(true);

    const sound = withoutFaults(scenarioOfSize(count));
    expect(sound.machines.map(({ name }) => name)).toEqual(machines.map(({ name }) => name));
    expect(sound.machines.flatMap(({ quirks = {} }) => Object.keys(quirks))).not.toContain('throttledGpu');
    expect(sound.cables.filter(isLopsided)).toEqual([]);
    expect(sound.cables.some(cable => 'failure' in cable || 'isCutOff' in cable)).toBe(false);
    expect(sound.absences).toEqual([]);
  });

  test('of any size has few bad cables, so that each is looked at', () => {
    for (const count of sizesFrom(17)) {
      const { cables } = scenarioOfSize(count);
      const bad = cables.filter(cable => isLopsided(cable) || (cable.retransmits ?? 0) > 0);
      expect(bad.length).toBeGreaterThanOrEqual(2);
      expect(bad.length).toBeLessThanOrEqual(3);
    }
  });

  test('of any size carries over a slow port what that port can', () => {
    for (const count of sizesFrom(1)) {
      const { machines, cables } = scenarioOfSize(count);
      for (const { a, b, bitsPerSecondToA, bitsPerSecondToB } of cables.filter(isEthernet)) {
        const port = Math.min(...[a, b].map(end => machines[end]?.quirks?.ethernetBitsPerSecond ?? 10e9));
        expect(Math.max(bitsPerSecondToA, bitsPerSecondToB), `cable ${a} - ${b} of ${count}`).toBeLessThan(
          port,
        );
      }
    }
  });

  test('of eight has every kind of cable that people join such machines with', () => {
    expect(new Set(scenarioOfSize(8).cables.map(({ kind }) => kind))).toEqual(
      new Set(['thunderbolt-rdma', 'thunderbolt', 'roce', 'ethernet']),
    );
  });

  test.each([8, 16, 64])('of %i carries over no cable more than its ends can', count => {
    const wiring = wire(scenarioOfSize(count), idsOf(count));
    for (const site of wiring.sites)
      for (const { connection, upload, download } of connectionsOf(wiring, site))
        expect(Math.max(upload, download)).toBeLessThanOrEqual(
          knownOr(connection.negotiatedBitsPerSecond, Number.POSITIVE_INFINITY),
        );
  });
});

describe('connections', () => {
  test('have one key each among those of their source and sink', () => {
    const wiring = wire(scenarioOfSize(64), idsOf(64));
    for (const site of wiring.sites) {
      const keys = connectionsOf(wiring, site).map(({ sink, key }) => `${sink.index} ${key}`);
      expect(new Set(keys).size).toBe(keys.length);
    }
  });

  test('name the interfaces that the other end names, seen from there', () => {
    const wiring = wire(scenarioOfSize(8), idsOf(8));
    const rdma = wiring.sites.flatMap(site =>
      connectionsOf(wiring, site).flatMap(({ source, sink, connection }) =>
        connection.kind === 'rdma'
          ? [[source.index, sink.index, connection.sourceInterface, connection.sinkInterface]]
          : [],
      ),
    );
    expect(rdma.length).toBeGreaterThan(0);
    for (const [source, sink, from, to] of rdma) expect(rdma).toContainEqual([sink, source, to, from]);
  });
});

test('keys of one seed are the same again, in the order of their ids', () => {
  const ids = idsOf(8);
  expect(idsOf(8)).toEqual(ids);
  expect([...ids].sort()).toEqual(ids);
  expect(seededNodeKeys(2, 8).map(({ nodeId }) => nodeId)).not.toEqual(ids);
});

const isEthernet = ({ kind }: Cable): boolean => kind === 'ethernet';

const isLopsided = ({ kind, bitsPerSecondToA, bitsPerSecondToB }: Cable): boolean =>
  kind !== 'wifi' &&
  Math.min(bitsPerSecondToA, bitsPerSecondToB) < 0.6 * Math.max(bitsPerSecondToA, bitsPerSecondToB);
