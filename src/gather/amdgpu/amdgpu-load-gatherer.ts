// Load of the AMD devices: from sysfs, without a process.

import type { GpuProcess } from '../../core/node/gpu.ts';
import { isUnknown, type Reported, unknown } from '../../core/unknown.ts';
import { drmProcesses, readDrmClients } from '../drm/drm-clients.ts';
import { readableNames, sysfsNumber, sysfsText } from '../drm/sysfs-file.ts';
import type { Gatherer, GatherSession } from '../gatherer.ts';
import type { MachineAccess } from '../machine-access.ts';
import { below, type MachinePath } from '../machine-path.ts';
import { poll } from '../poll.ts';
import { type AmdCard, findAmdCards } from './amd-card.ts';
import { amdIsHere } from './amdgpu-inventory-gatherer.ts';
import { parseKfdNode } from './kfd-topology.ts';
import { isMute, readAmdLoad } from './read-amd-load.ts';

export const amdgpuLoadGatherer = (machine: MachineAccess): Gatherer => ({
  name: 'amd-loads',
  reports: [KIND],
  intervalMs: machine.intervals.gpuMs,
  gather: async session => {
    if (await amdIsHere(machine, session, [KIND])) await pollSysfs(machine, session);
  },
});

const pollSysfs = async (machine: MachineAccess, session: GatherSession): Promise<void> => {
  let cards: readonly AmdCard[] = [];
  let processes: CardProcesses = new Map();
  let foundAtMs = Number.NEGATIVE_INFINITY;
  let processesAtMs = Number.NEGATIVE_INFINITY;
  await poll(session, machine.intervals.gpuMs, async () => {
    if (session.clock.nowMs() - foundAtMs >= machine.intervals.identityMs) {
      cards = await findAmdCards(machine.root);
      foundAtMs = session.clock.nowMs();
    }
    // Every process of the machine is looked at: not more often because a card stays mute.
    if (session.clock.nowMs() - processesAtMs >= machine.intervals.identityMs) {
      processes = await processesOn(machine.root, cards);
      processesAtMs = session.clock.nowMs();
    }
    const loads = await Promise.all(cards.map(readAmdLoad));
    const devices = loads.map(load => ({ ...load, processes: processes.get(load.deviceId) ?? NOT_LISTED }));
    if (devices.some(isMute)) foundAtMs = Number.NEGATIVE_INFINITY; // perhaps gone: look again before the next tick
    session.emit(SYSFS, { kind: 'gpuLoads', value: { vendor: 'amd', devices } });
  });
};

type CardProcesses = ReadonlyMap<string, Reported<readonly GpuProcess[]>>;

/** By address: of both accounts, the compute driver's and that of open files. */
const processesOn = async (root: MachinePath, cards: readonly AmdCard[]): Promise<CardProcesses> => {
  const clients = await readDrmClients(root);
  const computing = await readKfdProcesses(root);
  const all = await Promise.all(
    cards.map(async card => {
      const more = computing?.get(card.address.replace(/\.\d+$/, ''));
      return [
        card.address,
        await drmProcesses(root, clients, { ...card, isIntegrated: card.shared !== undefined, more }),
      ] as const;
    }),
  );
  return new Map(all);
};

const NOT_LISTED = unknown('the card was not there when processes were read');
const SYSFS = 'sysfs amdgpu';
const KIND = { reading: 'gpuLoads', vendor: 'amd' } as const;

// The processes that compute on a GPU according to the compute driver: /sys/class/kfd/kfd/proc/PID/vram_GPUID, bytes (Linux 5.9,
// drivers/gpu/drm/amd/amdkfd/kfd_process.c). Every user may read it, so servers of other users are reported too.

/** Bytes by pid, by slot ("0000:05:00"); undefined where the compute driver is not there. */
export const readKfdProcesses = async (
  root: MachinePath,
): Promise<ReadonlyMap<string, ReadonlyMap<number, number>> | undefined> => {
  const kfd = below(root, 'sys/class/kfd/kfd');
  const pids = await readableNames(below(kfd, 'proc'));
  if (pids === undefined) return undefined;
  const nodes = below(kfd, 'topology/nodes');
  const slots = new Map<string, string>();
  for (const name of ((await readableNames(nodes)) ?? []).slice(0, NODES_MAX)) {
    const [gpuId, properties] = await Promise.all([
      sysfsText(below(nodes, name, 'gpu_id')),
      sysfsText(below(nodes, name, 'properties')),
    ]);
    const node = isUnknown(properties) ? undefined : parseKfdNode(properties);
    if (!isUnknown(gpuId) && node !== undefined) slots.set(gpuId, node.slot);
  }
  const bySlot = new Map<string, Map<number, number>>([...slots.values()].map(slot => [slot, new Map()]));
  for (const pid of pids.filter(name => /^[1-9]\d{0,9}$/.test(name)).slice(0, PROCESSES_MAX)) {
    for (const [gpuId, slot] of slots) {
      const bytes = await sysfsNumber(below(kfd, 'proc', pid, `vram_${gpuId}`));
      // A process has a figure for each card; it holds those that are not 0.
      if (isUnknown(bytes) || bytes <= 0) continue;
      const byPid = bySlot.get(slot) ?? new Map<number, number>();
      byPid.set(Number(pid), (byPid.get(Number(pid)) ?? 0) + bytes);
      bySlot.set(slot, byPid);
    }
  }
  return bySlot;
};

const NODES_MAX = 256;
const PROCESSES_MAX = 4_096;
