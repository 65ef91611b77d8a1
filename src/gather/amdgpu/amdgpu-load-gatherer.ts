// Load of the AMD devices: from sysfs, without a process.

import type { GpuProcess } from '../../core/node/gpu.ts';
import { type Reported, unknown } from '../../core/unknown.ts';
import { drmProcesses, readDrmClients } from '../drm/drm-clients.ts';
import type { Gatherer, GatherSession } from '../gatherer.ts';
import type { MachineAccess } from '../machine-access.ts';
import { poll } from '../poll.ts';
import { type AmdCard, findAmdCards } from './amd-card.ts';
import { amdIsHere } from './amdgpu-inventory-gatherer.ts';
import { readKfdProcesses } from './kfd-processes.ts';
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
const processesOn = async (root: string, cards: readonly AmdCard[]): Promise<CardProcesses> => {
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
