// Files of /sys: firmware names, network interfaces and RDMA devices.

import { linuxIdentityGatherer } from '../../../../src/gather/dmi/linux-identity-gatherer.ts';
import { readSysfsRdma } from '../../../../src/gather/infiniband/linux-rdma-gatherer.ts';
import type { RecordedTree } from '../../../../src/gather/recorded-files.ts';
import { recordedFiles } from '../../../../src/gather/recorded-files.ts';
import { isReading, runForTest } from '../../gatherer-run.ts';
import { machineForTest } from '../../machine-for-test.ts';
import type { CaptureRow } from './capture-row.ts';

export const sysfsRows: readonly CaptureRow[] = [
  {
    file: 'dmi/dgx-spark-gb10-tree.json',
    expected: { model: 'NVIDIA DGX Spark', chip: '10 × Cortex-X925, 10 × Cortex-A725', cpuCount: 20 },
    read: async text => {
      const machine = machineForTest({ files: recordedFiles([treeOf(text)]) });
      await using run = runForTest([linuxIdentityGatherer(machine)]);
      const { reading } = await run.waitFor(isReading('identity'), 'from start');
      const { model, chip, cpuCount } = reading.value;
      return { model, chip, cpuCount };
    },
  },
  {
    file: 'sysfs/infiniband-h100-node-with-roce-bond.json',
    expected: {
      mlx5_0: ['infiniband', 400e9],
      mlx5_1: ['infiniband', 400e9],
      mlx5_4: ['infiniband', 400e9],
      mlx5_bond_0: ['ethernet', 200e9],
    },
    read: async text => {
      const { devices } = await readSysfsRdma(recordedFiles([treeOf(text)]));
      return Object.fromEntries(
        devices.map(({ name, ports }) => [name, [ports[0]?.linkLayer, ports[0]?.rateBitsPerSecond]]),
      );
    },
  },
];

const treeOf = (text: string): RecordedTree => JSON.parse(text);
