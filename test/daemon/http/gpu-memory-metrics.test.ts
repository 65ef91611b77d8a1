// Memory of GPUs in /metrics: sums over hosts and GPUs count nothing twice.

import { describe, expect, it } from 'vitest';
import { MetricPage } from '../../../src/daemon/http/metrics/metric-page.ts';
import { addNodeMetrics } from '../../../src/daemon/http/metrics/node-metrics.ts';
import { gpuMachine } from '../../support/gpu-machine.ts';

const series = (parts: Parameters<typeof gpuMachine>[0]): readonly string[] => {
  const page = new MetricPage(1);
  addNodeMetrics(page, gpuMachine(parts).view, { nowMs: 1, isShort: false });
  return page
    .text('prometheus')
    .split('\n')
    .filter(line => line.startsWith('plimsoll_gpu_memory_'))
    .map(line => line.replace(/node="[^"]*",name="[^"]*",/, ''));
};

const host = { totalBytes: 28, availableBytes: 20 };

describe('the memory of a GPU in /metrics', () => {
  it('is its total where it is apart from the host’s', () => {
    expect(
      series({
        host,
        gpu: { memoryIsUnified: false, memoryTotalBytes: 24, memoryReservedBytes: 0 },
        load: { memoryUsedBytes: 4 },
      }),
    ).toEqual([
      'plimsoll_gpu_memory_total_bytes{device="gpu-0"} 24',
      'plimsoll_gpu_memory_used_bytes{device="gpu-0"} 4',
    ]);
  });

  it('is what it can use, and what is set aside, where it shares the host’s', () => {
    expect(
      series({
        host,
        gpu: { memoryIsUnified: true, memoryTotalBytes: 32, memoryReservedBytes: 4 },
        load: { memoryUsedBytes: 5, memoryReservedUsedBytes: 3 },
      }),
    ).toEqual([
      'plimsoll_gpu_memory_usable_bytes{device="gpu-0"} 32',
      'plimsoll_gpu_memory_reserved_bytes{device="gpu-0"} 4',
      'plimsoll_gpu_memory_used_bytes{device="gpu-0"} 5',
    ]);
  });

  it('is a total where all that it can use is set aside', () => {
    expect(
      series({
        host,
        gpu: { memoryIsUnified: true, memoryTotalBytes: 96, memoryReservedBytes: 96 },
        load: { memoryUsedBytes: 80, memoryReservedUsedBytes: 80 },
      }),
    ).toContain('plimsoll_gpu_memory_total_bytes{device="gpu-0"} 96');
  });
});
