import { describe, expect, test } from 'vitest';
import { connectionsOf } from '../../src/simulate/connection.ts';
import { SIMULATED_NODES_MAX, scenarioOfSize } from '../../src/simulate/scenario/scenario-of-size.ts';
import { seededNodeKeys } from '../../src/simulate/seeded-node-key.ts';
import { wire } from '../../src/simulate/site.ts';

const idsOf = (count: number) => seededNodeKeys(1, count).map(({ nodeId }) => nodeId);

describe('a scenario', () => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17, 64, 65, 200])(
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

  test.each([2, 4, 8, 12, 16])('of %i machines lets everybody reach everybody', count => {
    const wiring = wire(scenarioOfSize(count), idsOf(count));
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

  test('of eight has what it is there to show', () => {
    const { machines, cables } = scenarioOfSize(8);
    expect(machines.some(({ quirks }) => quirks?.throttledGpu !== undefined)).toBe(true);
    expect(cables.some(({ failure }) => failure !== undefined)).toBe(true);
    const halved = cables.filter(
      ({ bitsPerSecondToA, bitsPerSecondToB }) => bitsPerSecondToA < bitsPerSecondToB * 0.6,
    );
    expect(halved).toHaveLength(1);
    expect(new Set(cables.map(({ kind }) => kind))).toEqual(
      new Set(['thunderbolt-rdma', 'thunderbolt', 'roce', 'ethernet']),
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
