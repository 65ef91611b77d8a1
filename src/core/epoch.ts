// A newer epoch of an origin replaces everything durable that an older one wrote: the old journal is gone, so nothing
// would ever correct it.

import type { NodeId } from './ids.ts';
import type { ByNode, State } from './state.ts';

export const dropOldEpoch = (state: State, origin: NodeId): State => ({
  ...state,
  nodeIdentities: without(state.nodeIdentities, origin),
  nodeNetworks: without(state.nodeNetworks, origin),
  nodeThunderbolts: without(state.nodeThunderbolts, origin),
  nodeRdmaDevices: without(state.nodeRdmaDevices, origin),
  nodeGpus: without(state.nodeGpus, origin),
  nodeConfigs: without(state.nodeConfigs, origin),
  nodeGpuProfiles: without(state.nodeGpuProfiles, origin),
  connections: without(state.connections, origin),
  linkProfiles: without(state.linkProfiles, origin),
  runs: without(state.runs, origin),
  nodeForgets: without(state.nodeForgets, origin),
  unknownKinds: withoutDurable(state.unknownKinds, origin),
});

const without = <T>(map: ByNode<T>, origin: NodeId): ByNode<T> => {
  if (!Object.hasOwn(map, origin)) return map;
  const { [origin]: _dropped, ...rest } = map;
  return rest;
};

const withoutDurable = (map: State['unknownKinds'], origin: NodeId): State['unknownKinds'] => {
  const kinds = map[origin];
  if (kinds === undefined) return map;
  const live = Object.entries(kinds).filter(([, kind]) => kind.class === 'live');
  return live.length === 0 ? without(map, origin) : { ...map, [origin]: Object.fromEntries(live) };
};
