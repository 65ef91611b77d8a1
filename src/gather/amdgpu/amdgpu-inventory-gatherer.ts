// The AMD devices of this machine and their health: sysfs, with what amd-smi or rocm-smi add.

import type { GpuDevice } from '../../core/node/gpu.ts';
import type { EccCounts, GpuHealth, MemoryRepair } from '../../core/node/gpu-health.ts';
import { isUnknown, type Reported, type Unknown, unknown } from '../../core/unknown.ts';
import { AmdTool } from '../amd-smi/amd-tool.ts';
import type { AmdToolDevice } from '../amd-smi/tool-json.ts';
import { numbered } from '../drm/card-sensors.ts';
import {
  AMDGPU_IDS_PATHS,
  amdgpuName,
  hex4,
  PCI_IDS_PATHS,
  pciIdsName,
  readNameList,
} from '../drm/device-names.ts';
import { ASLEEP, isAsleep, PCI_VENDORS } from '../drm/drm-cards.ts';
import { gpuIsHere } from '../drm/gpu-watch.ts';
import { pcieLink, whyNoCard } from '../drm/pci-bus.ts';
import { firstKnown, sysfsBytes, sysfsNames, sysfsNumber, sysfsText } from '../drm/sysfs-file.ts';
import type { GatheredKind, Gatherer, GatherSession } from '../gatherer.ts';
import type { MachineAccess } from '../machine-access.ts';
import { below, type MachinePath } from '../machine-path.ts';
import { poll } from '../poll.ts';
import { SeenGpus } from '../seen-gpus.ts';
import { type AmdCard, findAmdCards } from './amd-card.ts';
import { type KfdNode, readKfdNodes } from './kfd-topology.ts';

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
        cards.map(card => sysfsText(below(card.devicePath, 'current_compute_partition'))),
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
const driverOf = async (root: MachinePath): Promise<Reported<string>> => {
  const version = await sysfsText(below(root, 'sys/module/amdgpu/version'));
  if (!isUnknown(version)) return `amdgpu ${version}`;
  const kernel = await sysfsText(below(root, 'proc/sys/kernel/osrelease'));
  return isUnknown(kernel) ? kernel : `amdgpu of Linux ${kernel}`;
};

/** "7.0.2-56" in the file that every ROCm package installs. */
const runtimeOf = async (root: MachinePath): Promise<Reported<string>> => {
  const version = await sysfsText(below(root, 'opt/rocm/.info/version'));
  const digits = isUnknown(version) ? undefined : /^\d+(\.\d+)+/.exec(version)?.[0];
  return digits === undefined ? unknown('ROCm is not installed', 'tool-missing') : `ROCm ${digits}`;
};

const SOURCE = 'sysfs amdgpu';
const INVENTORY = { reading: 'gpus', vendor: 'amd' } as const;
const HEALTH = { reading: 'gpuHealths', vendor: 'amd' } as const;

// What an amdgpu card counts of errors: ras/*_err_count ("ue: 0", "ce: 0" of each of its parts, since the driver was loaded),
// ras/gpu_vram_bad_pages and pcie_replay_count. Documentation/gpu/amdgpu/ras.rst; everybody may read them.
const readAmdHealth = async (card: AmdCard): Promise<GpuHealth> => {
  const isSleeping = await isAsleep(card);
  const notReported = isSleeping ? ASLEEP : NOT_REPORTED;
  const common = {
    deviceId: card.address,
    eccAggregate: { corrected: notReported, uncorrected: notReported },
    recoveryAction: notReported,
    links: isSleeping ? ASLEEP : NO_LINKS,
  };
  if (isSleeping)
    return { ...common, eccVolatile: common.eccAggregate, repair: noRepair(ASLEEP), pcieReplays: ASLEEP };
  const ras = below(card.devicePath, 'ras');
  const [eccVolatile, repair, replays] = await Promise.all([
    countsOf(ras),
    repairOf(ras),
    sysfsNumber(below(card.devicePath, 'pcie_replay_count')),
  ]);
  const pcieReplays = !isUnknown(replays) && replays < 0 ? unknown('not a count') : replays;
  return { ...common, eccVolatile, repair, pcieReplays };
};

const countsOf = async (ras: MachinePath): Promise<EccCounts> => {
  const names = (await sysfsNames(ras)).filter(name => name.endsWith('_err_count')).slice(0, PARTS_MAX);
  const texts = await Promise.all(names.map(name => sysfsText(below(ras, name))));
  const sum = (what: 'ue' | 'ce'): Reported<number> => {
    const counts = texts.flatMap(text => {
      const digits = isUnknown(text) ? undefined : new RegExp(`^${what}: (\\d{1,15})$`, 'm').exec(text)?.[1];
      return digits === undefined ? [] : [Number(digits)];
    });
    return counts.length === 0 ? NO_RAS : counts.reduce((all, one) => all + one, 0);
  };
  return { corrected: sum('ce'), uncorrected: sum('ue') };
};

/** "0x00000001 : 0x00001000 : R": retired, P: to be retired with the next reset, F: could not be. */
const repairOf = async (ras: MachinePath): Promise<MemoryRepair> => {
  const reported = await sysfsBytes(below(ras, 'gpu_vram_bad_pages'), PAGES_BYTES_MAX);
  if (isUnknown(reported)) return noRepair(reported.code === 'permission' ? reported : NO_RAS);
  const flags = new TextDecoder()
    .decode(reported.bytes)
    .split('\n')
    .map(line => /^0x[0-9a-f]+ : 0x[0-9a-f]+ : ([RPF])$/i.exec(line.trim())?.[1]);
  return {
    ...noRepair(NOT_REPORTED),
    retiredPages: flags.filter(flag => flag !== undefined).length,
    isPending: flags.includes('P'),
    hasFailed: flags.includes('F'),
  };
};

const noRepair = (reason: Unknown): MemoryRepair => ({
  rowsAfterCorrected: reason,
  rowsAfterUncorrected: reason,
  retiredPages: reason,
  isPending: reason,
  hasFailed: reason,
});

const NOT_REPORTED = unknown('amdgpu does not report it', 'not-offered');
const NO_RAS = unknown('the card does not count errors (no RAS)', 'not-offered');
const NO_LINKS = unknown('amdgpu reports links between GPUs only through amd-smi', 'not-offered');
const PARTS_MAX = 64;
/** A line is 27 bytes; cards with more bad pages than this are replaced. */
const PAGES_BYTES_MAX = 256 * 1024;

// What an amdgpu card is: from sysfs, the compute driver, lists of names, and what amd-smi or rocm-smi add if one is
// installed.
interface AmdHost {
  readonly root: MachinePath;
  readonly driver: Reported<string>;
  readonly runtime: Reported<string>;
  readonly kfdNodes: readonly KfdNode[];
  readonly toolDevices: readonly AmdToolDevice[];
}

const readAmdDevice = async (card: AmdCard, index: number, host: AmdHost): Promise<GpuDevice> => {
  const reported = host.toolDevices.find(device => device.address === card.address);
  const nodes = host.kfdNodes.filter(node => card.address.startsWith(`${node.slot}.`));
  const units = nodes.reduce((sum, node) => sum + node.computeUnits, 0);
  const limit = (await isAsleep(card)) ? ASLEEP : await numbered(card.hwmon, 'power1_cap');
  return {
    deviceId: card.address,
    index,
    name: await nameOf(card, reported, host.root),
    memoryTotalBytes:
      card.shared?.totalBytes ?? (await sysfsNumber(below(card.devicePath, 'mem_info_vram_total'))),
    memoryIsUnified: card.shared !== undefined,
    memoryReservedBytes: card.shared?.reservedBytes ?? 0,
    driver: card.driver === 'amdgpu' ? host.driver : card.driver,
    runtime: host.runtime,
    architecture: nodes[0]?.architecture ?? reported?.architecture ?? unknown(NO_KFD),
    coreCount: units > 0 ? units : (reported?.computeUnits ?? unknown(NO_KFD)),
    pcieMax:
      card.shared !== undefined ? unknown('on the chip, no PCIe link') : await pcieLink(card.linkPath, 'max'),
    // The driver writes 0 if no limit can be set.
    powerLimitWatts: isUnknown(limit)
      ? (reported?.powerLimitWatts ?? limit)
      : limit <= 0
        ? unknown('no power limit')
        : limit / 1_000_000,
    powerLimitDefaultWatts: unknown('not read of this driver'),
    partitions: await partitionsOf(card, nodes.length, reported),
    pciAddress: card.address,
  };
};

const nameOf = async (
  card: AmdCard,
  reported: AmdToolDevice | undefined,
  root: MachinePath,
): Promise<string> => {
  if (reported?.name !== undefined) return reported.name;
  const product = await sysfsText(below(card.devicePath, 'product_name'));
  if (!isUnknown(product)) return product;
  const revision = await sysfsNumber(below(card.devicePath, 'revision'));
  const marketing = isUnknown(revision)
    ? undefined
    : amdgpuName(await readNameList(root, AMDGPU_IDS_PATHS), card.device, revision);
  return (
    marketing ??
    pciIdsName(await readNameList(root, PCI_IDS_PATHS), PCI_VENDORS.amd, card.device) ??
    `AMD GPU 0x${hex4(card.device)}`
  );
};

/** An unpartitioned card (SPX) has none. The parts are named here and never counted as cards. */
const partitionsOf = async (
  card: AmdCard,
  nodeCount: number,
  reported: AmdToolDevice | undefined,
): Promise<readonly string[]> => {
  const mode = await firstKnown(
    () => sysfsText(below(card.devicePath, 'current_compute_partition')),
    () => Promise.resolve(reported?.computePartition ?? unknown('not partitioned')),
  );
  if (isUnknown(mode) || mode === 'SPX' || !/^[A-Z]{2,8}$/.test(mode)) return [];
  const count = nodeCount > 1 ? nodeCount : PARTITION_COUNTS.get(mode);
  return count === undefined ? [mode] : Array.from({ length: count }, (_, part) => `${mode} ${part}`);
};

const NO_KFD = 'the compute driver (KFD) does not list it';
/** CPX gives one per compute die, and cards differ in their number. */
const PARTITION_COUNTS: ReadonlyMap<string, number> = new Map([
  ['DPX', 2],
  ['TPX', 3],
  ['QPX', 4],
]);
