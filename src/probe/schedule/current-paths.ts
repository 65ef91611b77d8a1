// The paths between present nodes, as the schedule sees them: each is measured once per lifetime, over one of its addresses and from
// one of its ends.

import { isNodeId, type NodeId } from '../../core/ids.ts';
import type { Connection } from '../../core/link/connection.ts';
import { linkKey, type PathProfiles, pathEnds, pathKey, pathProfiles } from '../../core/link/link-path.ts';
import { presence } from '../../core/node/presence-view.ts';
import type { Entry, State } from '../../core/state.ts';

/** A connection and its nodes. */
export interface PlacedLink {
  readonly source: NodeId;
  readonly key: string;
  readonly connection: Connection;
}

export interface OpenConnection extends PlacedLink {
  readonly entry: Entry<Connection>;
}

export interface CurrentPath {
  /** Open connections, of both ends; at least one. */
  readonly connections: readonly OpenConnection[];
  /** Undefined until it was attempted to measure it. */
  readonly profiles: PathProfiles | undefined;
}

/** Names a path among those of a cluster. */
export const pathName = ({ source, connection }: Pick<PlacedLink, 'source' | 'connection'>): string =>
  `${linkKey(source, connection.sink)} ${pathKey(source, connection)}`;

/** @param self only the paths of this node; undefined: all of them. */
export function* currentPaths(state: State, nowMs: number, self?: NodeId): Iterable<CurrentPath> {
  const gone = new Map<NodeId, boolean>();
  const isGone = (node: NodeId): boolean => {
    const known = gone.get(node) ?? presence(state, node, nowMs) === 'offline';
    gone.set(node, known);
    return known;
  };
  for (const [one, other] of openPairs(state, self))
    if (!isGone(one) && !isGone(other)) yield* pathsBetween(state, one, other);
}

/** Every two nodes with an open connection, once. */
function* openPairs({ connections }: State, self: NodeId | undefined): Iterable<readonly [NodeId, NodeId]> {
  const seen = new Set<string>();
  for (const [source, sinks] of Object.entries(connections)) {
    if (!isNodeId(source)) continue;
    for (const sink of Object.keys(sinks)) {
      if (!isNodeId(sink) || sink === source) continue;
      if (self !== undefined && source !== self && sink !== self) continue;
      const key = linkKey(source, sink);
      if (seen.has(key)) continue;
      seen.add(key);
      yield source < sink ? [source, sink] : [sink, source];
    }
  }
}

const pathsBetween = (state: State, one: NodeId, other: NodeId): readonly CurrentPath[] => {
  const open = new Map<string, OpenConnection[]>();
  for (const [source, sink] of [
    [one, other],
    [other, one],
  ] as const)
    for (const [key, entry] of Object.entries(state.connections[source]?.[sink] ?? {})) {
      const path = pathKey(source, entry.value);
      const ofPath = open.get(path) ?? [];
      ofPath.push({ source, key, connection: entry.value, entry });
      open.set(path, ofPath);
    }
  const profiles = pathProfiles(pathEnds(state, one, other));
  return [...open].map(([path, connections]) => ({ connections, profiles: profiles.get(path) }));
};
