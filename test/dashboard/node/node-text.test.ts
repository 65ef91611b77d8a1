import { describe, expect, test } from 'vitest';
import { inReadingOrder, upText } from '../../../dashboard/src/node/network-order.ts';
import { nodeText, shortChip, shortSystem } from '../../../dashboard/src/node/node-text.ts';
import { NOTES_MAX, notesOf } from '../../../dashboard/src/node/notes.ts';
import type { Fact } from '../../../src/core/event-kinds.ts';
import type { NetworkInterface } from '../../../src/core/node/network.ts';
import { nodeView } from '../../../src/core/node/node-view.ts';
import type { ReadingKind } from '../../../src/core/node/reading.ts';
import { missingReadings, readingRows } from '../../../src/core/node/reading-rows.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { rack, studio } from '../../e2e/machines.ts';
import { AT_WORK, at, idOf, stateOf, stillSpeaking, viewsOf } from '../cluster/cluster-state.ts';

describe('the words of a node', () => {
  test('name the machine, its memory and how it does', () => {
    expect(viewsOf(stateOf(at(studio))).map(view => nodeText(view))).toEqual([
      {
        name: 'atlas (simulated)',
        model: 'Mac Studio · M3 Ultra',
        memory: '317 of 512\u00a0GB · 62\u202f%',
        hostMemory: '',
        usedShare: '62\u202f%',
        memoryShareOf: '62\u202f% of 512\u00a0GB',
        measured: 'GPU not measured yet',
        compute: 'not measured',
        engine: '',
        bandwidth: '',
        vitals: 'GPU 41\u202f% · 54\u00a0°C · 148\u00a0W',
        isLate: false,
      },
    ]);
  });

  test('of a machine with cards are about the cards and their memory', () => {
    const [text] = viewsOf(stateOf(at(rack))).map(view => nodeText(view));
    expect(text).toMatchObject({ model: 'Linux · 2 × RTX 4090', measured: '2 GPUs not measured yet' });
    expect(text?.memory).toMatch(/^GPU \S+ of 48\u00a0GB · \d+\u202f%$/);
    expect(text?.memoryShareOf).toMatch(/^GPU \d+\u202f% of 48\u00a0GB$/);
    expect(text?.hostMemory).toMatch(/^host \S+ of \S+\u00a0GB · \d+\u202f%$/);
  });

  test('of a machine with several cards show the hottest of them and the power of all', () => {
    const [view] = viewsOf(stateOf({ machine: rack, facts: secondCardHot() }));
    if (view === undefined) throw new Error('no node');
    expect(nodeText(view).vitals).toBe('GPU 37\u202f% · 84\u00a0°C · 512\u00a0W');
  });

  test('do not pass off late figures of the cards as those of now, while the rest of the node goes on', () => {
    const late = viewsOf(
      stillSpeaking(at(rack), 5_000, ({ kind }) => kind !== 'gpuLoads.gathered'),
      5_000,
    ).map(view => nodeText(view));
    expect(late).toMatchObject([{ vitals: 'GPU figures are 5\u00a0s old', isLate: true }]);
    expect(viewsOf(stateOf(at(rack))).map(view => nodeText(view).isLate)).toEqual([false]);
  });

  test('report how old the memory is where it alone is late', () => {
    const state = stillSpeaking(at(studio), 9_000, ({ kind }) => kind !== 'memory.gathered');
    expect(viewsOf(state, 9_000).map(view => nodeText(view))).toMatchObject([
      {
        memory: '317 of 512\u00a0GB · 9\u00a0s old',
        usedShare: '62\u202f%, 9\u00a0s old',
        memoryShareOf: '62\u202f%, 9\u00a0s old',
        isLate: true,
      },
    ]);
  });

  test('of a silent node report how old they are, and of a gone one that it is gone', () => {
    const state = stateOf(at(studio));
    expect(viewsOf(state, 14_000).map(view => nodeText(view))[0]?.vitals).toBe('14\u00a0s old');
    expect(viewsOf(state, 180_000).map(view => nodeText(view))[0]).toMatchObject({
      memory: 'no contact for 3\u00a0min',
      usedShare: 'no contact',
    });
  });

  test('of a page that is cut off report how old they are, and blame nobody', () => {
    const [view] = viewsOf(stateOf(at(studio)), 400);
    if (view === undefined) throw new Error('no node');
    expect(nodeText(view, 9_000)).toMatchObject({ usedShare: '62\u202f%', vitals: '9\u00a0s old' });
  });

  test('of a node that reported nothing else are honest', () => {
    const text = nodeText(nodeView(stateOf(), idOf(studio), 0));
    expect(text).toMatchObject({
      model: 'not identified yet',
      memory: 'no contact yet',
      measured: 'GPUs not detected yet',
    });
  });
});

/** The rack with its second card the hotter one, and no meter for the whole machine. */
const secondCardHot = (): readonly Fact[] => [
  ...rack.durable,
  ...rack.live(AT_WORK).flatMap((fact): Fact[] => {
    if (fact.kind === 'system.gathered') return [];
    if (fact.kind !== 'gpuLoads.gathered') return [fact];
    const { value } = fact.payload;
    const devices = value.devices.map((load, index) =>
      index === 1 ? { ...load, temperatureCelsius: 84 } : load,
    );
    return [{ ...fact, payload: { ...fact.payload, value: { ...value, devices } } }];
  }),
];

test.each([
  ['Intel(R) Xeon(R) Gold 6338 CPU @ 2.00GHz', 'Xeon Gold 6338'],
  ['AMD EPYC 9354 32-Core Processor', 'EPYC 9354'],
  ['Apple M3 Ultra', 'M3 Ultra'],
  ['Intel(R) Xeon(R) Processor', 'Xeon'],
])('%s is %s for short', (chip, short) => {
  expect(shortChip(chip)).toBe(short);
});

test('a distribution is called what its users call it', () => {
  expect(shortSystem('Debian GNU/Linux 12 (bookworm)')).toBe('Debian 12');
  expect(shortSystem('Ubuntu 24.04.1 LTS')).toBe('Ubuntu 24.04.1 LTS');
});

describe('the readings of a node', () => {
  const failed = (
    kind: 'reading.failed' | 'reading.absent',
    reading: ReadingKind,
    vendor: 'amd' | 'nvidia' | 'none',
    reason: string,
  ): Fact => ({
    kind,
    payload: { reading, vendor, source: 'made up', intervalMs: 10_000, reason },
  });

  test('have a source, an interval, an age and a state each', () => {
    const state = stateOf(at(studio));
    const rows = readingRows(state, nodeView(state, idOf(studio), 700));
    expect(rows.find(row => row.key === 'memory')).toEqual({
      key: 'memory',
      title: 'Memory',
      source: 'made up',
      intervalMs: 500,
      ageMs: 700,
      state: 'current',
      reason: '',
    });
    expect(rows.find(row => row.key === 'thunderbolt')).toMatchObject({ state: 'waiting', ageMs: undefined });
  });

  test('that failed report why, and those that are not on this machine stand apart', () => {
    const { machine, facts } = at(studio);
    const state = stateOf({
      machine,
      facts: [
        ...facts,
        failed('reading.failed', 'thunderbolt', 'none', 'system_profiler timed out'),
        failed('reading.absent', 'gpus', 'amd', 'no AMD GPU'),
        failed('reading.absent', 'gpuLoads', 'amd', 'no AMD GPU'),
        failed('reading.absent', 'gpus', 'nvidia', 'no NVIDIA GPU'),
        failed('reading.absent', 'rdmaDevices', 'none', 'the kernel has no RDMA devices'),
      ],
    });
    const rows = readingRows(state, nodeView(state, idOf(studio), 0));
    expect(rows.find(row => row.key === 'thunderbolt')).toMatchObject({
      state: 'unavailable',
      reason: 'system_profiler timed out',
    });
    expect(
      missingReadings(rows, nodeView(state, idOf(studio), 0)).map(
        ({ title, reason }) => `${title}: ${reason}`,
      ),
    ).toEqual(['GPUs: no NVIDIA GPU, no AMD GPU', 'RDMA: the kernel has no RDMA devices']);
  });
});

describe('network interfaces', () => {
  const item = (name: string, value: Partial<NetworkInterface> = {}): NetworkInterface => ({
    name,
    type: 'ethernet',
    typeEvidence: '',
    macAddress: unknown('none'),
    isUp: true,
    speedBitsPerSecond: 1e9,
    mtuBytes: 1_500,
    driver: '',
    addresses: [{ address: '192.0.2.1', family: 'ipv4', prefixLength: 24, scope: 'global' }],
    members: [],
    ...value,
  });

  test('those that carry traffic come first, loopback last, numbers as numbers', () => {
    const order = inReadingOrder([
      item('lo', { type: 'loopback' }),
      item('eth10'),
      item('eth9'),
      item('eth1', { isUp: false }),
      item('eth2', { addresses: [] }),
    ]);
    expect(order.map(({ name }) => name)).toEqual(['eth9', 'eth10', 'eth2', 'eth1', 'lo']);
  });

  test('an unknown state is not down', () => {
    expect(upText(unknown('no carrier file'))).toEqual({ text: '–', reason: 'no carrier file' });
    expect(upText(false).text).toBe('down');
  });
});

test('notes name each reason once, with the rows it holds for, and end somewhere', () => {
  const value = unknown('no rate');
  expect(
    notesOf([
      { name: 'a', value },
      { name: 'b', value },
      { name: 'a', value },
      { name: 'c', value: 1 },
    ]),
  ).toEqual([{ reason: 'no rate', names: ['a', 'b'] }]);
  const many = Array.from({ length: 100 }, (_, index) => ({ name: 'x', value: unknown(`reason ${index}`) }));
  expect(notesOf(many)).toHaveLength(NOTES_MAX);
});
