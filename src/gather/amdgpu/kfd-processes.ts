// The processes that compute on a GPU according to the compute driver: /sys/class/kfd/kfd/proc/PID/vram_GPUID, bytes (Linux 5.9,
// drivers/gpu/drm/amd/amdkfd/kfd_process.c). Every user may read it, so servers of other users are reported too.

import { join } from 'node:path';
import { isUnknown } from '../../core/unknown.ts';
import { readableNames, sysfsNumber, sysfsText } from '../drm/sysfs-file.ts';
import { parseKfdNode } from './kfd-topology.ts';

/** Bytes by pid, by slot ("0000:05:00"); undefined where the compute driver is not there. */
export const readKfdProcesses = async (
  root: string,
): Promise<ReadonlyMap<string, ReadonlyMap<number, number>> | undefined> => {
  const kfd = join(root, 'sys/class/kfd/kfd');
  const pids = await readableNames(join(kfd, 'proc'));
  if (pids === undefined) return undefined;
  const nodes = join(kfd, 'topology/nodes');
  const slots = new Map<string, string>();
  for (const name of ((await readableNames(nodes)) ?? []).slice(0, NODES_MAX)) {
    const [gpuId, properties] = await Promise.all([
      sysfsText(join(nodes, name, 'gpu_id')),
      sysfsText(join(nodes, name, 'properties')),
    ]);
    const node = isUnknown(properties) ? undefined : parseKfdNode(properties);
    if (!isUnknown(gpuId) && node !== undefined) slots.set(gpuId, node.slot);
  }
  const bySlot = new Map<string, Map<number, number>>([...slots.values()].map(slot => [slot, new Map()]));
  for (const pid of pids.filter(name => /^[1-9]\d{0,9}$/.test(name)).slice(0, PROCESSES_MAX)) {
    for (const [gpuId, slot] of slots) {
      const bytes = await sysfsNumber(join(kfd, 'proc', pid, `vram_${gpuId}`));
      // A process has a figure for each card; it holds those that are not 0.
      if (isUnknown(bytes) || bytes <= 0) continue;
      const held = bySlot.get(slot) ?? new Map<number, number>();
      held.set(Number(pid), (held.get(Number(pid)) ?? 0) + bytes);
      bySlot.set(slot, held);
    }
  }
  return bySlot;
};

const NODES_MAX = 256;
const PROCESSES_MAX = 4_096;
