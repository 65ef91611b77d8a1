// A path: all connections between one interface of a node and one interface of another, in both directions
// and over all addresses. It is measured once, over one of its addresses and from one end; its newest profile
// is its figure.

import type { NodeId } from '../ids.ts';
import type { ByKey, Entry, State } from '../state.ts';
import { isUnknown } from '../unknown.ts';
import { type Connection, connectionKey } from './connection.ts';
import { hasFigures, type LinkProfile } from './link-profile.ts';

/** Key of two nodes, independent of their order. */
export const linkKey = (a: NodeId, b: NodeId): string => (a < b ? `${a} ${b}` : `${b} ${a}`);

/**
 * Key of a path among those of two nodes; the same from both ends. A connection with an unknown interface is
 * a path of its own: it may lead anywhere.
 */
export const pathKey = (source: NodeId, connection: Connection): string => {
  const { kind, sink, sourceInterface, sinkInterface } = connection;
  if (isUnknown(sourceInterface) || isUnknown(sinkInterface))
    return `${connectionKey(connection)} from ${source}`;
  const [first, second] = source < sink ? [sourceInterface, sinkInterface] : [sinkInterface, sourceInterface];
  return `${kind} ${first} ${second}`;
};

/** Where a profile of a path was measured. */
export interface PathMeasurement {
  readonly source: NodeId;
  readonly connectionKey: string;
  readonly entry: Entry<LinkProfile>;
  /**
   * On this process's monotonic clock, ms: when its figures were measured, and when it was last attempted.
   */
  readonly measuredAtMs: number;
  readonly triedAtMs: number;
}

export interface PathProfiles {
  /** The figures of the path: the newest of all its connections; undefined until one has any. */
  readonly newest: PathMeasurement | undefined;
  /** The newest attempt, which may have failed; undefined if there was none. */
  readonly tried: PathMeasurement;
}

/** One end's connections of a pair of nodes, open or lost, with its profiles. */
export interface PathEnd {
  readonly source: NodeId;
  readonly connections: Iterable<readonly [key: string, connection: Connection]>;
  readonly profiles: ByKey<Entry<LinkProfile>> | undefined;
}

/** Profiles of each path that was ever attempted; two nodes, both ends. */
export const pathProfiles = (ends: readonly PathEnd[]): ReadonlyMap<string, PathProfiles> => {
  const paths = new Map<string, PathProfiles>();
  for (const { source, connections, profiles } of ends) {
    if (profiles === undefined) continue;
    for (const [key, connection] of connections) {
      const entry = Object.hasOwn(profiles, key) ? profiles[key] : undefined;
      if (entry === undefined) continue;
      const measurement = measurementOf(source, key, entry);
      const path = pathKey(source, connection);
      const existing = paths.get(path);
      paths.set(path, {
        newest: hasFigures(entry.value)
          ? newer(existing?.newest, measurement, 'measuredAtMs')
          : existing?.newest,
        tried: newer(existing?.tried, measurement, 'triedAtMs'),
      });
    }
  }
  return paths;
};

/** Both ends of two nodes, with open and lost connections. */
export const pathEnds = (
  state: Pick<State, 'connections' | 'lostConnections' | 'linkProfiles'>,
  one: NodeId,
  other: NodeId,
): readonly PathEnd[] =>
  [
    { source: one, sink: other },
    { source: other, sink: one },
  ].map(({ source, sink }) => ({
    source,
    connections: [
      ...Object.entries(state.connections[source]?.[sink] ?? {}).map(
        ([key, { value }]) => [key, value] as const,
      ),
      ...Object.entries(state.lostConnections[source]?.[sink] ?? {}).map(
        ([key, { value }]) => [key, value.connection] as const,
      ),
    ],
    profiles: state.linkProfiles[source]?.[sink],
  }));

const measurementOf = (source: NodeId, key: string, entry: Entry<LinkProfile>): PathMeasurement => {
  const triedAtMs = entry.receivedAtMs - entry.ageMs;
  return {
    source,
    connectionKey: key,
    entry,
    triedAtMs,
    measuredAtMs: triedAtMs - entry.value.measuredAgeMs,
  };
};

/** For equal times the one whose name sorts first, so that all nodes agree. */
const newer = (
  current: PathMeasurement | undefined,
  found: PathMeasurement,
  by: 'measuredAtMs' | 'triedAtMs',
): PathMeasurement => {
  if (current === undefined || found[by] > current[by]) return found;
  if (found[by] < current[by]) return current;
  return nameOf(found) < nameOf(current) ? found : current;
};

const nameOf = ({ source, connectionKey: key }: PathMeasurement): string => `${source} ${key}`;

/**
 * The profile as its other end would have measured it: upload and download exchanged. The same object each
 * time.
 */
export const fromOtherEnd = (profile: LinkProfile): LinkProfile => {
  const cached = TURNED.get(profile);
  if (cached !== undefined) return cached;
  const turned: LinkProfile = {
    ...profile,
    ...Object.fromEntries(Object.entries(profile).map(([name, value]) => [otherWay(name), value])),
  };
  TURNED.set(profile, turned);
  return turned;
};

/** Each figure of a direction exists as upload and as download. */
const otherWay = (name: string): string =>
  name.replace(/^(upload|download)(?=[A-Z])/, way => (way === 'upload' ? 'download' : 'upload'));

// Only a cache: views compare objects to find changes.
const TURNED = new WeakMap<LinkProfile, LinkProfile>();
