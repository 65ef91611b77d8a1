// Cards of amdgpu under /sys/class/drm: what they are, what they do, and whose memory they use.

import { isKnown } from '../../../../src/core/unknown.ts';
import { amdgpuInventoryGatherer } from '../../../../src/gather/amdgpu/amdgpu-inventory-gatherer.ts';
import { amdgpuLoadGatherer } from '../../../../src/gather/amdgpu/amdgpu-load-gatherer.ts';
import { findGpuMemories, memoryIsUnified } from '../../../../src/gather/dmi/memory-sharing.ts';
import { type RecordedTree, recordedFiles } from '../../../support/recorded-files.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';
import { isReading, runForTest } from '../../gatherer-run.ts';
import { FixtureTree } from '../../gpu/fixture-tree.ts';
import { machineForTest } from '../../machine-for-test.ts';
import { type CaptureRow, rowsReadBy } from './capture-row.ts';

const readCard = async (text: string, meminfo?: string): Promise<unknown> => {
  const drm: RecordedTree = JSON.parse(text);
  await using tree = await plantedDrm(drm);
  if (meminfo !== undefined) await tree.write('proc/meminfo', meminfo);
  const machine = machineForTest({ root: tree.root });
  const gatherers = [amdgpuInventoryGatherer(machine), amdgpuLoadGatherer(machine)];
  await using run = runForTest(gatherers, new VirtualClock());
  const [device] = (await run.waitFor(isReading('gpus'), 'from start')).reading.value.devices;
  const [load] = (await run.waitFor(isReading('gpuLoads'), 'from start')).reading.value.devices;
  const [health] = (await run.waitFor(isReading('gpuHealths'), 'from start')).reading.value.devices;
  const { deviceId, name, memoryIsUnified: unified, memoryTotalBytes: total } = device ?? {};
  const { pcieMax, powerLimitWatts, memoryReservedBytes: own } = device ?? {};
  const { use, memoryUsedBytes: used, temperatureCelsius, powerWatts } = load ?? {};
  const figures = {
    name,
    use,
    temperatureCelsius,
    powerWatts,
    powerLimitWatts,
    pcieMax,
    total,
    own,
    used,
    replays: health?.pcieReplays,
  };
  return {
    deviceId,
    unified,
    identityIsUnified: memoryIsUnified(await findGpuMemories(recordedFiles([asPciDevice(drm)]))),
    ...Object.fromEntries(
      Object.entries(figures).filter(([, figure]) => figure !== undefined && isKnown(figure)),
    ),
  };
};

export const amdgpuRows: readonly CaptureRow[] = [
  ...rowsReadBy(text => readCard(text), {
    'sysfs-drm/amd-phoenix-4gib-carve-out.json': {
      deviceId: '0000:64:00.0',
      name: 'AMD GPU 0x15bf',
      unified: true,
      identityIsUnified: true,
      use: 0,
      temperatureCelsius: 25,
      powerWatts: 3.103,
      own: 4_294_967_296,
      total: 4_294_967_296 + 31_433_977_856,
      used: 1_484_292_096,
    },
    'sysfs-drm/amd-r7-240.json': {
      deviceId: '0000:01:00.0',
      name: 'AMD GPU 0x6617',
      unified: false,
      identityIsUnified: false,
      temperatureCelsius: 52,
      pcieMax: { generation: 3, width: 8 },
      own: 0,
      total: 2_147_483_648,
      used: 495_321_088,
      replays: 0,
    },
    'sysfs-drm/amd-rx-580.json': {
      deviceId: '0000:09:00.0',
      name: 'AMD GPU 0x67df',
      unified: false,
      identityIsUnified: false,
      use: 0.11,
      temperatureCelsius: 44,
      powerWatts: 41.045,
      powerLimitWatts: 155,
      pcieMax: { generation: 3, width: 16 },
      own: 0,
      total: 4_294_967_296,
      used: 536_870_912,
      replays: 3,
    },
    'sysfs-drm/amd-strix-point.json': {
      deviceId: '0000:c1:00.0',
      name: 'AMD GPU 0x150e',
      unified: true,
      identityIsUnified: true,
      use: 0.03,
      temperatureCelsius: 38,
      powerWatts: 9.087,
      own: 536_870_912,
      total: 536_870_912 + 16_441_004_032,
      used: 4_461_391_872,
    },
  }),
  {
    file: 'sysfs-drm/amd-strix-halo-96gib-carve-out.json',
    expected: {
      deviceId: '0000:c5:00.0',
      name: 'AMD GPU 0x1586',
      unified: true,
      identityIsUnified: true,
      use: 0.03,
      own: 103_079_215_104,
      total: 103_079_215_104,
      used: 85_899_345_920,
    },
    read: (text, recording) => readCard(text, recording('procfs/meminfo-strix-halo-96gib-carve-out.txt')),
  },
];

/** In bytes: gpu_metrics is binary. */
const plantedDrm = async ({ root, files }: RecordedTree): Promise<FixtureTree> => {
  const tree = await FixtureTree.create();
  for (const [path, content] of Object.entries(files))
    await tree.write(`${root.slice(1)}/${path}`, Buffer.from(content, 'latin1'));
  return tree;
};

/** The same device where the identity of the machine looks for it. */
const asPciDevice = ({ files }: RecordedTree): RecordedTree => ({
  root: '/sys/bus/pci/devices',
  files: Object.fromEntries(
    Object.entries(files).map(([path, text]) => [path.replace(/^card\d+\/device/, '0000:0f:00.0'), text]),
  ),
});
