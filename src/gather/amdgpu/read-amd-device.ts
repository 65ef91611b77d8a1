// What an amdgpu card is: from sysfs, the compute driver, lists of names, and what amd-smi or rocm-smi add if one is
// installed.

import { join } from 'node:path';
import type { GpuDevice } from '../../core/node/gpu.ts';
import { isUnknown, type Reported, unknown } from '../../core/unknown.ts';
import type { AmdToolDevice } from '../amd-smi/tool-json.ts';
import { numbered } from '../drm/card-sensors.ts';
import {
  AMDGPU_IDS_PLACES,
  amdgpuName,
  hex4,
  PCI_IDS_PLACES,
  pciIdsName,
  readNameList,
} from '../drm/device-names.ts';
import { ASLEEP, isAsleep, PCI_VENDORS } from '../drm/drm-cards.ts';
import { pcieLink } from '../drm/pci-bus.ts';
import { firstKnown, sysfsNumber, sysfsText } from '../drm/sysfs-file.ts';
import type { AmdCard } from './amd-card.ts';
import type { KfdNode } from './kfd-topology.ts';

interface AmdHost {
  readonly root: string;
  readonly driver: Reported<string>;
  readonly runtime: Reported<string>;
  readonly kfdNodes: readonly KfdNode[];
  readonly toolDevices: readonly AmdToolDevice[];
}

export const readAmdDevice = async (card: AmdCard, index: number, host: AmdHost): Promise<GpuDevice> => {
  const reported = host.toolDevices.find(device => device.address === card.address);
  const nodes = host.kfdNodes.filter(node => card.address.startsWith(`${node.slot}.`));
  const units = nodes.reduce((sum, node) => sum + node.computeUnits, 0);
  const limit = (await isAsleep(card)) ? ASLEEP : await numbered(card.hwmon, 'power1_cap');
  return {
    deviceId: card.address,
    index,
    name: await nameOf(card, reported, host.root),
    memoryTotalBytes:
      card.shared?.totalBytes ?? (await sysfsNumber(join(card.devicePath, 'mem_info_vram_total'))),
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

const nameOf = async (card: AmdCard, reported: AmdToolDevice | undefined, root: string): Promise<string> => {
  if (reported?.name !== undefined) return reported.name;
  const product = await sysfsText(join(card.devicePath, 'product_name'));
  if (!isUnknown(product)) return product;
  const revision = await sysfsNumber(join(card.devicePath, 'revision'));
  const marketing = isUnknown(revision)
    ? undefined
    : amdgpuName(await readNameList(root, AMDGPU_IDS_PLACES), card.device, revision);
  return (
    marketing ??
    pciIdsName(await readNameList(root, PCI_IDS_PLACES), PCI_VENDORS.amd, card.device) ??
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
    () => sysfsText(join(card.devicePath, 'current_compute_partition')),
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
