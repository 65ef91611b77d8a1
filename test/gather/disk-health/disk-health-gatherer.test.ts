import { expect, it } from 'vitest';
import { EVENT_KINDS } from '../../../src/core/event-kinds.ts';
import { isUnknown } from '../../../src/core/unknown.ts';
import { linuxDiskHealthGatherer } from '../../../src/gather/disk-health/linux-disk-health-gatherer.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { isReading, runForTest } from '../gatherer-run.ts';
import { FixtureTree } from '../gpu/fixture-tree.ts';
import { machineForTest } from '../machine-for-test.ts';

const gathered = async (tree: FixtureTree) => {
  await using run = runForTest(
    [linuxDiskHealthGatherer(machineForTest({ root: tree.root }))],
    new VirtualClock(),
  );
  const { reading } = await run.waitFor(isReading('diskHealth'), 'from start');
  return reading.value.disks;
};

it('reports temperature, limit and state of an NVMe and a SATA drive, and the worn life of an eMMC', async () => {
  await using tree = await FixtureTree.create();
  const nvme = 'sys/block/nvme0n1/device';
  await tree.write(`${nvme}/model`, 'Samsung SSD 990 PRO 2TB                 \n');
  await tree.write(`${nvme}/state`, 'live\n');
  await tree.write(`${nvme}/hwmon1/temp1_input`, '41850\n');
  await tree.write(`${nvme}/hwmon1/temp1_crit`, '84850\n');
  const sata = 'sys/block/sda/device';
  await tree.write(`${sata}/model`, 'WDC WD40EFRX-68N\n');
  await tree.write(`${sata}/state`, 'offline\n');
  await tree.write(`${sata}/hwmon/hwmon3/temp1_input`, '61000\n');
  await tree.write(`${sata}/hwmon/hwmon3/temp1_crit`, '60000\n');
  await tree.write('sys/block/mmcblk0/device/life_time', '0x02 0x0b\n');
  await tree.write('sys/block/loop0/size', '0\n');
  await tree.write('sys/block/vda/device/vendor', '0x1af4\n');
  const disks = await gathered(tree);
  expect(disks.map(({ name }) => name)).toEqual(['mmcblk0', 'nvme0n1', 'sda']);
  const [emmc, ssd, hdd] = disks;
  expect(ssd).toMatchObject({
    model: 'Samsung SSD 990 PRO 2TB',
    state: 'live',
    temperatureCelsius: 41.85,
    criticalCelsius: 84.85,
  });
  expect(ssd !== undefined && isUnknown(ssd.wornShare)).toBe(true);
  expect(hdd).toMatchObject({ state: 'offline', temperatureCelsius: 61, criticalCelsius: 60 });
  expect(emmc).toMatchObject({ wornShare: 1 });
  const shown = EVENT_KINDS['diskHealth.gathered'].table?.({ disks }, 0);
  expect(shown?.rows.map(({ cells }) => cells[0]?.level)).toEqual(['caution', undefined, 'caution']);
});

it('finds the sensor of an NVMe drive that several controllers lead to', async () => {
  await using tree = await FixtureTree.create();
  await tree.write('sys/block/nvme0n1/device/nvme2/hwmon/hwmon5/temp1_input', '38000\n');
  expect(await gathered(tree)).toMatchObject([{ name: 'nvme0n1', temperatureCelsius: 38 }]);
});

it('reports no disks where none exports its health, and reasons instead of implausible figures', async () => {
  await using tree = await FixtureTree.create();
  await tree.write('sys/block/vda/device/vendor', '0x1af4\n');
  expect(await gathered(tree)).toEqual([]);
  await tree.write('sys/block/mmcblk0/device/life_time', '0x00 0x00\n');
  await tree.write('sys/block/sda/device/state', 'running\n');
  await tree.write('sys/block/sda/device/hwmon/hwmon0/temp1_input', 'garbage\n');
  const disks = await gathered(tree);
  expect(disks.map(({ name }) => name)).toEqual(['sda']);
  expect(disks.every(disk => isUnknown(disk.temperatureCelsius) && isUnknown(disk.wornShare))).toBe(true);
});
