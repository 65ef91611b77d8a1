// Intel: inventory and loads from the sysfs of i915 and xe.

import type { GpuDevice, GpuLoad } from '../../core/node/gpu.ts';
import { unknown } from '../../core/unknown.ts';
import { isAsleep, PCI_VENDORS } from '../drm/drm-cards.ts';
import { drmProcesses, readDrmClients } from '../drm/drm-clients.ts';
import { gpuIsHere } from '../drm/gpu-watch.ts';
import { whyNoCard } from '../drm/pci-bus.ts';
import type { GatheredKind, Gatherer, GatherSession } from '../gatherer.ts';
import type { MachineAccess } from '../machine-access.ts';
import { poll } from '../poll.ts';
import { SeenGpus } from '../seen-gpus.ts';
import { findIntelCards, type IntelCard } from './intel-card.ts';
import { readIntelDevice } from './read-intel-device.ts';
import { EnergyMeter, readIntelLoad } from './read-intel-load.ts';

export const intelInventoryGatherer = (
  { root, intervals }: MachineAccess,
  seen: SeenGpus = new SeenGpus(root),
): Gatherer => ({
  name: 'intel-inventory',
  reports: [INVENTORY],
  intervalMs: intervals.identityMs,
  gather: async session => {
    if (!(await isHere({ root, intervals }, INVENTORY, session))) return;
    let known: readonly GpuDevice[] = [];
    await poll(session, intervals.identityMs, async () => {
      const cards = await findIntelCards(root);
      const devices = await Promise.all(
        cards.map(async (card, index) => {
          const before = known.find(device => device.deviceId === card.address);
          return before !== undefined && (await isAsleep(card))
            ? { ...before, index }
            : readIntelDevice(card, index, root);
        }),
      );
      known = devices;
      const failed = await seen.complete({ devices, failed: [] }, session.clock.nowMs());
      session.emit(SOURCE, { kind: 'gpus', value: { vendor: 'intel', devices, failed } });
    });
  },
});

export const intelLoadGatherer = (machine: MachineAccess): Gatherer => ({
  name: 'intel-loads',
  reports: [LOADS],
  intervalMs: machine.intervals.gpuMs,
  gather: async session => {
    if (await isHere(machine, LOADS, session)) await pollLoads(machine, session);
  },
});

const pollLoads = async ({ root, intervals }: MachineAccess, session: GatherSession): Promise<void> => {
  const meters = new Map<string, EnergyMeter>();
  const nowMs = (): number => session.clock.nowMs();
  let cards: readonly IntelCard[] = [];
  let processes: ReadonlyMap<string, GpuLoad['processes']> = new Map();
  let foundAtMs = Number.NEGATIVE_INFINITY;
  await poll(session, intervals.gpuMs, async () => {
    if (nowMs() - foundAtMs >= intervals.identityMs) {
      cards = await findIntelCards(root);
      const clients = await readDrmClients(root);
      processes = new Map(
        await Promise.all(
          cards.map(
            async card =>
              [card.address, await drmProcesses(root, clients, { ...card, more: undefined })] as const,
          ),
        ),
      );
      foundAtMs = nowMs();
      for (const address of meters.keys()) {
        if (!cards.some(card => card.address === address)) meters.delete(address);
      }
    }
    const loads = await Promise.all(
      cards.map(card => {
        const meter = meters.get(card.address) ?? new EnergyMeter();
        meters.set(card.address, meter);
        return readIntelLoad(card, meter, nowMs);
      }),
    );
    const devices = loads.map(load => ({ ...load, processes: processes.get(load.deviceId) ?? NOT_LISTED }));
    session.emit(SOURCE, { kind: 'gpuLoads', value: { vendor: 'intel', devices } });
  });
};

/** Reports if this machine has no Intel GPU, and waits for one. @throws Error with the reason when it has one without a driver. */
const isHere = (
  { root, intervals }: Pick<MachineAccess, 'root' | 'intervals'>,
  kind: GatheredKind,
  session: GatherSession,
): Promise<boolean> =>
  gpuIsHere(session, {
    root,
    intervalMs: intervals.identityMs,
    isHere: async () => {
      if ((await findIntelCards(root)).length > 0) return true;
      const reason = await whyNoCard(root, PCI_VENDORS.intel, { brand: 'Intel', driver: 'i915 or xe' });
      if (reason !== undefined) throw new Error(reason);
      return false;
    },
    onAbsent: () => session.absent(kind, SOURCE, 'no Intel GPU'),
  });

const NOT_LISTED = unknown('the card was not there when processes were read');
const SOURCE = 'sysfs drm';
const INVENTORY = { reading: 'gpus', vendor: 'intel' } as const;
const LOADS = { reading: 'gpuLoads', vendor: 'intel' } as const;
