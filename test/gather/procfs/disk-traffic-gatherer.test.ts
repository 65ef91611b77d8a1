import { expect, it } from 'vitest';
import { unknown } from '../../../src/core/unknown.ts';
import { linuxDiskTrafficGatherer } from '../../../src/gather/procfs/linux-disk-traffic-gatherer.ts';
import { DISKS_MAX, parseDiskstats } from '../../../src/gather/procfs/parse-diskstats.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { isReading, runForTest } from '../gatherer-run.ts';
import { FixtureTree } from '../gpu/fixture-tree.ts';
import { machineForTest } from '../machine-for-test.ts';

const STATS = (
  sectors: number,
  busyMs: number,
): string => `   7       0 loop0 11 0 28 0 0 0 0 0 0 1 0 0 0 0 0 0 0
 259       0 nvme0n1 705450 111319 ${sectors} 570007 821714 893600 ${2 * sectors} 378841 0 ${busyMs} 1029316 628301 113 30354544 70818 163681 9649
 259       1 nvme0n1p1 705000 0 1000 0 0 0 0 0 0 1 0
 253       0 dm-0 5 0 8 0 1 0 8 0 0 4 0
   8       0 sda 0 0 0 0 0 0 0 0 0 0 0
`;

it('reports bytes, requests and the busy share of each whole disk from two readings, and no spike when counters are reset', async () => {
  await using tree = await FixtureTree.create();
  for (const name of ['loop0', 'nvme0n1', 'dm-0', 'sda']) await tree.write(`sys/block/${name}/dev`, '1:1\n');
  await tree.write('proc/diskstats', STATS(1_000, 500));
  const clock = new VirtualClock();
  await using run = runForTest([linuxDiskTrafficGatherer(machineForTest({ root: tree.root }))], clock);
  const { reading: first } = await run.waitFor(isReading('diskTraffic'), 'from start');
  expect(first.value.devices.map(({ name, rates }) => [name, rates])).toEqual([
    ['nvme0n1', unknown('needs two readings')],
    ['dm-0', unknown('needs two readings')],
  ]);
  await tree.write('proc/diskstats', STATS(3_000, 750));
  const second = run.waitFor(isReading('diskTraffic'));
  await clock.advance(1_000);
  expect((await second).reading.value.devices[0]).toEqual({
    name: 'nvme0n1',
    readBytes: 1_536_000,
    writtenBytes: 3_072_000,
    reads: 705_450,
    writes: 821_714,
    busyMs: 750,
    rates: {
      readBytesPerSecond: 1_024_000,
      writtenBytesPerSecond: 2_048_000,
      readsPerSecond: 0,
      writesPerSecond: 0,
      busyShare: 0.25,
    },
  });
  await tree.write('proc/diskstats', STATS(10, 1));
  const third = run.waitFor(isReading('diskTraffic'));
  await clock.advance(1_000);
  expect((await third).reading.value.devices[0]?.rates).toEqual(unknown('its counters were reset'));
});

it('reports a disk whose name has a slash, which is an exclamation mark in /sys', async () => {
  await using tree = await FixtureTree.create();
  await tree.write('sys/block/cciss!c0d0/dev', '104:0\n');
  await tree.write(
    'proc/diskstats',
    ' 104 0 cciss/c0d0 9 0 8 0 1 0 8 0 0 4 0\n 104 1 cciss/c0d0p1 9 0 8 0 1 0 8 0 0 4 0\n',
  );
  const machine = machineForTest({ root: tree.root });
  await using run = runForTest([linuxDiskTrafficGatherer(machine)], new VirtualClock());
  const { reading } = await run.waitFor(isReading('diskTraffic'), 'from start');
  expect(reading.value.devices.map(({ name }) => name)).toEqual(['cciss/c0d0']);
});

it('refuses what is not that file, and keeps the most used of very many disks', () => {
  expect(parseDiskstats('garbage', () => true)).toBeUndefined();
  expect(parseDiskstats('8 0 sda 1 2', () => true)).toBeUndefined();
  const many = Array.from({ length: 100 }, (_, at) => `8 ${at} sd${at} 1 0 ${at} 0 1 0 0 0 0 1 1`).join('\n');
  const disks = parseDiskstats(many, () => true) ?? [];
  expect(disks).toHaveLength(DISKS_MAX);
  expect(disks[0]?.name).toBe('sd99');
});
