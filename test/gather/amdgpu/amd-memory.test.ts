import { describe, expect, it } from 'vitest';
import { unknown } from '../../../src/core/unknown.ts';
import { type AmdMemoryEvidence, amdMemory, sharedMemory } from '../../../src/gather/amdgpu/amd-memory.ts';
import { amdgpuInventoryGatherer } from '../../../src/gather/amdgpu/amdgpu-inventory-gatherer.ts';
import { amdgpuLoadGatherer } from '../../../src/gather/amdgpu/amdgpu-load-gatherer.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { FixtureTree, treeFixture } from '../gpu/fixture-tree.ts';
import { GathererRun, isInventory, isLoads } from '../gpu/gatherer-run.ts';
import { machineForTest } from '../machine-for-test.ts';

const NOTHING: AmdMemoryEvidence = {
  device: 0x15bf,
  metricsFormat: undefined,
  hasNorthBridge: false,
  hasReplayCount: false,
  isRadeon: false,
  isOnRootBus: false,
  isAsleep: false,
};

describe('the memory of a GPU of AMD', () => {
  it.each<[string, Partial<AmdMemoryEvidence>, ReturnType<typeof amdMemory>]>([
    ['its own by the metrics of a card', { metricsFormat: 1 }, 'own'],
    ['shared by the metrics of a processor', { metricsFormat: 2 }, 'shared'],
    ['shared by those of newer ones', { metricsFormat: 3 }, 'shared'],
    [
      'shared in an MI300A, whose metrics are those of a card',
      { device: 0x74a0, metricsFormat: 1 },
      'shared',
    ],
    ['shared in an MI300A without metrics', { device: 0x74a0 }, 'shared'],
    ['its own in an MI300X', { device: 0x74a1, metricsFormat: 1 }, 'own'],
    [
      'shared in an older processor, by its north bridge',
      { hasNorthBridge: true, hasReplayCount: true },
      'shared',
    ],
    ['its own in an older card, by its link', { hasReplayCount: true }, 'own'],
    ['its own in a card on the driver radeon', { isRadeon: true }, 'own'],
    ['shared in a processor on the driver radeon', { isRadeon: true, isOnRootBus: true }, 'shared'],
    ['its own if it is asleep', { isAsleep: true, hasNorthBridge: true }, 'own'],
    ['not known without any of these', {}, 'undetermined'],
    ['not known by metrics of no known format', { metricsFormat: 0xff }, 'undetermined'],
  ])('is %s', (_, evidence, expected) => {
    expect(amdMemory({ ...NOTHING, ...evidence })).toBe(expected);
  });
});

describe('what graphics in a processor can use', () => {
  it('is what is set aside and what the driver allows of the host', () => {
    expect(sharedMemory({ reservedBytes: 4, gttBytes: 28, hostBytes: 30 })).toEqual({
      totalBytes: 32,
      reservedBytes: 4,
      isReservedOnly: false,
    });
  });

  it('is no more of the host than it has', () => {
    expect(sharedMemory({ reservedBytes: 4, gttBytes: 90, hostBytes: 28 }).totalBytes).toBe(32);
  });

  it('is what is set aside alone if that is more than the host can give', () => {
    expect(sharedMemory({ reservedBytes: 96, gttBytes: 105, hostBytes: 31 })).toEqual({
      totalBytes: 96,
      reservedBytes: 96,
      isReservedOnly: true,
    });
    expect(sharedMemory({ reservedBytes: 64, gttBytes: 31, hostBytes: 62 })).toMatchObject({
      totalBytes: 64,
      isReservedOnly: true,
    });
  });

  it('is what the driver allows if the host’s memory cannot be read', () => {
    expect(
      sharedMemory({ reservedBytes: 4, gttBytes: 28, hostBytes: unknown('no /proc/meminfo') }).totalBytes,
    ).toBe(32);
  });

  it('is not known if the driver reports no limit', () => {
    expect(sharedMemory({ reservedBytes: 4, gttBytes: unknown('not reported'), hostBytes: 30 })).toEqual({
      totalBytes: unknown('unified memory'),
      reservedBytes: 4,
      isReservedOnly: false,
    });
  });
});

describe('the AMD gatherers', () => {
  it('give each of several MI300A its part of the one memory', async () => {
    await using tree = await FixtureTree.create();
    for (const slot of [1, 2, 3, 4]) {
      const device = `sys/class/drm/card${slot}/device`;
      await tree.write(
        `${device}/uevent`,
        `DRIVER=amdgpu\nPCI_ID=1002:74A0\nPCI_SLOT_NAME=000${slot}:01:00.0\n`,
      );
      await tree.write(`${device}/mem_info_vram_total`, '0\n');
      await tree.write(`${device}/mem_info_gtt_total`, '404478246912\n');
    }
    await tree.write('proc/meminfo', 'MemTotal:       527000000 kB\n');
    await using run = runOn(tree);
    const { devices } = await run.until(isInventory);
    expect(devices.map(({ memoryTotalBytes }) => memoryTotalBytes)).toEqual(
      Array(4).fill(131_750_000 * 1_024),
    );
  });

  it('give graphics with most of the memory reserved only that memory, although the driver may use more', async () => {
    await using tree = await FixtureTree.create(treeFixture('strix-halo-96-gib'));
    await using run = runOn(tree);
    expect((await run.until(isInventory)).devices).toMatchObject([
      {
        memoryIsUnified: true,
        memoryTotalBytes: 103_079_215_104,
        memoryReservedBytes: 103_079_215_104,
      },
    ]);
    expect((await run.until(isLoads)).devices).toMatchObject([{ memoryUsedBytes: 85_899_345_920 }]);
  });

  it('take an MI300A for one that has no memory of its own', async () => {
    await using tree = await FixtureTree.create(treeFixture('strix-apu'));
    await tree.write(`${APU}/uevent`, 'DRIVER=amdgpu\nPCI_ID=1002:74A0\nPCI_SLOT_NAME=0000:c4:00.0\n');
    await tree.write(`${APU}/gpu_metrics`, new Uint8Array([0xf0, 0x01, 0x01, 0x06]));
    await tree.write(`${APU}/mem_info_vram_total`, '0\n');
    await tree.write(`${APU}/mem_info_gtt_total`, '130000000000\n');
    await tree.write('proc/meminfo', 'MemTotal:       490000000 kB\n');
    await using run = runOn(tree);
    expect((await run.until(isInventory)).devices).toMatchObject([
      { memoryIsUnified: true, memoryTotalBytes: 130_000_000_000, memoryReservedBytes: 0 },
    ]);
  });
});

const APU = 'sys/devices/pci0000:00/0000:00:08.1/0000:c4:00.0';

const runOn = ({ root }: FixtureTree): GathererRun => {
  const machine = machineForTest({ root });
  return new GathererRun([amdgpuInventoryGatherer(machine), amdgpuLoadGatherer(machine)], new VirtualClock());
};
