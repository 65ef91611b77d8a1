// Combined views: nothing here is stored. Age, staleness, presence and totals are derived from State and the reader's
// own monotonic clock, so every viewer sees a stalled source go stale without any event saying so.

import type { NodeId } from './ids.ts';
import type { ConflictView } from './node/conflict-view.ts';
import { conflictOf } from './node/conflict-view.ts';
import type { GpuDevice, GpuLoad, GpuVendor } from './node/gpu.ts';
import type { GpuProfile } from './node/gpu-profile.ts';
import type { ReadingKind, ReadingValues } from './node/reading.ts';
import { givenName, namesakes } from './node/shared-names.ts';
import { newestLiveOf, stoppedMs } from './node/stop-view.ts';
import { isAfter } from './position.ts';
import type { ProbeStage } from './probe/probe-stage.ts';
import { stageOf } from './probe/probe-stage.ts';
import { probeKey } from './probe/probe-status.ts';
import type { ByKey, Entry, ReadingEntry, ReadingStatus, State } from './state.ts';

export const ageMsOf = (
  entry: { readonly ageMs: number; readonly receivedAtMs: number },
  nowMs: number,
): number => Math.max(0, entry.ageMs + nowMs - entry.receivedAtMs);

/** A reading as a person should see it now. */
export type ReadingView<T> =
  | { readonly kind: 'waiting' }
  /** Nothing of the kind on this machine, and how that is known. */
  | { readonly kind: 'absent'; readonly reason: string; readonly source: string; readonly ageMs: number }
  /** Nothing was ever read, and why. */
  | { readonly kind: 'unavailable'; readonly reason: string; readonly source: string; readonly ageMs: number }
  | { readonly kind: 'current'; readonly value: T; readonly source: string; readonly ageMs: number }
  /** The last value, too old to be trusted, with the reason where the source gave one. */
  | {
      readonly kind: 'stale';
      readonly value: T;
      readonly source: string;
      readonly ageMs: number;
      readonly reason: string;
    };

/** A reading is stale past this many of its intervals: 2.5 and a view's tick stay within three. */
export const STALE_INTERVALS = 2.5;
/** A reading told twice a second may be late by a scheduler's hiccup without being called stale. */
export const STALE_MS_MIN = 2_000;

export const readingView = <T>(
  entry: ReadingEntry<T> | undefined,
  status: Entry<ReadingStatus> | undefined,
  nowMs: number,
): ReadingView<T> => {
  if (
    status?.value.kind === 'absent' &&
    (entry === undefined || ageMsOf(status, nowMs) <= ageMsOf(entry, nowMs))
  ) {
    return {
      kind: 'absent',
      reason: status.value.reason,
      source: status.value.source,
      ageMs: ageMsOf(status, nowMs),
    };
  }
  if (entry === undefined) {
    if (status?.value.kind !== 'failed') return { kind: 'waiting' };
    return {
      kind: 'unavailable',
      reason: status.value.reason,
      source: status.value.source,
      ageMs: ageMsOf(status, nowMs),
    };
  }
  const isConfirmed = status?.value.kind === 'confirmed';
  const ageMs = isConfirmed ? Math.min(ageMsOf(entry, nowMs), ageMsOf(status, nowMs)) : ageMsOf(entry, nowMs);
  const intervalMs = isConfirmed ? status.value.intervalMs : entry.intervalMs;
  const { value, source } = entry;
  if (status?.value.kind === 'failed' && ageMsOf(status, nowMs) < ageMs) {
    return { kind: 'stale', value, source, ageMs, reason: status.value.reason };
  }
  if (ageMs <= Math.max(STALE_MS_MIN, STALE_INTERVALS * intervalMs))
    return { kind: 'current', value, source, ageMs };
  return { kind: 'stale', value, source, ageMs, reason: `${source} has said nothing new` };
};

export type Presence = 'live' | 'stale' | 'offline';

export interface PresenceLimits {
  readonly staleMs: number;
  readonly offlineMs: number;
}

/** DESIGN §3.1: by local receipt, whatever the ages say. A node's own config may say otherwise. */
export const PRESENCE_LIMITS: PresenceLimits = { staleMs: 10_000, offlineMs: 30_000 };

/** Local receipt of the newest event of a node, ms; -Infinity for a node nobody has heard. */
export const lastHeardMs = (state: State, node: NodeId): number => {
  let newest = state.origins[node]?.receivedAtMs ?? Number.NEGATIVE_INFINITY;
  const hear = (entry: { readonly receivedAtMs: number } | undefined): void => {
    if (entry !== undefined && entry.receivedAtMs > newest) newest = entry.receivedAtMs;
  };
  hear(state.nodeMemories[node]);
  hear(state.nodeSystems[node]);
  hear(state.nodeDisks[node]);
  for (const load of entriesOf(state.nodeGpuLoads[node])) hear(load);
  for (const status of entriesOf(state.readingStatuses[node])) hear(status);
  return newest;
};

export const presence = (
  state: State,
  node: NodeId,
  nowMs: number,
  limits: PresenceLimits = state.nodeConfigs[node]?.value.presence ?? PRESENCE_LIMITS,
): Presence => {
  if (stoppedMs(state, node, nowMs) !== undefined) return 'offline';
  const silentMs = nowMs - lastHeardMs(state, node);
  if (silentMs >= limits.offlineMs) return 'offline';
  return silentMs >= limits.staleMs ? 'stale' : 'live';
};

/** Every node that wrote something and is not forgotten, in the order of their ids. */
export const nodeIds = (state: State): readonly NodeId[] => {
  const ids = new Set<NodeId>();
  for (const map of [
    state.origins,
    state.nodeIdentities,
    state.nodeMemories,
    state.nodeSystems,
    state.nodeDisks,
  ]) {
    for (const id of keysOf(map)) ids.add(id);
  }
  for (const id of keysOf(state.readingStatuses)) ids.add(id);
  for (const id of keysOf(state.nodeGpuLoads)) ids.add(id);
  return [...ids].filter(id => !isForgotten(state, id)).sort();
};

/** A node is hidden while everything it wrote lies at or before the point up to which somebody forgot it. */
export const isForgotten = (state: State, node: NodeId): boolean => {
  for (const forgets of entriesOf(state.nodeForgets)) {
    const point = forgets[node]?.value;
    if (point === undefined) continue;
    const durable = state.origins[node];
    const hasNewDurable =
      durable !== undefined && isAfter(durable, { epoch: point.durableEpoch, seq: point.durableSeq });
    const newestLive = newestLiveOf(state, node);
    const hasNewLive =
      newestLive !== undefined && isAfter(newestLive, { epoch: point.liveEpoch, seq: point.liveSeq });
    if (!hasNewDurable && !hasNewLive) return true;
  }
  return false;
};

/** All that is known of one node, each reading with its age. */
export interface NodeView {
  readonly nodeId: NodeId;
  /** The friendly name, or the first characters of the id while no identity is known. */
  readonly name: string;
  readonly presence: Presence;
  /** Ms since anything was heard of the node; Infinity when never in this process's lifetime. */
  readonly silentMs: number;
  /** Ms since it said that it stops; undefined where its silence, if any, came without a word. */
  readonly stoppedMs: number | undefined;
  readonly identity: ReadingView<ReadingValues['identity']>;
  readonly memory: ReadingView<ReadingValues['memory']>;
  readonly system: ReadingView<ReadingValues['system']>;
  readonly network: ReadingView<ReadingValues['network']>;
  readonly thunderbolt: ReadingView<ReadingValues['thunderbolt']>;
  readonly rdmaDevices: ReadingView<ReadingValues['rdmaDevices']>;
  readonly disk: ReadingView<ReadingValues['disk']>;
  readonly config: ReadingView<ReadingValues['config']>;
  readonly gpus: readonly VendorView[];
  /** The vendors of whom this machine has no GPU, and how that is known; none while nobody has looked yet. */
  readonly absentGpus: readonly { readonly vendor: GpuVendor; readonly reason: string }[];
  /** What the processor can do, where the node has measured that: never summed with GPUs. */
  readonly cpu: MeasuredDevice;
  readonly unknownKinds: readonly string[];
  /** Two machines run with this node's identity. */
  readonly conflict: ConflictView | undefined;
}

export interface VendorView {
  readonly vendor: GpuVendor;
  readonly inventory: ReadingView<ReadingValues['gpus']>;
  readonly loads: ReadingView<ReadingValues['gpuLoads']>;
  readonly devices: readonly GpuView[];
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
}

export const nodeView = (state: State, node: NodeId, nowMs: number): NodeView => {
  const vendors = VENDORS.map(vendor => vendorView(state, node, vendor, nowMs));
  const statuses = state.readingStatuses[node] ?? {};
  const view = <K extends Exclude<ReadingKind, 'gpus' | 'gpuLoads'>>(
    kind: K,
    entry: ReadingEntry<ReadingValues[K]> | undefined,
  ): ReadingView<ReadingValues[K]> => readingView(entry, statuses[kind], nowMs);
  const identity = state.nodeIdentities[node];
  return {
    nodeId: node,
    name: nodeName(state, node),
    presence: presence(state, node, nowMs),
    silentMs: nowMs - lastHeardMs(state, node),
    stoppedMs: stoppedMs(state, node, nowMs),
    identity: view('identity', identity),
    memory: view('memory', state.nodeMemories[node]),
    system: view('system', state.nodeSystems[node]),
    network: view('network', state.nodeNetworks[node]),
    thunderbolt: view('thunderbolt', state.nodeThunderbolts[node]),
    rdmaDevices: view('rdmaDevices', state.nodeRdmaDevices[node]),
    disk: view('disk', state.nodeDisks[node]),
    config: view('config', state.nodeConfigs[node]),
    gpus: vendors.filter(({ inventory, loads }) => isThere(inventory) || isThere(loads)),
    absentGpus: vendors.flatMap(({ vendor, inventory }) =>
      inventory.kind === 'absent' ? [{ vendor, reason: inventory.reason }] : [],
    ),
    cpu: measuredDevice(state, node, CPU_DEVICE_ID, nowMs),
    unknownKinds: Object.keys(state.unknownKinds[node] ?? {}).sort(),
    conflict: conflictOf(state, node, nowMs),
  };
};

/** As it may be shown: a name comes from another machine, and may be anything. Of two with one name, "ubuntu (3m3a)". */
export const nodeName = (state: State, node: NodeId): string => {
  const name = givenName(state, node);
  if (name === '') return node.slice(0, 8);
  const others = namesakes(state, name).filter(id => id !== node && !isForgotten(state, id));
  return others.length === 0 ? name : `${name} (${node.slice(-4)})`;
};

const vendorView = (state: State, node: NodeId, vendor: GpuVendor, nowMs: number): VendorView => {
  const statuses = state.readingStatuses[node] ?? {};
  const inventory = readingView(state.nodeGpus[node]?.[vendor], statuses[`gpus ${vendor}`], nowMs);
  const loads = readingView(state.nodeGpuLoads[node]?.[vendor], statuses[`gpuLoads ${vendor}`], nowMs);
  const held = inventory.kind === 'current' || inventory.kind === 'stale' ? inventory.value.devices : [];
  const loaded = loads.kind === 'current' || loads.kind === 'stale' ? loads : undefined;
  return {
    vendor,
    inventory,
    loads,
    devices: held.map(device => ({
      device,
      load: loaded?.value.devices.find(({ deviceId }) => deviceId === device.deviceId),
      loadAgeMs: loaded?.ageMs ?? Number.POSITIVE_INFINITY,
      isLoadStale: loaded?.kind === 'stale',
      ...measuredDevice(state, node, device.deviceId, nowMs),
    })),
  };
};

const measuredDevice = (state: State, node: NodeId, deviceId: string, nowMs: number): MeasuredDevice => ({
  profile: state.nodeGpuProfiles[node]?.[deviceId],
  probe: stageOf(state.probeStatuses[node]?.[probeKey({ kind: 'gpu', deviceId })], nowMs),
});

const isThere = (view: ReadingView<unknown>): boolean => view.kind !== 'waiting' && view.kind !== 'absent';

/** A map's values; none for a map that is not there. */
export const entriesOf = <T>(map: ByKey<T> | undefined): readonly T[] =>
  map === undefined ? [] : Object.values(map);

const keysOf = (map: { readonly [node: NodeId]: unknown }): readonly NodeId[] => {
  const keys: NodeId[] = [];
  for (const key in map) if (isOwnNode(map, key)) keys.push(key);
  return keys;
};

const isOwnNode = (map: object, key: string): key is NodeId => Object.hasOwn(map, key);

const VENDORS: readonly GpuVendor[] = ['nvidia', 'amd', 'apple', 'intel'];
/** The one device id that is no GPU's: `GpuProfile.deviceId`. */
const CPU_DEVICE_ID = 'cpu';
