// A machine of one GPU by its memory: of the host, of the device, and what of each is in use.

import { applyAll } from '../../src/core/apply.ts';
import type { Event } from '../../src/core/event.ts';
import { eventClass, type Fact, factKey } from '../../src/core/event-kinds.ts';
import { nodeId } from '../../src/core/ids.ts';
import type { GpuDevice, GpuLoad } from '../../src/core/node/gpu.ts';
import { type NodeView, nodeView } from '../../src/core/node/node-view.ts';
import { EMPTY_STATE, type State } from '../../src/core/state.ts';
import { unknown } from '../../src/core/unknown.ts';

interface GpuMachineParts {
  readonly host: { readonly totalBytes: number; readonly availableBytes: number };
  readonly gpu: Pick<GpuDevice, 'memoryIsUnified' | 'memoryTotalBytes' | 'memoryReservedBytes'>;
  readonly load: Pick<GpuLoad, 'memoryUsedBytes' | 'memoryReservedUsedBytes'>;
}

export const gpuMachine = ({
  host,
  gpu,
  load,
}: GpuMachineParts): { readonly view: NodeView; readonly state: State } => {
  const origin = nodeId('a'.repeat(26));
  const none = unknown('not reported');
  const facts: readonly Fact[] = [
    {
      kind: 'memory.gathered',
      payload: {
        source: 'test',
        intervalMs: 500,
        value: {
          ...host,
          swapTotalBytes: 0,
          swapUsedBytes: 0,
          pressure: { level: 'normal', stalledShare: 0 },
          container: { kind: 'none' },
        },
      },
    },
    {
      kind: 'gpus.gathered',
      payload: {
        source: 'test',
        intervalMs: 30_000,
        value: {
          vendor: 'amd',
          devices: [
            {
              ...gpu,
              deviceId: 'gpu-0',
              index: 0,
              name: 'a GPU',
              driver: none,
              runtime: none,
              architecture: none,
              coreCount: none,
              pcieMax: none,
              powerLimitWatts: none,
              partitions: [],
            },
          ],
        },
      },
    },
    {
      kind: 'gpuLoads.gathered',
      payload: {
        source: 'test',
        intervalMs: 1_000,
        value: {
          vendor: 'amd',
          devices: [
            {
              ...load,
              deviceId: 'gpu-0',
              use: 0,
              temperatureCelsius: none,
              powerWatts: none,
              clockMhz: none,
              pcieNow: none,
              throttleReasons: [],
            },
          ],
        },
      },
    },
  ];
  const seqs = { durable: 0, live: 0 };
  const events = facts.map((fact): Event => {
    const kind = eventClass(fact.kind);
    seqs[kind] += 1;
    const head = { origin, epoch: 1, class: kind, key: factKey(fact), seq: seqs[kind] };
    return { ...head, ...fact, ageMs: 0, receivedAtMs: 0 };
  });
  const state = applyAll(EMPTY_STATE, events);
  return { view: nodeView(state, origin, 1), state };
};
