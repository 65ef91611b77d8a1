// How the GPUs and network adapters of a node are connected inside it: links of their own, PCIe switches, NUMA nodes, sockets.
// The fastest cable is of no use to a GPU at the other end of the machine.

import * as v from 'valibot';
import { minimumOf } from '../extremes.ts';
import { counted } from '../figure/figure.ts';
import { count, type Infer, list, openObject, reported, text } from '../schema.ts';
import { isUnknown, type Reported, type Unknown, unknown } from '../unknown.ts';
import type { FailedGpu } from './failed-gpu.ts';
import { gathered } from './gathered.ts';
import type { GpuDevice } from './gpu.ts';

const placedDeviceSchema = openObject({
  /** "0000:17:00.0" */
  pciAddress: text,
  kind: v.picklist(['gpu', 'nic']),
  /** Interfaces and RDMA devices of a network adapter; the inventory names GPUs. */
  names: list(text),
  numaNode: reported(count),
  /** The host bridge, then every PCI bridge down to the device: "pci0000:16", "0000:16:02.0". */
  bridges: list(text),
});

export type PlacedDevice = Infer<typeof placedDeviceSchema>;

const gpuLinkSchema = openObject({
  /** PCI addresses of two GPUs. */
  from: text,
  to: text,
  kind: v.picklist(['nvlink', 'xgmi']),
  /** Bonded links; each is one cable or trace. */
  links: reported(count),
});

export type GpuLinkBond = Infer<typeof gpuLinkSchema>;

const topologySchema = openObject({
  devices: list(placedDeviceSchema),
  /** Links between GPUs past PCIe. */
  gpuLinks: reported(list(gpuLinkSchema)),
  /** Empty if the kernel shows none. */
  numaNodes: list(openObject({ number: count, socket: reported(count) })),
});

export type NodeTopology = Infer<typeof topologySchema>;

/** Its row of the table of kinds. */
export const TOPOLOGY_KINDS = {
  'topology.gathered': {
    class: 'durable',
    field: 'nodeTopologies',
    shape: 'node',
    entriesMax: 1,
    schema: gathered(topologySchema),
    title: 'Inside',
    absentOn: { macos: 'not read on macOS' },
    texts: {
      source: 'plain',
      pciAddress: 'plain',
      kind: 'plain',
      names: 'interface',
      bridges: 'plain',
      from: 'plain',
      to: 'plain',
    },
  },
} as const;

interface WayRow {
  /** As `nvidia-smi topo -m` prints it. */
  readonly short: string;
  readonly text: string;
}

/**
 * What is between two devices, nearest first. NVIDIA's terms (legend of `nvidia-smi topo -m`); its SYS does not distinguish
 * NUMA nodes of one socket from two sockets.
 */
export const INSIDE_WAYS = {
  nvlink: { short: 'NV', text: 'NVLink' },
  xgmi: { short: 'XGMI', text: 'XGMI' },
  switch: { short: 'PIX', text: 'one PCIe switch' },
  switches: { short: 'PXB', text: 'several PCIe switches' },
  hostBridge: { short: 'PHB', text: 'a PCIe host bridge' },
  numaNode: { short: 'NODE', text: 'host bridges of one NUMA node' },
  socket: { short: 'SYS', text: 'NUMA nodes of one socket' },
  sockets: { short: 'SYS', text: 'the link between sockets' },
} as const satisfies Readonly<Record<string, WayRow>>;

export type InsideWayName = keyof typeof INSIDE_WAYS;

export interface InsideWay {
  readonly way: InsideWayName;
  /** Bonded links between two GPUs. */
  readonly links?: Reported<number>;
}

export const insideWay = (topology: NodeTopology, a: PlacedDevice, b: PlacedDevice): InsideWay | Unknown => {
  const own = gpuLinkBetween(topology, a, b);
  if (own !== undefined) return { way: own.kind, links: own.links };
  const shared = sharedCount(a.bridges, b.bridges);
  if (shared === 0) return betweenHostBridges(topology, a, b);
  if (shared === 1) return { way: 'hostBridge' };
  // Below the last shared bridge a single switch has one port for each device.
  const below = Math.max(a.bridges.length, b.bridges.length) - shared;
  return { way: below <= 1 ? 'switch' : 'switches' };
};

const gpuLinkBetween = (
  { gpuLinks }: NodeTopology,
  a: PlacedDevice,
  b: PlacedDevice,
): GpuLinkBond | undefined =>
  isUnknown(gpuLinks)
    ? undefined
    : gpuLinks.find(
        ({ from, to }) =>
          (from === a.pciAddress && to === b.pciAddress) || (from === b.pciAddress && to === a.pciAddress),
      );

const sharedCount = (a: readonly string[], b: readonly string[]): number => {
  const at = a.findIndex((bridge, index) => bridge !== b[index]);
  return at === -1 ? a.length : at;
};

const betweenHostBridges = (
  topology: NodeTopology,
  a: PlacedDevice,
  b: PlacedDevice,
): InsideWay | Unknown => {
  if (isUnknown(a.numaNode)) return a.numaNode;
  if (isUnknown(b.numaNode)) return b.numaNode;
  if (a.numaNode === b.numaNode) return { way: 'numaNode' };
  const [one, other] = [socketOf(topology, a), socketOf(topology, b)];
  return !isUnknown(one) && one === other ? { way: 'socket' } : { way: 'sockets' };
};

/** Of the processor nearest to a device. */
export const socketOf = ({ numaNodes }: NodeTopology, { numaNode }: PlacedDevice): Reported<number> =>
  isUnknown(numaNode)
    ? numaNode
    : (numaNodes.find(({ number }) => number === numaNode)?.socket ??
      unknown('the kernel shows no processor of its NUMA node'));

/** "NV18", "PIX"; the reason for an unknown one is for a title. */
export const insideShort = (way: InsideWay | Unknown): string => {
  if (isUnknown(way)) return '?';
  const { short } = INSIDE_WAYS[way.way];
  return way.links === undefined || isUnknown(way.links) ? short : `${short}${way.links}`;
};

/** "18 NVLink links", "one PCIe switch". */
export const insideText = (way: InsideWay | Unknown): string => {
  if (isUnknown(way)) return `unknown: ${way.reason}`;
  const { text: name } = INSIDE_WAYS[way.way];
  return way.links === undefined || isUnknown(way.links) ? name : counted(way.links, `${name} link`);
};

/** Those between a GPU and another device of this node, for a legend. */
export const usedWays = (topology: NodeTopology): readonly WayRow[] => {
  const found = new Set(
    placedOf(topology, 'gpu').flatMap(gpu =>
      topology.devices.flatMap(device => {
        const way = device === gpu ? undefined : insideWay(topology, gpu, device);
        return way === undefined || isUnknown(way) ? [] : INSIDE_WAYS[way.way];
      }),
    ),
  );
  return Object.values(INSIDE_WAYS).filter(row => found.has(row));
};

export const placedOf = ({ devices }: NodeTopology, kind: PlacedDevice['kind']): readonly PlacedDevice[] =>
  devices.filter(device => device.kind === kind);

/** "mlx5_0, enp23s0", or its address. */
export const adapterName = ({ names, pciAddress }: PlacedDevice): string =>
  names.length === 0 ? pciAddress : names.join(', ');

/** The GPUs of one vendor. */
interface ListedGpus {
  readonly devices: readonly { readonly device: Pick<GpuDevice, 'index' | 'pciAddress'> }[];
  readonly failed: readonly Pick<FailedGpu, 'index' | 'pciAddress'>[];
}

/** "GPU 0" as the inventory counts them, or the address of one that is not in it. */
export const gpuLabel =
  (vendors: readonly ListedGpus[]) =>
  ({ pciAddress }: PlacedDevice): string => {
    const known = vendors.flatMap(({ devices, failed }) => [
      ...devices.map(({ device }) => device),
      ...failed,
    ]);
    const index = known.find(each => each.pciAddress === pciAddress)?.index;
    return index === undefined || isUnknown(index) ? `GPU ${pciAddress}` : `GPU ${index}`;
  };

interface NearAdapters {
  readonly adapters: readonly PlacedDevice[];
  readonly way: InsideWay;
}

/** The network adapters that belong to a GPU: the nearest ones. Undefined if there is none, or no way is known. */
export const nearestAdapters = (topology: NodeTopology, gpu: PlacedDevice): NearAdapters | undefined => {
  const known = placedOf(topology, 'nic').flatMap(adapter => {
    const way = insideWay(topology, gpu, adapter);
    return isUnknown(way) ? [] : [{ adapter, way, rank: RANKS.indexOf(way.way) }];
  });
  if (known.length === 0) return undefined;
  const best = minimumOf(known.map(({ rank }) => rank));
  const near = known.filter(({ rank }) => rank === best);
  const [first] = near;
  return first === undefined ? undefined : { adapters: near.map(({ adapter }) => adapter), way: first.way };
};

const RANKS: readonly string[] = Object.keys(INSIDE_WAYS);
