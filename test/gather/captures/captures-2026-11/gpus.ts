// The kernel's log, rocm-smi, and Intel's cards in sysfs.

import { isKnown } from '../../../../src/core/unknown.ts';
import { parseRocmSmi } from '../../../../src/gather/amd-smi/amd-tool.ts';
import { jsonDocuments } from '../../../../src/gather/amd-smi/tool-json.ts';
import { intelInventoryGatherer, intelLoadGatherer } from '../../../../src/gather/intel/intel-gatherers.ts';
import { parseXid } from '../../../../src/gather/kmsg/parse-xid.ts';
import type { RecordedTree } from '../../../support/recorded-files.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';
import { isReading, runForTest } from '../../gatherer-run.ts';
import { FixtureTree } from '../../gpu/fixture-tree.ts';
import { machineForTest } from '../../machine-for-test.ts';
import { type CaptureRow, rowsReadBy } from './capture-row.ts';

const readRocm = (text: string): unknown => {
  const cards = jsonDocuments(text).flatMap(parseRocmSmi);
  const [first] = cards;
  return [cards.length, first?.name, first?.address, first?.powerLimitWatts, first?.memoryTotalBytes];
};

const readIntel = async (text: string): Promise<unknown> => {
  const { root, files }: RecordedTree = JSON.parse(text);
  await using tree = await FixtureTree.create();
  for (const [path, content] of Object.entries(files)) await tree.write(`${root}/${path}`, content);
  const machine = machineForTest({ root: tree.root });
  const gatherers = [intelInventoryGatherer(machine), intelLoadGatherer(machine)];
  await using run = runForTest(gatherers, new VirtualClock());
  const [device] = (await run.waitFor(isReading('gpus'), 'from start')).reading.value.devices;
  const [load] = (await run.waitFor(isReading('gpuLoads'), 'from start')).reading.value.devices;
  const { deviceId, name, driver, memoryIsUnified, memoryTotalBytes, powerLimitWatts } = device ?? {};
  const known = { driver, memoryTotalBytes, powerLimitWatts, temperatureCelsius: load?.temperatureCelsius };
  return {
    deviceId,
    name,
    memoryIsUnified,
    clockMhz: load?.clockMhz,
    ...Object.fromEntries(
      Object.entries(known).filter(([, figure]) => figure !== undefined && isKnown(figure)),
    ),
  };
};

export const gpuRows: readonly CaptureRow[] = [
  {
    file: 'kmsg/nvlink5-gsp-and-nvswitch-errors.txt',
    expected: { xids: [149, 145, 149, 119, 13, 79, 154], sxids: [20_034, 12_028] },
    read: text => {
      const logged = text.split('\n').flatMap(line => parseXid(line) ?? []);
      const of = (kind: string) => logged.filter(error => error.kind === kind).map(({ xid }) => xid);
      return { xids: of('xid'), sxids: of('sxid') };
    },
  },
  ...rowsReadBy(readIntel, {
    'sysfs-drm/intel-arc-a380-i915.json': {
      deviceId: '0000:0b:00.0',
      name: 'Intel Arc A380',
      driver: 'i915',
      memoryIsUnified: false,
      memoryTotalBytes: 6 * 1_024 ** 3,
      powerLimitWatts: 55,
      temperatureCelsius: 55,
      clockMhz: 600,
    },
    // Sysfs does not report its memory size; the data sheet states 12 GB.
    'sysfs-drm/intel-arc-b580-xe-6.16.json': {
      deviceId: '0000:0b:00.0',
      name: 'Intel Arc B580',
      driver: 'xe',
      memoryIsUnified: false,
      memoryTotalBytes: 12 * 1_024 ** 3,
      temperatureCelsius: 46,
      clockMhz: 400,
    },
    'sysfs-drm/intel-tiger-lake-xe.json': {
      deviceId: '0000:00:02.0',
      name: 'Intel Iris Xe Graphics (Tiger Lake)',
      driver: 'xe',
      memoryIsUnified: true,
      clockMhz: 0,
    },
  }),
  ...rowsReadBy(readRocm, {
    'rocm-smi/mi100-rocm602.json': [
      4,
      'Arcturus GL-XL [Instinct MI100]',
      '0000:83:00.0',
      290,
      34_342_961_152,
    ],
    'rocm-smi/rx6700xt-rocm602.json': [
      1,
      'Navi 22 [Radeon RX 6700/6700 XT / 6800M]',
      '0000:07:00.0',
      211,
      12_868_124_672,
    ],
    'rocm-smi/rx6700xt-rocm612.json': [
      1,
      'Navi 22 [Radeon RX 6700/6700 XT / 6800M]',
      '0000:07:00.0',
      211,
      12_868_124_672,
    ],
    'rocm-smi/vega-10-xt.json': [1, undefined, '0000:04:00.0', 170, 17_163_091_968],
  }),
];
