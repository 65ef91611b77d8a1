import { describe, expect, it } from 'vitest';
import { unknown } from '../../../src/core/unknown.ts';
import type { Gatherer } from '../../../src/gather/gatherer.ts';
import {
  EnergyMeter,
  intelInventoryGatherer,
  intelLoadGatherer,
} from '../../../src/gather/intel/intel-gatherers.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { FixtureTree, treeFixture } from '../gpu/fixture-tree.ts';
import { GathererRun, isAbsence, isFailure, isInventory, isLoads } from '../gpu/gatherer-run.ts';
import { machineForTest } from '../machine-for-test.ts';

const ARC = 'sys/class/drm/card1/device';

describe('the Intel gatherers', () => {
  it('read a card of xe behind its own switch, and graphics of i915 in the processor', async () => {
    await using tree = await FixtureTree.create(treeFixture('arc-b580-and-uhd'));
    await using run = new GathererRun(intelGatherers(tree.root), new VirtualClock());
    expect((await run.until(isInventory)).devices).toMatchObject([
      {
        deviceId: '0000:00:02.0',
        name: 'Intel GPU 0x4680',
        memoryIsUnified: true,
        memoryTotalBytes: unknown('unified memory'),
        driver: 'i915 of Linux 6.12.9',
        pcieMax: unknown('the device shows no PCIe link of its own'),
      },
      {
        deviceId: '0000:03:00.0',
        name: 'Intel Battlemage G21 [Arc B580]',
        memoryIsUnified: false,
        memoryTotalBytes: 0x2fa000000,
        driver: 'xe of Linux 6.12.9',
        pcieMax: { generation: 4, width: 8 },
        powerLimitWatts: 190,
      },
    ]);
    expect((await run.until(isLoads)).devices).toMatchObject([
      { clockMhz: 350, throttleReasons: [], powerWatts: unknown('no sensor') },
      {
        use: unknown('the driver reports it only per process'),
        clockMhz: 2400,
        temperatureCelsius: 58,
        pcieNow: { generation: 3, width: 8 },
        throttleReasons: ['pl1'],
        powerWatts: unknown('measured from the second reading on'),
      },
    ]);
  });

  it('report power from two readings of the energy counter', async () => {
    await using tree = await FixtureTree.create(treeFixture('arc-b580-and-uhd'));
    const clock = new VirtualClock();
    await using run = new GathererRun(intelGatherers(tree.root), clock);
    await run.until(isLoads);
    await tree.write(`${ARC}/hwmon/hwmon4/energy1_input`, '5120000000\n');
    const at = run.reported.length;
    await clock.advance(1_000);
    const loads = await run.until(isLoads, at);
    expect(loads.devices[1]).toMatchObject({ powerWatts: 120 });
  });

  it('name a card without a list of names, with its memory and the limits and energy of its chip', async () => {
    const arc = treeFixture('arc-b580-xe-6.16');
    await using tree = await FixtureTree.create(arc);
    await tree.write('sys/class/drm/card1/device/hwmon/hwmon4/power2_max', '190000000\n');
    const clock = new VirtualClock();
    await using run = new GathererRun(intelGatherers(tree.root), clock);
    expect((await run.until(isInventory)).devices).toMatchObject([
      { name: 'Intel Arc B580', memoryTotalBytes: 12 * 1_024 ** 3, powerLimitWatts: 190 },
    ]);
    await run.until(isLoads);
    // Its counter of the card stays at 0.
    await tree.write('sys/class/drm/card1/device/hwmon/hwmon4/energy2_input', '29643753173\n');
    const at = run.reported.length;
    await clock.advance(1_000);
    expect((await run.until(isLoads, at)).devices).toMatchObject([
      { powerWatts: 120, temperatureCelsius: 46 },
    ]);
  });

  it.each([
    ['0x0000006000000000 0x00000063ffffffff 0x000000000014220c', 16 * 1_024 ** 3],
    [
      '0x0000006000000000 0x000000600fffffff 0x000000000014220c',
      unknown('not reported by this driver: cards of this model have 8 or 16 GiB'),
    ],
  ])('take the size of a model with two sizes from its window to the memory: %s', async (window, bytes) => {
    await using tree = await FixtureTree.create({
      files: {
        'sys/class/drm/card0/device/uevent':
          'DRIVER=xe\nPCI_CLASS=30000\nPCI_ID=8086:56A0\nPCI_SLOT_NAME=0000:03:00.0\n',
        'sys/class/drm/card0/device/resource': `0x00000000a0000000 0x00000000a0ffffff 0x0000000000140204\n0x0 0x0 0x0\n${window}\n`,
      },
    });
    await using run = new GathererRun(intelGatherers(tree.root));
    expect((await run.until(isInventory)).devices).toMatchObject([
      { name: 'Intel Arc A770', memoryTotalBytes: bytes },
    ]);
  });

  it('show the first card that is plugged in later, and miss one that is pulled out', async () => {
    await using tree = await FixtureTree.create(treeFixture('only-displays'));
    const clock = new VirtualClock();
    await using run = new GathererRun(intelGatherers(tree.root), clock);
    await run.until(isAbsence, 1);
    const uevent = 'DRIVER=xe\nPCI_CLASS=30000\nPCI_ID=8086:E20B\nPCI_SLOT_NAME=0000:0b:00.0\n';
    await tree.write('sys/class/drm/card7/device/uevent', uevent);
    await tree.write('sys/bus/pci/devices/0000:0b:00.0/uevent', uevent);
    await clock.advance(30_000);
    const here = await run.until(isInventory);
    expect(here).toMatchObject({ devices: [{ deviceId: '0000:0b:00.0' }], failed: [] });
    await run.until(isLoads);
    await tree.remove('sys/class/drm/card7');
    await tree.remove('sys/bus/pci/devices/0000:0b:00.0');
    await clock.advance(30_000);
    expect(await run.until(reported => isInventory(reported) && reported.devices.length === 0)).toMatchObject(
      {
        failed: [{ deviceId: '0000:0b:00.0', state: 'lost', reason: 'it is not on the PCI bus any more' }],
      },
    );
  });

  it('do not miss a card that was given to a virtual machine', async () => {
    const uevent = (driver: string) =>
      `DRIVER=${driver}\nPCI_CLASS=30000\nPCI_ID=8086:E20B\nPCI_SLOT_NAME=0000:0b:00.0\n`;
    await using tree = await FixtureTree.create();
    await tree.write('sys/class/drm/card7/device/uevent', uevent('xe'));
    await tree.write('sys/bus/pci/devices/0000:0b:00.0/uevent', uevent('xe'));
    const clock = new VirtualClock();
    await using run = new GathererRun(intelGatherers(tree.root), clock);
    await run.until(isInventory);
    await run.until(isLoads);
    await tree.remove('sys/class/drm/card7');
    await tree.write('sys/bus/pci/devices/0000:0b:00.0/uevent', uevent('vfio-pci'));
    await clock.advance(30_000);
    expect(await run.until(reported => isInventory(reported) && reported.devices.length === 0)).toMatchObject(
      {
        failed: [],
      },
    );
  });

  it('report that a card has no driver', async () => {
    await using tree = await FixtureTree.create({
      files: {
        'sys/bus/pci/devices/0000:03:00.0/uevent':
          'PCI_CLASS=30000\nPCI_ID=8086:E20B\nPCI_SLOT_NAME=0000:03:00.0\n',
      },
    });
    await using run = new GathererRun(intelGatherers(tree.root));
    expect((await run.until(isFailure)).reason).toBe(
      'the Intel GPU 0000:03:00.0 has no driver: i915 or xe is not loaded',
    );
  });

  it('have nothing to report if there are only displays', async () => {
    await using tree = await FixtureTree.create(treeFixture('only-displays'));
    await using run = new GathererRun(intelGatherers(tree.root), new VirtualClock());
    const first = await run.until(isAbsence);
    await run.until(isAbsence, run.reported.indexOf(first) + 1);
    expect(run.reported).toHaveLength(2);
  });
});

describe('an energy meter', () => {
  it('gives mean power between readings', () => {
    const meter = new EnergyMeter();
    meter.watts(1_000_000, 0);
    expect(meter.watts(151_000_000, 2_000)).toBe(75);
  });

  it('gives no power where the counter went back, jumped or did not advance in time, and goes on after it', () => {
    const meter = new EnergyMeter();
    meter.watts(4_294_000_000, 0);
    expect(meter.watts(100_000, 1_000)).toEqual(unknown('the energy counter was reset'));
    expect(meter.watts(50_100_000, 2_000)).toBe(50);
    expect(meter.watts(50_100_000, 2_000)).toEqual(unknown('no time between two readings'));
    expect(meter.watts(Number.MAX_SAFE_INTEGER, 3_000)).toEqual(unknown('the energy counter jumped'));
  });
});

const intelGatherers = (root: string): readonly Gatherer[] => {
  const machine = machineForTest({ root });
  return [intelInventoryGatherer(machine), intelLoadGatherer(machine)];
};
