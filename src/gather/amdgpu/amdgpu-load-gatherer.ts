// Load of the AMD devices: from sysfs, without a process.

import { PCI_VENDORS } from '../drm/drm-cards.ts';
import { whyNoCard } from '../drm/pci-bus.ts';
import type { Gatherer, GatherSession } from '../gatherer.ts';
import type { MachineAccess } from '../machine-access.ts';
import { poll } from '../poll.ts';
import { type AmdCard, findAmdCards } from './amd-card.ts';
import { AMD_NAMES } from './amdgpu-inventory-gatherer.ts';
import { isMute, readAmdLoad } from './read-amd-load.ts';

export const amdgpuLoadGatherer = (machine: MachineAccess): Gatherer => ({
  name: 'amd-loads',
  tells: [KIND],
  intervalMs: machine.intervals.gpuMs,
  gather: async session => {
    if ((await findAmdCards(machine.root)).length > 0) return await pollSysfs(machine, session);
    const reason = await whyNoCard(machine.root, PCI_VENDORS.amd, AMD_NAMES);
    if (reason !== undefined) throw new Error(reason);
    session.absent(KIND, SYSFS, 'no AMD GPU');
  },
});

const pollSysfs = async (machine: MachineAccess, session: GatherSession): Promise<void> => {
  let cards: readonly AmdCard[] = [];
  let foundAtMs = Number.NEGATIVE_INFINITY;
  await poll(session, machine.intervals.gpuMs, async () => {
    if (session.clock.nowMs() - foundAtMs >= machine.intervals.identityMs) {
      cards = await findAmdCards(machine.root);
      foundAtMs = session.clock.nowMs();
    }
    const devices = await Promise.all(cards.map(readAmdLoad));
    if (devices.some(isMute)) foundAtMs = Number.NEGATIVE_INFINITY; // perhaps gone: look again before the next tick
    session.emit(SYSFS, { kind: 'gpuLoads', value: { vendor: 'amd', devices } });
  });
};

const SYSFS = 'sysfs amdgpu';
const KIND = { reading: 'gpuLoads', vendor: 'amd' } as const;
