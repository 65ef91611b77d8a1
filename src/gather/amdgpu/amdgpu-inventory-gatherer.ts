// The AMD devices of this machine and their health: sysfs, with what amd-smi or rocm-smi add.

import { join } from 'node:path';
import type { GpuDevice } from '../../core/node/gpu.ts';
import { isUnknown, type Reported, unknown } from '../../core/unknown.ts';
import { AmdTool } from '../amd-smi/amd-tool.ts';
import { isAsleep, PCI_VENDORS } from '../drm/drm-cards.ts';
import { gpuIsHere } from '../drm/gpu-watch.ts';
import { whyNoCard } from '../drm/pci-bus.ts';
import { sysfsText } from '../drm/sysfs-file.ts';
import type { GatheredKind, Gatherer, GatherSession } from '../gatherer.ts';
import type { MachineAccess } from '../machine-access.ts';
import { poll } from '../poll.ts';
import { SeenGpus } from '../seen-gpus.ts';
import { findAmdCards } from './amd-card.ts';
import { readKfdNodes } from './kfd-topology.ts';
import { readAmdDevice } from './read-amd-device.ts';
import { readAmdHealth } from './read-amd-health.ts';

export const amdgpuInventoryGatherer = (
  machine: MachineAccess,
  seen: SeenGpus = new SeenGpus(machine.root),
): Gatherer => ({
  name: 'amd-inventory',
  reports: [INVENTORY, HEALTH],
  intervalMs: machine.intervals.identityMs,
  gather: async session => {
    const { root } = machine;
    if (!(await amdIsHere(machine, session, [INVENTORY, HEALTH]))) return;
    const tool = new AmdTool(machine);
    let known: readonly GpuDevice[] = [];
    await poll(session, machine.intervals.identityMs, async signal => {
      const cards = await findAmdCards(root);
      const asleep = await Promise.all(cards.map(isAsleep));
      const modes = await Promise.all(
        cards.map(card => sysfsText(join(card.devicePath, 'current_compute_partition'))),
      );
      const picture = JSON.stringify([cards.map(card => card.address), modes]);
      const host = {
        root,
        driver: await driverOf(root),
        runtime: await runtimeOf(root),
        kfdNodes: await readKfdNodes(root),
        // The tools wake every card they query.
        toolDevices: asleep.some(Boolean) ? tool.known : await tool.devices(picture, session.clock, signal),
      };
      const devices = await Promise.all(
        cards.map(async (card, index) => {
          const before = asleep[index] ? known.find(device => device.deviceId === card.address) : undefined;
          return before === undefined ? readAmdDevice(card, index, host) : { ...before, index };
        }),
      );
      known = devices;
      const failed = await seen.complete({ devices, failed: [] }, session.clock.nowMs());
      session.emit(SOURCE, { kind: 'gpus', value: { vendor: 'amd', devices, failed } });
      const healths = await Promise.all(cards.map(readAmdHealth));
      session.emit(SOURCE, { kind: 'gpuHealths', value: { vendor: 'amd', devices: healths } });
    });
  },
});

/** Reports these if this machine has no AMD GPU, and waits for one. @throws Error with the reason when it has one without a driver. */
export const amdIsHere = (
  { root, intervals }: Pick<MachineAccess, 'root' | 'intervals'>,
  session: GatherSession,
  kinds: readonly GatheredKind[],
): Promise<boolean> =>
  gpuIsHere(session, {
    root,
    intervalMs: intervals.identityMs,
    isHere: async () => {
      if ((await findAmdCards(root)).length > 0) return true;
      const reason = await whyNoCard(root, PCI_VENDORS.amd, AMD_NAMES);
      if (reason !== undefined) throw new Error(reason);
      return false;
    },
    onAbsent: () => {
      for (const kind of kinds) session.absent(kind, SOURCE, 'no AMD GPU');
    },
  });

const AMD_NAMES = { brand: 'AMD', driver: 'amdgpu' } as const;

/** The module's own version if it was installed separately from the kernel, else the kernel's. */
const driverOf = async (root: string): Promise<Reported<string>> => {
  const version = await sysfsText(join(root, 'sys/module/amdgpu/version'));
  if (!isUnknown(version)) return `amdgpu ${version}`;
  const kernel = await sysfsText(join(root, 'proc/sys/kernel/osrelease'));
  return isUnknown(kernel) ? kernel : `amdgpu of Linux ${kernel}`;
};

/** "7.0.2-56" in the file that every ROCm package installs. */
const runtimeOf = async (root: string): Promise<Reported<string>> => {
  const version = await sysfsText(join(root, 'opt/rocm/.info/version'));
  const digits = isUnknown(version) ? undefined : /^\d+(\.\d+)+/.exec(version)?.[0];
  return digits === undefined ? unknown('ROCm is not installed', 'tool-missing') : `ROCm ${digits}`;
};

const SOURCE = 'sysfs amdgpu';
const INVENTORY = { reading: 'gpus', vendor: 'amd' } as const;
const HEALTH = { reading: 'gpuHealths', vendor: 'amd' } as const;
