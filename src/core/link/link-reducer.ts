// Connections and their profiles nest source → sink → key, so that no map copied on write grows with the square of
// the cluster.

import { changed, entryOf, put } from '../entries.ts';
import type { EventOf } from '../event.ts';
import type { NodeId } from '../ids.ts';
import type { ByKey, ByNode, State } from '../state.ts';
import { connectionKey } from './connection.ts';

type Nested<T> = ByNode<ByNode<ByKey<T>>>;

export const openConnection = (state: State, event: EventOf<'connection.opened'>): State => {
  const place = { source: event.origin, sink: event.payload.sink, key: connectionKey(event.payload) };
  return changed(state, { connections: putNested(state.connections, place, entryOf(event, event.payload)) });
};

/** A closed connection takes its profile out of the current picture; the journal's history keeps it. */
export const closeConnection = (state: State, event: EventOf<'connection.closed'>): State => {
  const place = { source: event.origin, sink: event.payload.sink, key: event.payload.connectionKey };
  return {
    ...state,
    connections: dropNested(state.connections, place),
    linkProfiles: dropNested(state.linkProfiles, place),
  };
};

export const putLinkProfile = (state: State, event: EventOf<'link.profiled'>): State => {
  const place = { source: event.origin, sink: event.payload.sink, key: event.payload.connectionKey };
  return changed(state, {
    linkProfiles: putNested(state.linkProfiles, place, entryOf(event, event.payload)),
  });
};

interface Place {
  readonly source: NodeId;
  readonly sink: NodeId;
  readonly key: string;
}

const putNested = <T>(map: Nested<T>, { source, sink, key }: Place, value: T): Nested<T> => {
  const sinks = map[source] ?? {};
  return put(map, source, put(sinks, sink, { ...sinks[sink], [key]: value }));
};

const dropNested = <T>(map: Nested<T>, { source, sink, key }: Place): Nested<T> => {
  const sinks = map[source];
  const held = sinks?.[sink];
  if (sinks === undefined || held === undefined || !Object.hasOwn(held, key)) return map;
  const { [key]: _dropped, ...rest } = held;
  if (Object.keys(rest).length > 0) return put(map, source, put(sinks, sink, rest));
  const { [sink]: _emptied, ...otherSinks } = sinks;
  if (Object.keys(otherSinks).length > 0) return put(map, source, otherSinks);
  const { [source]: _silent, ...otherSources } = map;
  return otherSources;
};
