// RDMA devices of a Linux machine, InfiniBand and RoCE, from sysfs: the same values as ibstat and rdma print, without
// starting a process. A device that disappears while being read loses only itself.

import type { NodeRdmaDevices, RdmaDevice, RdmaPort } from '../../core/node/rdma-devices.ts';
import { inNumericOrder } from '../../core/text/numeric-order.ts';
import { isKnown, type Reported, unknown } from '../../core/unknown.ts';
import type { GatheredKind, Gatherer } from '../gatherer.ts';
import type { MachineAccess } from '../machine-access.ts';
import { digitsIn, isUnreadable, type MachineFiles, textOr, trimmed } from '../machine-files.ts';
import { poll } from '../poll.ts';
import {
  parseGuid,
  parseLinkLayer,
  parsePhysicalState,
  parsePortState,
  parseRate,
  parseSubnetPrefix,
} from './parse-port.ts';

export const linuxRdmaGatherer = ({ files, intervals }: MachineAccess): Gatherer => ({
  name: 'sysfs-rdma',
  reports: [RDMA],
  intervalMs: intervals.rdmaMs,
  gather: async session => {
    let wasAbsent: boolean | undefined;
    // Continues even if nothing is there: the modules may be loaded later, and a check costs one readdir.
    await poll(session, intervals.rdmaMs, async () => {
      const isAbsent = isUnreadable(files.namesNow('/sys/class/infiniband'));
      if (!isAbsent) session.emit('sysfs', { kind: 'rdmaDevices', value: await readSysfsRdma(files) });
      else if (wasAbsent !== true) session.absent(RDMA, 'sysfs', 'the kernel has no RDMA devices');
      wasAbsent = isAbsent;
    });
  },
});

export const readSysfsRdma = async (files: MachineFiles): Promise<NodeRdmaDevices> => {
  const names = files.namesNow('/sys/class/infiniband');
  const devices: RdmaDevice[] = [];
  for (const name of isUnreadable(names) ? [] : [...names].sort(inNumericOrder).slice(0, DEVICES_MAX)) {
    devices.push(await readDevice(files, name));
  }
  return { isEnabled: devices.length > 0, devices };
};

const readDevice = async (files: MachineFiles, name: string): Promise<RdmaDevice> => {
  const folder = `/sys/class/infiniband/${name}`;
  const numbers = files.namesNow(`${folder}/ports`);
  const ports: RdmaPort[] = [];
  for (const number of isUnreadable(numbers) ? [] : [...numbers].sort(inNumericOrder).slice(0, PORTS_MAX)) {
    const port = digitsIn(number);
    if (port !== undefined) ports.push(await readPort(files, folder, port));
  }
  return {
    name,
    nodeGuid: parseGuid(trimmed(files.textNow(`${folder}/node_guid`))),
    systemImageGuid: parseGuid(trimmed(files.textNow(`${folder}/sys_image_guid`))),
    firmware: trimmed(files.textNow(`${folder}/fw_ver`)),
    ports,
  };
};

/** State and rate query the adapter's firmware, so they are read off this thread. */
const readPort = async (files: MachineFiles, device: string, number: number): Promise<RdmaPort> => {
  const folder = `${device}/ports/${number}`;
  const state = parsePortState(trimmed(await files.text(`${folder}/state`)));
  const linkLayer = parseLinkLayer(trimmed(await files.text(`${folder}/link_layer`)));
  return {
    number,
    state,
    physicalState: parsePhysicalState(trimmed(await files.text(`${folder}/phys_state`))),
    linkLayer,
    rateBitsPerSecond: parseRate(trimmed(await files.text(`${folder}/rate`)), state),
    activeMtuBytes: unknown('sysfs does not report it'),
    interfaceName: interfaceNameOf(files, device, number),
    subnetPrefix: parseSubnetPrefix(trimmed(await files.text(`${folder}/gids/0`)), linkLayer),
  };
};

/** RoCE names its interface next to each GID; an InfiniBand port is found by its number among the device's interfaces. */
const interfaceNameOf = (files: MachineFiles, device: string, number: number): Reported<string> => {
  const named = trimmed(files.textNow(`${device}/ports/${number}/gid_attrs/ndevs/0`));
  if (isKnown(named)) return named;
  const listed = files.namesNow(`${device}/device/net`);
  // "ib0.8001" is a partition of ib0.
  const names = isUnreadable(listed) ? [] : listed.filter(name => !name.includes('.')).sort();
  const ofPort = names.find(
    name => textOr(files.textNow(`/sys/class/net/${name}/dev_port`), '') === String(number - 1),
  );
  return (
    ofPort ?? (names.length === 1 ? names[0] : undefined) ?? unknown('no network interface on this port')
  );
};

const RDMA: GatheredKind = { reading: 'rdmaDevices', vendor: 'none' };
const DEVICES_MAX = 256;
const PORTS_MAX = 64;
