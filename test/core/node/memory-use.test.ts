// Whose memory is whose: cards, graphics in a processor with more or less set aside for them, and GPUs as NUMA nodes.

import { describe, expect, it } from 'vitest';
import { headroomDevices } from '../../../src/core/model/headroom-devices.ts';
import {
  gpuMemoryUseOf,
  hostMemoryUse,
  modelMemoryUse,
  ownMemoryGpus,
} from '../../../src/core/node/memory-use.ts';
import { clusterTotals } from '../../../src/core/totals.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { gpuMachine } from '../../support/gpu-machine.ts';

const GIB = 1024 ** 3;

describe('a processor with 96 GiB set aside for its graphics, of 128', () => {
  const machine = gpuMachine({
    host: { totalBytes: 31 * GIB, availableBytes: 26 * GIB },
    gpu: { memoryIsUnified: true, memoryTotalBytes: 96 * GIB, memoryReservedBytes: 96 * GIB },
    load: { memoryUsedBytes: 80 * GIB, memoryReservedUsedBytes: 80 * GIB },
  });

  it('holds models in those, and the host has the rest', () => {
    expect(modelMemoryUse(machine.view)).toEqual({ usedBytes: 80 * GIB, totalBytes: 96 * GIB });
    expect(gpuMemoryUseOf(machine.view)).toEqual({ usedBytes: 80 * GIB, totalBytes: 96 * GIB });
    expect(hostMemoryUse(machine.view)).toEqual({ usedBytes: 5 * GIB, totalBytes: 31 * GIB });
    expect(ownMemoryGpus(machine.view)).toHaveLength(1);
  });

  it('has headroom in those alone', () => {
    expect(headroomDevices(machine.view)).toMatchObject([
      { memoryBytes: 96 * GIB, memoryFreeBytes: 16 * GIB },
    ]);
  });

  it('adds both to the totals', () => {
    expect(clusterTotals(machine.state, 1)).toMatchObject({
      memoryTotalBytes: { sum: 127 * GIB, count: 2 },
      memoryUsedBytes: { sum: 85 * GIB },
    });
  });
});

describe('a processor with 4 GiB set aside, whose graphics may use 28 GiB of the host’s', () => {
  const machine = gpuMachine({
    host: { totalBytes: 28 * GIB, availableBytes: 20 * GIB },
    gpu: { memoryIsUnified: true, memoryTotalBytes: 32 * GIB, memoryReservedBytes: 4 * GIB },
    load: { memoryUsedBytes: 5 * GIB, memoryReservedUsedBytes: 3 * GIB },
  });

  it('counts the host’s part once', () => {
    // Of the 8 GiB that the host uses, 2 are the graphics'.
    expect(modelMemoryUse(machine.view)).toEqual({ usedBytes: 11 * GIB, totalBytes: 32 * GIB });
    expect(hostMemoryUse(machine.view)).toEqual({ usedBytes: 8 * GIB, totalBytes: 28 * GIB });
    expect(ownMemoryGpus(machine.view)).toEqual([]);
    expect(clusterTotals(machine.state, 1)).toMatchObject({
      memoryTotalBytes: { sum: 32 * GIB },
      memoryUsedBytes: { sum: 11 * GIB },
    });
  });

  it('has headroom in both, and free what other programs leave of the host', () => {
    // 1 GiB of what is set aside, and the 20 GiB that the host has available of the 26 that the driver still allows.
    expect(headroomDevices(machine.view)).toMatchObject([
      { memoryBytes: 32 * GIB, memoryFreeBytes: 21 * GIB },
    ]);
  });
});

describe('an accelerator that has no memory of its own (MI300A)', () => {
  const machine = gpuMachine({
    host: { totalBytes: 500 * GIB, availableBytes: 400 * GIB },
    gpu: { memoryIsUnified: true, memoryTotalBytes: 120 * GIB, memoryReservedBytes: 0 },
    load: { memoryUsedBytes: 20 * GIB, memoryReservedUsedBytes: 0 },
  });

  it('adds nothing to the host, and has the headroom that its driver allows', () => {
    expect(clusterTotals(machine.state, 1).memoryTotalBytes).toMatchObject({ sum: 500 * GIB, count: 1 });
    expect(modelMemoryUse(machine.view)).toEqual({ usedBytes: 100 * GIB, totalBytes: 500 * GIB });
    expect(headroomDevices(machine.view)).toMatchObject([
      { memoryBytes: 120 * GIB, memoryFreeBytes: 100 * GIB },
    ]);
  });
});

describe('a GPU whose driver does not report how much of the host’s memory it can use', () => {
  it('has the headroom of the host', () => {
    const { view, state } = gpuMachine({
      host: { totalBytes: 120 * GIB, availableBytes: 100 * GIB },
      gpu: { memoryIsUnified: true, memoryTotalBytes: unknown('unified memory') },
      load: { memoryUsedBytes: unknown('unified memory') },
    });
    expect(headroomDevices(view)).toMatchObject([{ memoryBytes: 120 * GIB, memoryFreeBytes: 100 * GIB }]);
    expect(clusterTotals(state, 1).memoryTotalBytes).toMatchObject({ sum: 120 * GIB, count: 1 });
  });
});

describe('a card', () => {
  it('has its own memory next to the host’s', () => {
    const { view, state } = gpuMachine({
      host: { totalBytes: 64 * GIB, availableBytes: 60 * GIB },
      gpu: { memoryIsUnified: false, memoryTotalBytes: 24 * GIB },
      load: { memoryUsedBytes: 4 * GIB },
    });
    expect(modelMemoryUse(view)).toEqual({ usedBytes: 4 * GIB, totalBytes: 24 * GIB });
    expect(headroomDevices(view)).toMatchObject([{ memoryBytes: 24 * GIB, memoryFreeBytes: 20 * GIB }]);
    expect(clusterTotals(state, 1)).toMatchObject({
      memoryTotalBytes: { sum: 88 * GIB },
      memoryUsedBytes: { sum: 8 * GIB },
    });
  });
});
