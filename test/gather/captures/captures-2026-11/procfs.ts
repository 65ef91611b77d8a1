// Files of /proc: processors, memory and mounts. The recordings have two processors of each kind, of however many the
// machine has, so the counts here are those of the file.

import { chooseVolumes } from '../../../../src/gather/mountinfo/choose-volumes.ts';
import { parseMountinfo } from '../../../../src/gather/mountinfo/parse-mountinfo.ts';
import { parseCpuinfo } from '../../../../src/gather/procfs/parse-cpuinfo.ts';
import { parseMeminfo } from '../../../../src/gather/procfs/parse-meminfo.ts';
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
