// One change to every entry of State that has a receipt: moving it onto another clock, or counting its age up to now.

import type { ByKey, ByNode, State } from './state.ts';

export interface Receipt {
  readonly receivedAtMs: number;
}

export type EntryChange = <E extends Receipt>(entry: E) => E;

export const mapEntries = (state: State, change: EntryChange): State => {
  const byNode = <E extends Receipt>(map: ByNode<E>): ByNode<E> => mapValues(map, change);
  const byKey = <E extends Receipt>(map: ByNode<ByKey<E>>): ByNode<ByKey<E>> =>
    mapValues(map, inner => mapValues(inner, change));
  const bySink = <E extends Receipt>(map: ByNode<ByNode<ByKey<E>>>): ByNode<ByNode<ByKey<E>>> =>
    mapValues(map, sinks => mapValues(sinks, inner => mapValues(inner, change)));
  return {
    nodeIdentities: byNode(state.nodeIdentities),
    nodeMemories: byNode(state.nodeMemories),
    nodeSystems: byNode(state.nodeSystems),
    nodeNetworks: byNode(state.nodeNetworks),
    nodeThunderbolts: byNode(state.nodeThunderbolts),
    nodeRdmaDevices: byNode(state.nodeRdmaDevices),
    nodeDisks: byNode(state.nodeDisks),
    nodeGpus: byKey(state.nodeGpus),
    nodeGpuLoads: byKey(state.nodeGpuLoads),
    nodeConfigs: byNode(state.nodeConfigs),
    readingStatuses: byKey(state.readingStatuses),
    nodeGpuProfiles: byKey(state.nodeGpuProfiles),
    connections: bySink(state.connections),
    linkProfiles: bySink(state.linkProfiles),
    probeStatuses: byKey(state.probeStatuses),
    probeBaselines: byKey(state.probeBaselines),
    nodeEndpoints: byNode(state.nodeEndpoints),
    runners: byKey(state.runners),
    runs: byKey(state.runs),
    runProgress: byKey(state.runProgress),
    nodeForgets: byKey(state.nodeForgets),
    nodeStops: byNode(state.nodeStops),
    nodeConflicts: byKey(state.nodeConflicts),
    origins: byNode(state.origins),
    unknownKinds: state.unknownKinds,
  };
};

/** By definition, not assignment: a peer may name a runner "__proto__", and it must stay a key. */
const mapValues = <T>(map: Readonly<Record<string, T>>, change: (value: T) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]));
