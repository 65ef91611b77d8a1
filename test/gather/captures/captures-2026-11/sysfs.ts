// Files of /sys: firmware names, network interfaces and RDMA devices.

import { connectionCarrier } from '../../../../src/core/link/connection-type.ts';
import { linuxIdentityGatherer } from '../../../../src/gather/dmi/linux-identity-gatherer.ts';
import { readSysfsRdma } from '../../../../src/gather/infiniband/linux-rdma-gatherer.ts';
import { readInterfaces } from '../../../../src/gather/ip/read-interfaces.ts';
import { type RecordedTree, recordedFiles } from '../../../support/recorded-files.ts';
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
    file: 'sysfs/class-net-proxmox-bridge-with-vm.json',
    expected: { carrier: 'ethernet', rate: 10e9 },
    read: async text => {
      const files = recordedFiles([treeOf(text)]);
      const names = files.namesNow('/sys/class/net');
      if ('kind' in names) return names.reason;
      const interfaces = await readInterfaces(files, names, new Map());
      const { type, negotiatedBitsPerSecond } = connectionCarrier('vmbr0', {
        network: { interfaces },
        thunderbolt: undefined,
      });
      return { carrier: type, rate: negotiatedBitsPerSecond };
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
