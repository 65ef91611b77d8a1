// Memory of GPUs that the kernel counts as the machine's, on machines whose GPUs are NUMA nodes.

import { describe, expect, it } from 'vitest';
import {
  findGpuNumaNodes,
  hostMemory,
  linuxMemoryGatherer,
} from '../../../src/gather/procfs/linux-memory-gatherer.ts';
import { type RecordedTree, recordedFiles } from '../../support/recorded-files.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { isReading, runForTest } from '../gatherer-run.ts';
import { machineForTest } from '../machine-for-test.ts';
import { filesAt, recordedTree } from '../recorded-tree.ts';

const AC922 = recordedTree('procfs/memory-ac922.json');

const memoryOf = async (...trees: readonly RecordedTree[]) => {
  const machine = machineForTest({ files: recordedFiles(trees) });
  await using run = runForTest([linuxMemoryGatherer(machine)], new VirtualClock());
  return (await run.waitFor(isReading('memory'), 'from start')).reading.value;
};

describe('memory of GPUs as NUMA nodes', () => {
  it('is left out of the memory of an AC922, and of what is available there', async () => {
    expect(await memoryOf(AC922)).toMatchObject({
      totalBytes: 270_122_090_496,
      // MemAvailable less the free memory of six GPUs.
      availableBytes: (346_254_144 - 6 * 15_728_576) * 1024,
      gpuNodeBytes: 96_636_764_160,
    });
  });

  it('is counted again when the driver takes it offline', async () => {
    const offline = Object.keys(AC922.files)
      .filter(path => path.endsWith('/numa_status'))
      .map(path => [`/${path}`, 'Node:      250\nStatus:    offline\n'] as const);
    const memory = await memoryOf(AC922, filesAt(Object.fromEntries(offline)));
    expect(memory.totalBytes).toBe(358_162_944 * 1024);
    expect(memory.gpuNodeBytes).toBe(0);
  });

  it('is found by the model of a Grace machine, whose driver names one of several nodes', () => {
    expect(
      nodesOf({
        ...NODES,
        '/proc/driver/nvidia/gpus/0009:01:00.0/information': 'Model: \t\t NVIDIA GH200 480GB\nIRQ: 1\n',
      }),
    ).toEqual([1, 2]);
  });

  it('is found by the device where the driver’s files cannot be seen', () => {
    const device = '/sys/bus/pci/devices/0009:01:00.0';
    expect(nodesOf({ ...NODES, [`${device}/vendor`]: '0x10de\n', [`${device}/device`]: '0x2941\n' })).toEqual(
      [1, 2],
    );
  });

  it('is not taken for memory of an expander or of the processor’s own, next to other GPUs', () => {
    expect(nodesOf(NODES)).toEqual([]);
    expect(
      nodesOf({
        ...NODES,
        '/proc/driver/nvidia/gpus/0000:17:00.0/information': 'Model: \t\t NVIDIA H100 80GB HBM3\n',
      }),
    ).toEqual([]);
  });

  it('is never a node with processors, for any report of a driver', () => {
    expect(
      nodesOf({
        ...NODES,
        '/proc/driver/nvidia/gpus/0009:01:00.0/numa_status': 'Node:      0\nStatus:    online\n',
      }),
    ).toEqual([]);
  });

  it('leaves no negative memory where a node is larger than the machine', () => {
    const info = { totalBytes: 100, availableBytes: 50, swapTotalBytes: 0, swapUsedBytes: 0 };
    expect(hostMemory(info, { totalBytes: 200, availableBytes: 200 })).toMatchObject({
      totalBytes: 0,
      availableBytes: 0,
    });
  });
});

/** A Grace machine's nodes: one with processors, two of memory alone. */
const NODES: Readonly<Record<string, string>> = {
  '/sys/devices/system/node/node0/cpulist': '0-71\n',
  '/sys/devices/system/node/node0/meminfo': 'Node 0 MemTotal: 490000000 kB\n',
  '/sys/devices/system/node/node1/cpulist': '\n',
  '/sys/devices/system/node/node1/meminfo': 'Node 1 MemTotal: 99000000 kB\n',
  '/sys/devices/system/node/node2/cpulist': '\n',
  '/sys/devices/system/node/node2/meminfo': 'Node 2 MemTotal: 0 kB\n',
};

const nodesOf = (files: Readonly<Record<string, string>>): readonly number[] =>
  findGpuNumaNodes(recordedFiles([filesAt(files)]));
