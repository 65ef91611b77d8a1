// Everything known about one node as a person should see it: its readings with their ages, its devices, its problems.
// Derived from State, never stored.

import { isNodeId, type NodeId } from '../ids.ts';
import { type ProbeStage, stageOf } from '../probe/probe-stage.ts';
import { probeKey } from '../probe/probe-status.ts';
import type { Entry, State } from '../state.ts';
import { compareText, singleLine } from '../text/single-line.ts';
import { knownOr } from '../unknown.ts';
import { type ConflictView, conflictOf } from './conflict-view.ts';
import type { FailedGpu } from './failed-gpu.ts';
import { GPU_VENDORS, type GpuDevice, type GpuLoad, type GpuVendor, withoutRatedPower } from './gpu.ts';
import { type GpuHealth, type HealthFinding, healthFindings } from './gpu-health.ts';
import type { GpuProfile } from './gpu-profile.ts';
import { isForgotten, lastSeenMs, type Presence, presenceAfter, stoppedMs } from './presence-view.ts';
import { NODE_READING_KINDS, type NodeReadingKind, type ReadingValues, readingEntry } from './reading.ts';
import { knownValue, type ReadingView, readingView } from './reading-view.ts';

/** The readings that a node has once, by name. */
export type NodeReadings = { readonly [R in NodeReadingKind]: ReadingView<ReadingValues[R]> };

/** All that is known of one node, each reading with its age. */
export interface NodeView extends NodeReadings {
  readonly nodeId: NodeId;
  /** The friendly name, or the first characters of the id while no identity is known. */
  readonly name: string;
  readonly presence: Presence;
  /** Ms since the node was last seen; Infinity if never in this process's lifetime. */
  readonly silentMs: number;
  /** Ms since it reported that it stops; undefined if it did not. */
  readonly stoppedMs: number | undefined;
  readonly gpus: readonly VendorView[];
  /** The vendors of which this machine has no GPU, with the evidence; none until a source has looked. */
  readonly absentGpus: readonly { readonly vendor: GpuVendor; readonly reason: string }[];
  /** The processor's profile, if the node has measured it: never summed with GPUs. */
  readonly cpu: MeasuredDevice;
  readonly unknownKinds: readonly string[];
  /** Kinds of which it sent more entries than any machine has, and how many were refused. */
  readonly refusedKinds: readonly RefusedKind[];
  /** Two machines run with this node's identity. */
  readonly conflict: ConflictView | undefined;
}

export interface VendorView {
  readonly vendor: GpuVendor;
  readonly inventory: ReadingView<ReadingValues['gpus']>;
  readonly loads: ReadingView<ReadingValues['gpuLoads']>;
  readonly healths: ReadingView<ReadingValues['gpuHealths']>;
  readonly devices: readonly GpuView[];
  /** GPUs that cannot be used; in no sum. */
  readonly failed: readonly FailedGpu[];
}

export interface MeasuredDevice {
  readonly profile: Entry<GpuProfile> | undefined;
  /** What its probe does now, or waits for. */
  readonly probe: ProbeStage | undefined;
}

export interface GpuView extends MeasuredDevice {
  readonly device: GpuDevice;
  readonly load: GpuLoad | undefined;
  readonly loadAgeMs: number;
  readonly isLoadStale: boolean;
  /** Undefined until reported. */
  readonly health: GpuHealth | undefined;
  /** The findings in it that need attention. */
  readonly findings: readonly HealthFinding[];
}

interface RefusedKind {
  readonly kind: string;
  readonly count: number;
}

/**
 * The name of a node's state on every surface (docs/words.md); in the API and in addresses `up` is `live`.
 */
export const presenceLabel = ({
  presence,
  stoppedMs,
}: Pick<NodeView, 'presence' | 'stoppedMs'>): 'up' | 'stale' | 'stopped' | 'offline' => {
  if (presence === 'offline') return stoppedMs === undefined ? 'offline' : 'stopped';
  return presence === 'live' ? 'up' : 'stale';
};

export const nodeView = (state: State, node: NodeId, nowMs: number): NodeView => {
  const vendors = GPU_VENDORS.map(vendor => vendorView(state, node, vendor, nowMs));
  const silentMs = nowMs - lastSeenMs(state, node);
  const stopped = stoppedMs(state, node, nowMs);
  return {
    nodeId: node,
    name: nodeName(state, node),
    presence:
      stopped === undefined ? presenceAfter(silentMs, state.nodeConfigs[node]?.value.presence) : 'offline',
    silentMs,
    stoppedMs: stopped,
    ...nodeReadings(state, node, nowMs),
    gpus: vendors.filter(({ inventory, loads }) => isThere(inventory) || isThere(loads)),
    absentGpus: vendors.flatMap(({ vendor, inventory }) =>
      inventory.kind === 'absent' ? [{ vendor, reason: inventory.reason }] : [],
    ),
    cpu: measuredDevice(state, node, CPU_DEVICE_ID, nowMs),
    unknownKinds: Object.keys(state.unknownKinds[node] ?? {}).sort(),
    refusedKinds: Object.entries(state.refusedKinds[node] ?? {}).map(([kind, { count }]) => ({
      kind,
      count,
    })),
    conflict: conflictOf(state, node, nowMs),
  };
};

/** 0..1, if the load is reported and fresh. */
export const freshGpuUse = ({ load, isLoadStale }: GpuView): number | undefined =>
  load === undefined || isLoadStale ? undefined : knownOr(load.use, undefined);

/**
 * Safe to display: a name comes from another machine, and may contain anything. If two nodes have one name,
 * "ubuntu (3m3a)".
 */
export const nodeName = (state: State, node: NodeId): string => {
  const name = givenName(state, node);
  if (name === '') return node.slice(0, 8);
  const others = namesakes(state, name).filter(id => id !== node && !isForgotten(state, id));
  return others.length === 0 ? name : `${name} (${node.slice(-4)})`;
};

const nodeReadings = (state: State, node: NodeId, nowMs: number): NodeReadings => {
  const statuses = state.readingStatuses[node] ?? {};
  const views: Record<string, ReadingView<unknown>> = {};
  for (const reading of NODE_READING_KINDS)
    views[reading] = readingView(
      readingEntry(state, node, { reading, vendor: 'none' }),
      statuses[reading],
      nowMs,
    );
  if (!hasEveryReading(views))
    throw new TypeError('the table of kinds and the readings of a node do not agree');
  return views;
};

const hasEveryReading = (views: Record<string, ReadingView<unknown>>): views is NodeReadings =>
  NODE_READING_KINDS.every(reading => Object.hasOwn(views, reading));

const vendorView = (state: State, node: NodeId, vendor: GpuVendor, nowMs: number): VendorView => {
  const statuses = state.readingStatuses[node] ?? {};
  const inventory = readingView(state.nodeGpus[node]?.[vendor], statuses[`gpus ${vendor}`], nowMs);
  const loads = readingView(state.nodeGpuLoads[node]?.[vendor], statuses[`gpuLoads ${vendor}`], nowMs);
  const healths = readingView(state.nodeGpuHealths[node]?.[vendor], statuses[`gpuHealths ${vendor}`], nowMs);
  const devices = knownValue(inventory)?.devices ?? [];
  const loaded = loads.kind === 'current' || loads.kind === 'stale' ? loads : undefined;
  return {
    vendor,
    inventory,
    loads,
    healths,
    devices: devices.map(device => {
      const load = loaded?.value.devices.find(({ deviceId }) => deviceId === device.deviceId);
      return {
        ...healthOf(knownValue(healths)?.devices ?? [], device.deviceId),
        device,
        load: load === undefined ? undefined : withoutRatedPower(load, device),
        loadAgeMs: loaded?.ageMs ?? Number.POSITIVE_INFINITY,
        isLoadStale: loaded?.kind === 'stale',
        ...measuredDevice(state, node, device.deviceId, nowMs),
      };
    }),
    failed: knownOr(knownValue(inventory)?.failed ?? NONE_FAILED, NONE_FAILED),
  };
};

const healthOf = (all: readonly GpuHealth[], deviceId: string): Pick<GpuView, 'health' | 'findings'> => {
  const health = all.find(each => each.deviceId === deviceId);
  return { health, findings: health === undefined ? [] : healthFindings(health, all) };
};

const measuredDevice = (state: State, node: NodeId, deviceId: string, nowMs: number): MeasuredDevice => ({
  profile: state.nodeGpuProfiles[node]?.[deviceId],
  probe: stageOf(state.probeStatuses[node]?.[probeKey({ kind: 'gpu', deviceId })], nowMs),
});

const isThere = (view: ReadingView<unknown>): boolean => view.kind !== 'waiting' && view.kind !== 'absent';

const NONE_FAILED: readonly FailedGpu[] = [];

/** The one device id that is not a GPU's: `GpuProfile.deviceId`. */
const CPU_DEVICE_ID = 'cpu';

// Nodes in the order in which a person looks for them: by name, as the dashboard lists them.
export const inNameOrder = (views: readonly NodeView[]): readonly NodeView[] =>
  views.toSorted((a, b) => compareText(a.name, b.name) || compareText(a.nodeId, b.nodeId));

// Which nodes have the same name: two machines called "ubuntu" are two machines, and every table, warning and
// command that names one must distinguish them.

/** The name that a node gives itself, safe to display; '' if it gave none. */
const givenName = (state: State, node: NodeId): string =>
  singleLine(state.nodeIdentities[node]?.value.friendlyName ?? '');

/** All nodes with that name, including forgotten ones and the node itself. */
const namesakes = (state: State, name: string): readonly NodeId[] =>
  groupsOf(state.nodeIdentities).get(name) ?? NOBODY;

const groupsOf = (identities: State['nodeIdentities']): ReadonlyMap<string, readonly NodeId[]> => {
  const known = GROUPS.get(identities);
  if (known !== undefined) return known;
  const groups = new Map<string, NodeId[]>();
  for (const [node, entry] of Object.entries(identities)) {
    if (!isNodeId(node)) continue;
    const name = singleLine(entry.value.friendlyName);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [node]);
    else group.push(node);
  }
  GROUPS.set(identities, groups);
  return groups;
};

// Only a cache: the identities are an immutable value, and names are needed by the thousand.
const GROUPS = new WeakMap<State['nodeIdentities'], ReadonlyMap<string, readonly NodeId[]>>();
const NOBODY: readonly NodeId[] = [];
