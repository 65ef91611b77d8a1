// Files of /proc: processors, memory and mounts. The recordings have two processors of each kind, of however many the
// machine has, so the counts here are those of the file.

import { chooseVolumes } from '../../../../src/gather/mountinfo/linux-disk-gatherer.ts';
import { parseMountinfo } from '../../../../src/gather/mountinfo/parse-mountinfo.ts';
import { linuxMemoryGatherer } from '../../../../src/gather/procfs/linux-memory-gatherer.ts';
import { parseCpuinfo } from '../../../../src/gather/procfs/parse-cpuinfo.ts';
import { parseMeminfo } from '../../../../src/gather/procfs/parse-meminfo.ts';
import { type RecordedTree, recordedFiles } from '../../../support/recorded-files.ts';
import { isReading, runForTest } from '../../gatherer-run.ts';
import { machineForTest } from '../../machine-for-test.ts';
import { type CaptureRow, rowsReadBy } from './capture-row.ts';

export const procfsRows: readonly CaptureRow[] = [
  ...rowsReadBy(text => parseCpuinfo(text).chip, {
    'procfs/cpuinfo-asahi-m1-max.txt': 'Apple M1 Max (2 × Firestorm, 2 × Icestorm)',
    'procfs/cpuinfo-graviton4.txt': '2 × Neoverse-V2',
    'procfs/cpuinfo-jetson-agx-xavier.txt': '2 × Carmel',
    'procfs/cpuinfo-milk-v-pioneer.txt': '4 × T-Head rv64imafdcv',
    'procfs/cpuinfo-power7.txt': 'POWER7',
    'procfs/cpuinfo-snapdragon-x2-elite.txt': '2 × Oryon',
  }),
  {
    file: 'procfs/meminfo-strix-halo-96gib-carve-out.txt',
    expected: 33_376_636_928,
    read: text => parseMeminfo(text).totalBytes,
  },
  {
    file: 'procfs/memory-of-gpus-as-numa-nodes-ac922.json',
    expected: { hostBytes: 270_122_090_496, gpuBytes: 96_636_764_160 },
    read: async text => {
      const tree: RecordedTree = JSON.parse(text);
      await using run = runForTest([linuxMemoryGatherer(machineForTest({ files: recordedFiles([tree]) }))]);
      const { reading } = await run.waitFor(isReading('memory'), 'from start');
      return { hostBytes: reading.value.totalBytes, gpuBytes: reading.value.gpuNodeBytes };
    },
  },
  {
    file: 'procfs/mountinfo-lxc-h100-node.txt',
    expected: [
      '/',
      '/mnt/local-volume/vol-0',
      '/mnt/remote-volume/dev (remote)',
      '/mnt/remote-volume/training (remote)',
      '/mnt/site-cache/vol-0',
      '/mnt/site-cache/vol-1',
      '/mnt/site-cache/vol-2',
      '/mnt/site-cache/vol-3',
      '/mnt/site-cache/vol-4',
      '/var/lib/juicefs/volume/pv-volume-0 (remote)',
    ],
    read: text =>
      chooseVolumes(parseMountinfo(text)).map(
        ({ mountPoint, isRemote }) => `${mountPoint}${isRemote ? ' (remote)' : ''}`,
      ),
  },
];
