// The whole picture: split by kind, keyed by the node that wrote each entry, so that every kind updates at its own
// rate and the first thing known is shown at once. Immutable; `apply` is the only writer.

import type { EventClass } from './event.ts';
import type { NodeId } from './ids.ts';
import type { Connection } from './link/connection.ts';
import type { LinkProfile } from './link/link-profile.ts';
import type { NodeEndpoints } from './node/endpoints.ts';
import type { GpuProfile } from './node/gpu-profile.ts';
import type { NodeConflict, NodeForgotten, NodeStopping } from './node/presence.ts';
import type { ReadingValues } from './node/reading.ts';
import type { ProbeBaseline } from './probe/probe-baseline.ts';
import type { ProbeStatus } from './probe/probe-status.ts';
import type { Run, Runner, RunProgress } from './run/run.ts';

/** A value with where it stands in its origin's order and how old it was when it arrived here. */
export interface Entry<T> {
  readonly value: T;
  readonly epoch: number;
  readonly seq: number;
  /** Age at receipt, ms. Age now = ageMs + (now - receivedAtMs). */
  readonly ageMs: number;
  /** On this process's monotonic clock, ms. */
  readonly receivedAtMs: number;
}

export interface ReadingEntry<T> extends Entry<T> {
  readonly source: string;
  readonly intervalMs: number;
}

export type ReadingStatus =
  | { readonly kind: 'confirmed'; readonly source: string; readonly intervalMs: number }
  | {
      /** 'absent': nothing of the kind on this machine. */
      readonly kind: 'failed' | 'absent';
      readonly source: string;
      readonly intervalMs: number;
      readonly reason: string;
    };

/** How far the durable events of an origin have been applied. */
export interface OriginProgress {
  readonly epoch: number;
  readonly seq: number;
  /** Local receipt of the newest durable event, ms. */
  readonly receivedAtMs: number;
}

/** A kind that this version does not know. */
export interface UnknownKind {
  readonly class: EventClass;
  readonly epoch: number;
  readonly seq: number;
  readonly count: number;
}

export type ByNode<T> = Readonly<Record<NodeId, T>>;
export type ByKey<T> = Readonly<Record<string, T>>;

export interface State {
  readonly nodeIdentities: ByNode<ReadingEntry<ReadingValues['identity']>>;
  readonly nodeMemories: ByNode<ReadingEntry<ReadingValues['memory']>>;
  readonly nodeSystems: ByNode<ReadingEntry<ReadingValues['system']>>;
  readonly nodeNetworks: ByNode<ReadingEntry<ReadingValues['network']>>;
  readonly nodeThunderbolts: ByNode<ReadingEntry<ReadingValues['thunderbolt']>>;
  readonly nodeRdmaDevices: ByNode<ReadingEntry<ReadingValues['rdmaDevices']>>;
  readonly nodeDisks: ByNode<ReadingEntry<ReadingValues['disk']>>;
  /** node → vendor */
  readonly nodeGpus: ByNode<ByKey<ReadingEntry<ReadingValues['gpus']>>>;
  /** node → vendor */
  readonly nodeGpuLoads: ByNode<ByKey<ReadingEntry<ReadingValues['gpuLoads']>>>;
  readonly nodeConfigs: ByNode<ReadingEntry<ReadingValues['config']>>;
  /** node → reading key: whether its source confirms it or fails. */
  readonly readingStatuses: ByNode<ByKey<Entry<ReadingStatus>>>;
  /** node → device id */
  readonly nodeGpuProfiles: ByNode<ByKey<Entry<GpuProfile>>>;
  /** source → sink → connection key */
  readonly connections: ByNode<ByNode<ByKey<Entry<Connection>>>>;
  /** source → sink → connection key */
  readonly linkProfiles: ByNode<ByNode<ByKey<Entry<LinkProfile>>>>;
  /** prober → probe key */
  readonly probeStatuses: ByNode<ByKey<Entry<ProbeStatus>>>;
  /** prober → probe key */
  readonly probeBaselines: ByNode<ByKey<Entry<ProbeBaseline>>>;
  readonly nodeEndpoints: ByNode<Entry<NodeEndpoints>>;
  /** reporter → runner key */
  readonly runners: ByNode<ByKey<Entry<Runner>>>;
  /** node → run id */
  readonly runs: ByNode<ByKey<Entry<Run>>>;
  /** node → run id */
  readonly runProgress: ByNode<ByKey<Entry<RunProgress>>>;
  /** who forgot → subject */
  readonly nodeForgets: ByNode<ByNode<Entry<NodeForgotten>>>;
  readonly nodeStops: ByNode<Entry<NodeStopping>>;
  /** who saw it → subject */
  readonly nodeConflicts: ByNode<ByNode<Entry<NodeConflict>>>;
  readonly origins: ByNode<OriginProgress>;
  /** origin → kind */
  readonly unknownKinds: ByNode<ByKey<UnknownKind>>;
}

export const EMPTY_STATE: State = {
  nodeIdentities: {},
  nodeMemories: {},
  nodeSystems: {},
  nodeNetworks: {},
  nodeThunderbolts: {},
  nodeRdmaDevices: {},
  nodeDisks: {},
  nodeGpus: {},
  nodeGpuLoads: {},
  nodeConfigs: {},
  readingStatuses: {},
  nodeGpuProfiles: {},
  connections: {},
  linkProfiles: {},
  probeStatuses: {},
  probeBaselines: {},
  nodeEndpoints: {},
  runners: {},
  runs: {},
  runProgress: {},
  nodeForgets: {},
  nodeStops: {},
  nodeConflicts: {},
  origins: {},
  unknownKinds: {},
};
