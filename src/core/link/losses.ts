// Which closed connections remain as lost: those whose loss matters. And which of those are closed for good:
// what a person has forgotten, an address that its path no longer needs, and connections of an interface that
// has been gone for a week.

import { ageMsOf, entriesOf } from '../entry-maps.ts';
import { isNodeId, type NodeId } from '../ids.ts';
import { isForgotten } from '../node/presence-view.ts';
import type { State } from '../state.ts';
import { isKnown } from '../unknown.ts';
import type { Connection } from './connection.ts';
import { lostBetween } from './forget-link.ts';
import type { ConnectionClosed } from './link-kinds.ts';
import { type PathProfiles, pathEnds, pathKey, pathProfiles } from './link-path.ts';
import { rdmaInterfaceParts } from './rdma-ports.ts';

/**
 * It was open for a minute, or something was measured on its path.
 * @param openMs for how long it was open
 */
export const isMissed = (state: State, source: NodeId, connection: Connection, openMs: number): boolean =>
  openMs >= SETTLED_MS ||
  pathProfiles(pathEnds(state, source, connection.sink)).get(pathKey(source, connection))?.newest !==
    undefined;

/** @param isLongGone whether an interface of a node has been missing for longer than one bad reading */
export const expiredLosses = (
  state: State,
  self: NodeId,
  nowMs: number,
  isLongGone: (node: NodeId, interfaceName: string) => boolean = () => true,
): readonly ConnectionClosed[] =>
  Object.entries(state.lostConnections[self] ?? {}).flatMap(([sink, lost]) => {
    if (!isNodeId(sink)) return [];
    const open = openForLong(state, [self, sink], nowMs);
    const profiles = pathProfiles(pathEnds(state, self, sink));
    const remembered = isForgotten(state, sink)
      ? NONE
      : new Set(lostBetween(state, self, sink).map(({ connectionKey }) => connectionKey));
    return Object.entries(lost).flatMap(([connectionKey, entry]): readonly ConnectionClosed[] => {
      const { connection, lostAgeMs } = entry.value;
      const expiry = !remembered.has(connectionKey)
        ? FORGOTTEN
        : open.has(pathKey(self, connection))
          ? holdsFigures(profiles.get(pathKey(self, connection)), self, connectionKey)
            ? undefined
            : ADDRESS
          : isInterfaceGone(state, self, connection, isLongGone)
            ? INTERFACE
            : undefined;
      if (expiry === undefined || lostAgeMs + ageMsOf(entry, nowMs) < expiry.afterMs) return [];
      return [{ sink, connectionKey, reason: expiry.reason }];
    });
  });

/** Paths with a connection that has been open for as long as a replaced address may take to come back. */
const openForLong = (
  state: State,
  [one, other]: readonly [NodeId, NodeId],
  nowMs: number,
): ReadonlySet<string> =>
  new Set(
    [
      { source: one, sink: other },
      { source: other, sink: one },
    ].flatMap(({ source, sink }) =>
      entriesOf(state.connections[source]?.[sink])
        .filter(entry => ageMsOf(entry, nowMs) >= ADDRESS.afterMs)
        .map(({ value }) => pathKey(source, value)),
    ),
  );

/** The figures of its path were measured over it, and would be removed with it. */
const holdsFigures = (profiles: PathProfiles | undefined, source: NodeId, key: string): boolean =>
  profiles?.newest?.source === source && profiles.newest.connectionKey === key;

const isInterfaceGone = (
  state: State,
  source: NodeId,
  connection: Connection,
  isLongGone: (node: NodeId, interfaceName: string) => boolean,
): boolean =>
  [
    { node: source, name: connection.sourceInterface },
    { node: connection.sink, name: connection.sinkInterface },
  ].some(
    ({ node, name }) =>
      isKnown(name) &&
      interfacesOf(state, node, connection.kind)?.has(name) === false &&
      isLongGone(node, name),
  );

/** Undefined if the node has not reported any: then none is missing. */
const interfacesOf = (state: State, node: NodeId, kind: Connection['kind']): Names | undefined => {
  if (kind === 'socket') {
    const network = state.nodeNetworks[node]?.value;
    return network === undefined ? undefined : new Set(network.interfaces.map(({ name }) => name));
  }
  const devices = state.nodeRdmaDevices[node]?.value.devices;
  if (devices === undefined) return undefined;
  const names = new Set(devices.map(({ name }) => name));
  return { has: name => names.has(rdmaInterfaceParts(name).device) };
};

interface Names {
  has(name: string): boolean;
}

const NONE: ReadonlySet<string> = new Set();
const FORGOTTEN = { afterMs: 0, reason: 'forgotten by a person' } as const;
const SETTLED_MS = 60_000;
/** An address that was replaced, by a lease or a privacy extension, may return within this time. */
const ADDRESS = { afterMs: 3_600_000, reason: 'its path is open by another address' } as const;
const INTERFACE = {
  afterMs: 7 * 24 * 3_600_000,
  reason: 'its interface has been gone for a week',
} as const;
