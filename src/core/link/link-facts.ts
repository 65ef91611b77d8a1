// A link: all connections between two nodes, as a person sees them, with the best figures of each direction. Nothing
// here depends on time: figures carry the moment at which they become stale, so a view only compares.

import type { NodeId } from '../ids.ts';
import { probeKey } from '../probe/probe-status.ts';
import type { ByKey, Entry } from '../state.ts';
import { isUnknown, knownOr } from '../unknown.ts';
import type { Connection } from './connection.ts';
import type { EndReadings, LinkCarrier } from './link-ends.ts';
import { linkCarrier } from './link-ends.ts';
import type { LinkMedium } from './link-medium.ts';
import { connectionMedium, mediumRank } from './link-medium.ts';
import type { LinkProfile } from './link-profile.ts';

/** One way from a source to a sink, with what was measured on it. */
export interface ConnectionFacts {
  readonly source: NodeId;
  readonly sink: NodeId;
  readonly connectionKey: string;
  /** Under which its source tells what the probe does. */
  readonly probeKey: string;
  readonly connection: Connection;
  /** What it is and what it should carry, from both of its ends. */
  readonly carrier: LinkCarrier;
  readonly medium: LinkMedium;
  readonly profile: LinkProfile | undefined;
  /** Why the newest attempt to measure failed; undefined where it did not. */
  readonly failure: string | undefined;
  /** On this process's monotonic clock, ms: when the figures were measured, and from when they are stale. */
  readonly measuredAtMs: number;
  readonly staleAtMs: number;
}

export interface MeasuredFact {
  /** Bits per second, or nanoseconds. */
  readonly value: number;
  readonly of: ConnectionFacts;
}

export interface LinkFacts {
  /** Both ids, the lesser one first. */
  readonly key: string;
  readonly nodes: readonly [NodeId, NodeId];
  /** In a lasting order: by medium and negotiated rate, then by name, never by what was measured. */
  readonly connections: readonly ConnectionFacts[];
  /** The connection that carries most, or that should; an overlay only where there is nothing else. */
  readonly best: ConnectionFacts;
  /** The highest bandwidth from the first node to the second over all connections, bits per second. */
  readonly there: MeasuredFact | undefined;
  readonly back: MeasuredFact | undefined;
  /** The lowest median round trip, nanoseconds. */
  readonly roundTrip: MeasuredFact | undefined;
}

/** What one node reports about its connections to another. */
export interface Ways {
  readonly connections: ByKey<Entry<Connection>> | undefined;
  readonly profiles: ByKey<Entry<LinkProfile>> | undefined;
  /** What that node tells of its own interfaces. */
  readonly readings: EndReadings;
}

export const linkKey = (a: NodeId, b: NodeId): string => (a < b ? `${a} ${b}` : `${b} ${a}`);

/** Undefined if only loopback joins the two. */
export const linkFacts = (
  [first, second]: readonly [NodeId, NodeId],
  there: Ways,
  back: Ways,
): LinkFacts | undefined => {
  const connections = alternating(
    connectionFacts({ source: first, sink: second }, there, back.readings).toSorted(inLastingOrder),
    connectionFacts({ source: second, sink: first }, back, there.readings).toSorted(inLastingOrder),
  );
  return joined(linkKey(first, second), [first, second], connections);
};

/** The same link after something was measured on it: its ways and their order, which no measurement changes, stay. */
export const measuredAnew = (before: LinkFacts, there: Ways, back: Ways): LinkFacts => {
  const connections = before.connections.map(facts => {
    const entry = (facts.source === before.nodes[0] ? there : back).profiles?.[facts.connectionKey];
    return entry?.value === facts.profile ? facts : { ...facts, ...measuredPart(facts.connection, entry) };
  });
  return joined(before.key, before.nodes, connections) ?? before;
};

const joined = (
  key: string,
  nodes: readonly [NodeId, NodeId],
  connections: readonly ConnectionFacts[],
): LinkFacts | undefined => {
  const best = carrying(connections);
  if (best === undefined) return undefined;
  const fastest = (from: NodeId): MeasuredFact | undefined =>
    bestOf(
      connections,
      facts => rateFrom(facts, from),
      (a, b) => a > b,
    );
  return {
    key,
    nodes,
    connections,
    best,
    there: fastest(nodes[0]),
    back: fastest(nodes[1]),
    roundTrip: bestOf(connections, roundTripOf, (a, b) => a < b),
  };
};

/** From one node to the other, whoever measured it: the way up of its own connections, the way down of the others. */
export const rateFrom = ({ source, profile }: ConnectionFacts, from: NodeId): number | undefined => {
  if (profile === undefined) return undefined;
  return knownOr(source === from ? profile.uploadBitsPerSecond : profile.downloadBitsPerSecond, undefined);
};

const roundTripOf = ({ profile }: ConnectionFacts): number | undefined =>
  profile === undefined ? undefined : knownOr(profile.roundTripNsP50, undefined);

const connectionFacts = (
  { source, sink }: Pick<ConnectionFacts, 'source' | 'sink'>,
  ways: Ways,
  sinkReadings: EndReadings,
): readonly ConnectionFacts[] =>
  Object.entries(ways.connections ?? {}).flatMap(([connectionKey, { value: connection }]) => {
    const carrier = linkCarrier(connection, ways.readings, sinkReadings);
    const medium = connectionMedium(connection.kind, carrier);
    if (medium === undefined) return [];
    return [
      {
        source,
        sink,
        connectionKey,
        probeKey: probeKey({ kind: 'link', sink, connectionKey }),
        connection,
        carrier,
        medium,
        ...measuredPart(connection, ways.profiles?.[connectionKey]),
      },
    ];
  });

type MeasuredPart = Pick<ConnectionFacts, 'profile' | 'failure' | 'measuredAtMs' | 'staleAtMs'>;

const measuredPart = (connection: Connection, entry: Entry<LinkProfile> | undefined): MeasuredPart => {
  if (entry === undefined) return NEVER_MEASURED;
  const profile = entry.value;
  const measuredAtMs = entry.receivedAtMs - entry.ageMs - profile.measuredAgeMs;
  const usualMs = connection.kind === 'rdma' ? RDMA_INTERVAL_MS : SOCKET_INTERVAL_MS;
  return {
    profile,
    failure: isUnknown(profile.failure) ? profile.failure.reason : undefined,
    measuredAtMs,
    staleAtMs: measuredAtMs + STALE_INTERVALS * knownOr(profile.intervalMs, usualMs),
  };
};

/** The last good figure of a probe that fails now counts only where no other connection has one. */
const bestOf = (
  connections: readonly ConnectionFacts[],
  figureOf: (facts: ConnectionFacts) => number | undefined,
  isBetter: (a: number, b: number) => boolean,
): MeasuredFact | undefined => {
  let best: MeasuredFact | undefined;
  for (const of of connections) {
    const value = figureOf(of);
    if (value === undefined) continue;
    const isHealthier = best === undefined || (best.of.failure !== undefined && of.failure === undefined);
    const isAsHealthy = best !== undefined && (best.of.failure === undefined) === (of.failure === undefined);
    if (isHealthier || (isAsHealthy && best !== undefined && isBetter(value, best.value)))
      best = { value, of };
  }
  return best;
};

/**
 * What a link is made of: the connection that carries most. An overlay runs over another link, and describes only
 * itself.
 */
const carrying = (connections: readonly ConnectionFacts[]): ConnectionFacts | undefined => {
  const physical = connections.filter(({ medium }) => medium !== 'overlay');
  const asked = physical.length > 0 ? physical : connections;
  return bestOf(asked, fasterWay, (a, b) => a > b)?.of ?? asked[0];
};

const fasterWay = (facts: ConnectionFacts): number | undefined => {
  const up = rateFrom(facts, facts.source);
  const down = rateFrom(facts, facts.sink);
  if (up === undefined || down === undefined) return up ?? down;
  return Math.max(up, down);
};

/** Both directions alternate while they are of one kind, so the two ends of a cable are next to each other. */
const alternating = (
  there: readonly ConnectionFacts[],
  back: readonly ConnectionFacts[],
): readonly ConnectionFacts[] => {
  const ranked = [there, back].flatMap((ways, side) => ways.map((facts, rank) => ({ facts, rank, side })));
  return ranked
    .sort((a, b) => bySort(a.facts, b.facts) || a.rank - b.rank || a.side - b.side)
    .map(({ facts }) => facts);
};

const bySort = (a: ConnectionFacts, b: ConnectionFacts): number =>
  mediumRank(a.medium) - mediumRank(b.medium) ||
  knownOr(b.carrier.negotiatedBitsPerSecond, 0) - knownOr(a.carrier.negotiatedBitsPerSecond, 0);

const inLastingOrder = (a: ConnectionFacts, b: ConnectionFacts): number =>
  bySort(a, b) || compare(a.connectionKey, b.connectionKey);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const NEVER_MEASURED: MeasuredPart = {
  profile: undefined,
  failure: undefined,
  measuredAtMs: Number.NEGATIVE_INFINITY,
  staleAtMs: Number.NEGATIVE_INFINITY,
};
/** Two intervals without a new measurement: the second one should have come long ago. */
const STALE_INTERVALS = 2;
/** DESIGN §3.6, for a profile that a person asked for and that names no next one. */
const SOCKET_INTERVAL_MS = 300_000;
const RDMA_INTERVAL_MS = 21_600_000;
