// What people and programs ask for that is not stored: nodes as one view, links as a flat list.

import { ageMsOf } from '../../core/entry-maps.ts';
import { isNodeId, type NodeId } from '../../core/ids.ts';
import type { Connection } from '../../core/link/connection.ts';
import type { LinkFigure, UnusualFigure } from '../../core/link/link-health.ts';
import { unusualLinkFigures } from '../../core/link/link-health.ts';
import type { LinkProfile } from '../../core/link/link-profile.ts';
import { type NodeView, nodeView } from '../../core/node/node-view.ts';
import { nodeIds, presence } from '../../core/node/presence-view.ts';
import type { Entry, State } from '../../core/state.ts';
import { type Unknown, unknown } from '../../core/unknown.ts';

/** A value of another writer with its age now. */
export interface Aged<T> {
  readonly value: T;
  readonly ageMs: number;
}

export interface LinkRow {
  readonly source: NodeId;
  readonly sink: NodeId;
  readonly connectionKey: string;
  readonly connection: Aged<Connection>;
  readonly profile: Aged<LinkProfile> | Unknown;
  /** Figures that are far worse than the median of the last week. */
  readonly unusual: readonly UnusualFigure<LinkFigure>[];
}

/** A node's view whose GPU profiles carry their age now, like everything else in it. */
export const nodeRow = (state: State, node: NodeId, nowMs: number): NodeView => {
  const view = nodeView(state, node, nowMs);
  return {
    ...view,
    gpus: view.gpus.map(vendor => ({
      ...vendor,
      devices: vendor.devices.map(gpu => ({
        ...gpu,
        profile:
          gpu.profile === undefined ? undefined : { ...gpu.profile, ageMs: ageMsOf(gpu.profile, nowMs) },
      })),
    })),
  };
};

/** Connections of nodes that are here; an offline node carries nothing. */
export const linkRows = (state: State, nowMs: number): readonly LinkRow[] => {
  const present = new Set(nodeIds(state).filter(node => presence(state, node, nowMs) !== 'offline'));
  const isPresent = (id: string): id is NodeId => isNodeId(id) && present.has(id);
  return [...present].flatMap(source =>
    Object.keys(state.connections[source] ?? {})
      .filter(isPresent)
      .flatMap(sink => linkRowsBetween(state, { source, sink, nowMs })),
  );
};

const linkRowsBetween = (
  state: State,
  { source, sink, nowMs }: { readonly source: NodeId; readonly sink: NodeId; readonly nowMs: number },
): readonly LinkRow[] =>
  Object.entries(state.connections[source]?.[sink] ?? {}).map(([connectionKey, connection]) => {
    const profile = state.linkProfiles[source]?.[sink]?.[connectionKey];
    return {
      source,
      sink,
      connectionKey,
      connection: aged(connection, nowMs),
      profile: profile === undefined ? unknown('not measured yet') : aged(profile, nowMs),
      unusual: unusualLinkFigures(state, source, { kind: 'link', sink, connectionKey }),
    };
  });

const aged = <T>(entry: Entry<T>, nowMs: number): Aged<T> => ({
  value: entry.value,
  ageMs: ageMsOf(entry, nowMs),
});
