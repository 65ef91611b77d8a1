// Where the GPUs and network adapters of a Linux machine are: their PCI bridges, NUMA nodes and sockets from sysfs, XGMI from the
// compute driver, NVLink from one run of nvidia-smi on a machine with several GPUs of NVIDIA. Hardware does not move: every five
// minutes is enough for an adapter that appears.

import type { GpuLinkBond, NodeTopology, PlacedDevice } from '../../core/node/topology.ts';
import { isUnknown, type Reported, unknown } from '../../core/unknown.ts';
import { isServerDisplay, PCI_VENDORS } from '../drm/drm-cards.ts';
import type { GatheredKind, Gatherer, GatherSession } from '../gatherer.ts';
import type { MachineAccess } from '../machine-access.ts';
import { isUnreadable, type MachineFiles, readFailed } from '../machine-files.ts';
import { nvidiaTool } from '../nvidia/nvidia-tool.ts';
import { poll } from '../poll.ts';
import { parseTopo } from './parse-topo.ts';
import { xgmiBonds } from './xgmi-bonds.ts';

export const linuxTopologyGatherer = (machine: MachineAccess): Gatherer => ({
  name: 'sysfs-topology',
  reports: [TOPOLOGY],
  intervalMs: LOOKS * machine.intervals.identityMs,
  gather: session =>
    poll(session, LOOKS * machine.intervals.identityMs, async () => {
      const devices = pciDevices(machine.files);
      const gpus = devices.filter(({ kind }) => kind === 'gpu');
      if (gpus.length === 0) return session.absent(TOPOLOGY, 'sysfs', 'no GPU on PCI');
      const value: NodeTopology = {
        devices: devices.map(({ vendor: _vendor, ...device }) => device),
        gpuLinks: await gpuLinks(machine, gpus, session),
        numaNodes: numaNodes(machine.files),
      };
      session.emit('sysfs', { kind: 'topology', value });
    }),
});

interface FoundDevice extends PlacedDevice {
  readonly vendor: number;
}

/** GPUs and physical adapters. Virtual functions of an adapter are in the same place as itself. */
const pciDevices = (files: MachineFiles): readonly FoundDevice[] => {
  const addresses = files.namesNow(PCI_DEVICES);
  if (isUnreadable(addresses)) throw readFailed(addresses);
  const hasNodes = nodeFolders(files).length > 1;
  return [...addresses]
    .sort()
    .flatMap(address => pciDevice(files, address, hasNodes) ?? [])
    .slice(0, DEVICES_MAX);
};

const pciDevice = (files: MachineFiles, address: string, hasNodes: boolean): FoundDevice | undefined => {
  const folder = `${PCI_DEVICES}/${address}`;
  const vendor = hexIn(files, `${folder}/vendor`);
  const device = hexIn(files, `${folder}/device`);
  const kind = kindOf(hexIn(files, `${folder}/class`), vendor, device);
  const link = files.linkNow(folder);
  if (kind === undefined || isUnreadable(link) || !isUnreadable(files.linkNow(`${folder}/physfn`)))
    return undefined;
  return {
    pciAddress: address.toLowerCase(),
    kind,
    names: kind === 'nic' ? ADAPTER_FOLDERS.flatMap(name => namesIn(files, `${folder}/${name}`)) : [],
    numaNode: numaNodeOf(files, folder, hasNodes),
    // "../../../devices/pci0000:16/0000:16:02.0/0000:17:00.0"
    bridges: link
      .split('/')
      .slice(0, -1)
      .filter(part => BRIDGE.test(part))
      .slice(0, DEPTH_MAX),
    vendor,
  };
};

const kindOf = (pciClass: number, vendor: number, device: number): PlacedDevice['kind'] | undefined => {
  // Network controllers 02 and InfiniBand 0207; 0c06 was InfiniBand before.
  const base = pciClass >> 16;
  if (base === 0x02 || pciClass >> 8 === 0x0c06) return 'nic';
  const isGpuVendor = Object.values<number>(PCI_VENDORS).includes(vendor);
  // Display 03, processing accelerator 12.
  return (base === 0x03 || base === 0x12) && isGpuVendor && !isServerDisplay(vendor, device)
    ? 'gpu'
    : undefined;
};

const hexIn = (files: MachineFiles, path: string): number => {
  const text = files.textNow(path);
  return isUnreadable(text) ? 0 : Number.parseInt(text.trim(), 16) || 0;
};

const namesIn = (files: MachineFiles, folder: string): readonly string[] => {
  const names = files.namesNow(folder);
  return isUnreadable(names) ? [] : [...names].sort().slice(0, NAMES_MAX);
};

/** The kernel writes -1 if the firmware does not report it; a machine with one NUMA node has no other. */
const numaNodeOf = (files: MachineFiles, folder: string, hasNodes: boolean): Reported<number> => {
  const text = files.textNow(`${folder}/numa_node`);
  const number = isUnreadable(text) ? Number.NaN : Number(text.trim() || Number.NaN);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  return hasNodes ? unknown('the firmware does not report its NUMA node') : 0;
};

const nodeFolders = (files: MachineFiles): readonly number[] => {
  const names = files.namesNow(NUMA_NODES);
  return isUnreadable(names)
    ? []
    : names
        .flatMap(name => /^node(\d{1,4})$/.exec(name)?.[1] ?? [])
        .map(Number)
        .sort((a, b) => a - b)
        .slice(0, DEVICES_MAX);
};

const numaNodes = (files: MachineFiles): NodeTopology['numaNodes'] =>
  nodeFolders(files).map(number => {
    const cpus = files.textNow(`${NUMA_NODES}/node${number}/cpulist`);
    const cpu = isUnreadable(cpus) ? undefined : /^\d{1,5}/.exec(cpus)?.[0];
    if (cpu === undefined) return { number, socket: unknown('a NUMA node without processors') };
    const text = files.textNow(`/sys/devices/system/cpu/cpu${cpu}/topology/physical_package_id`);
    const socket = isUnreadable(text) ? Number.NaN : Number(text.trim() || Number.NaN);
    const isKnown = Number.isSafeInteger(socket) && socket >= 0;
    return { number, socket: isKnown ? socket : unknown('the kernel does not show its socket') };
  });

const gpuLinks = async (
  machine: MachineAccess,
  gpus: readonly FoundDevice[],
  session: GatherSession,
): Promise<Reported<readonly GpuLinkBond[]>> => {
  const nvidia = gpus.filter(({ vendor }) => vendor === PCI_VENDORS.nvidia);
  const xgmi = xgmiBonds(machine.files, gpus);
  if (nvidia.length < 2) return xgmi;
  const bonds = await nvlinkBonds(machine, session);
  return isUnknown(bonds) ? bonds : [...bonds, ...xgmi];
};

const nvlinkBonds = async (
  machine: MachineAccess,
  { signal }: GatherSession,
): Promise<Reported<readonly GpuLinkBond[]>> => {
  const tool = await nvidiaTool(machine.root);
  const run = async (args: readonly string[]): Promise<Reported<string>> => {
    const result = await machine.tools.run(tool, args, {
      signal,
      timeoutMs: machine.timeouts.gpuToolMs,
      outputBytesMax: OUTPUT_BYTES_MAX,
    });
    return result.kind === 'exited' && result.code === 0
      ? result.stdout
      : unknown(`nvidia-smi ${args.join(' ')} gave no answer`);
  };
  const matrix = await run(['topo', '-m']);
  if (isUnknown(matrix)) return matrix;
  const bonds = parseTopo(matrix);
  if (isUnknown(bonds)) return bonds;
  if (bonds.length === 0) return [];
  const listed = await run(['--query-gpu=index,pci.bus_id', '--format=csv,noheader']);
  if (isUnknown(listed)) return listed;
  const addresses = new Map(
    [...listed.matchAll(LISTED_GPU)].map(([, index, domain = '', place = '']) => [
      Number(index),
      `${domain.slice(-4)}:${place}`.toLowerCase(),
    ]),
  );
  return bonds.flatMap(({ from, to, links }): readonly GpuLinkBond[] => {
    const [one, other] = [addresses.get(from), addresses.get(to)];
    return one === undefined || other === undefined ? [] : [{ from: one, to: other, kind: 'nvlink', links }];
  });
};

const TOPOLOGY: GatheredKind = { reading: 'topology', vendor: 'none' };
const PCI_DEVICES = '/sys/bus/pci/devices';
const NUMA_NODES = '/sys/devices/system/node';
const ADAPTER_FOLDERS = ['infiniband', 'net'];
const BRIDGE = /^(?:pci[0-9a-f]{4,8}:[0-9a-f]{2}|[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])$/i;
/** "0, 00000000:17:00.0" */
const LISTED_GPU = /^(\d{1,3}), ([0-9A-Fa-f]{4,8}):([0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-7])\s*$/gm;
/** Of the interval of the identity: five minutes. */
const LOOKS = 10;
const DEVICES_MAX = 64;
const NAMES_MAX = 8;
const DEPTH_MAX = 16;
const OUTPUT_BYTES_MAX = 256 * 1024;
