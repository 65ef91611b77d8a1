// A link: all paths between two nodes, as a person sees them, with the figure of the best path in each
// direction. A lost path keeps its last figures. Nothing here depends on time: figures contain the moment at
// which they become stale, so a view only compares.

import { minimumOf } from '../extremes.ts';
import type { NodeId } from '../ids.ts';
import { probeKey } from '../probe/probe-status.ts';
import type { ByKey, Entry } from '../state.ts';
import { compareText } from '../text/single-line.ts';
import { isUnknown, knownOr } from '../unknown.ts';
import type { Connection, LossCode } from './connection.ts';
import type { LostEntry } from './forget-link.ts';
import { type EndReadings, type LinkCarrier, linkCarrier } from './link-ends.ts';
import { connectionMedium, type LinkMedium, mediumRank } from './link-medium.ts';
import {
  fromOtherEnd,
  linkKey,
  type PathEnd,
  type PathMeasurement,
  type PathProfiles,
  pathKey,
  pathProfiles,
} from './link-path.ts';
import type { LinkProfile } from './link-profile.ts';
import { type LossCause, lossCause } from './loss-cause.ts';

/** One connection from a source to a sink, with what was measured on it. */
export interface ConnectionFacts {
  readonly source: NodeId;
  readonly sink: NodeId;
  readonly connectionKey: string;
  /** Key under which its source reports the progress of the probe. */
  readonly probeKey: string;
  readonly connection: Connection;
  /** Its medium and its expected rate, from both of its ends. */
  readonly carrier: LinkCarrier;
  readonly medium: LinkMedium;
  /** Key of the path, made of both interfaces: connections of one path have the same figures. */
  readonly path: string;
  /**
   * The newest figures of its path, over any address and from either end, as seen from this source; with the
   * failure and interval of the newest attempt.
   */
  readonly profile: LinkProfile | undefined;
  /** Whether that profile was measured over this connection. */
  readonly isMeasuredHere: boolean;
  /** Why the newest attempt to measure the path failed; undefined if it did not. */
  readonly failure: string | undefined;
  /**
   * On this process's monotonic clock, ms: when the figures were measured, when they become stale, and the
   * newest attempt.
   */
  readonly measuredAtMs: number;
  readonly staleAtMs: number;
  readonly triedAtMs: number;
}

/** A path of which at least one end has lost its connections; it is lost if the other end has none either. */
export interface LostPath {
  readonly path: string;
  /** The connection whose figures are shown, as it was last recorded. */
  readonly of: ConnectionFacts;
  /** When the last of its connections was lost: this process's monotonic clock, ms. */
  readonly lostAtMs: number;
  readonly code: LossCode;
  /** As the source reported it. */
  readonly reason: string;
  /** What both ends' interfaces show now. */
  readonly cause: LossCause;
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
  /**
   * Open ones in a stable order: by medium and negotiated rate, then by name, never by what was measured.
   */
  readonly connections: readonly ConnectionFacts[];
  /** In the same order. */
  readonly lost: readonly LostPath[];
  /**
   * The connection that carries most, or should; an overlay only if there is nothing else, a lost one only if
   * none is open.
   */
  readonly best: ConnectionFacts;
  /** Figures of the open paths; of the lost ones if none is open. */
  readonly figures: MeasuredWays;
}

export interface MeasuredWays {
  /** The highest bandwidth of a path from the first node to the second, bits per second. */
  readonly there: MeasuredFact | undefined;
  readonly back: MeasuredFact | undefined;
  /** The lowest median round trip of a path, nanoseconds. */
  readonly roundTrip: MeasuredFact | undefined;
}

/** What one node reports about its connections to another. */
export interface Ways {
  readonly connections: ByKey<Entry<Connection>> | undefined;
  readonly lost: readonly LostEntry[];
  readonly profiles: ByKey<Entry<LinkProfile>> | undefined;
  /** The node's readings of its own interfaces. */
  readonly readings: EndReadings;
}

/** Undefined if only loopback joins the two. */
export const linkFacts = (
  [first, second]: readonly [NodeId, NodeId],
  there: Ways,
  back: Ways,
): LinkFacts | undefined => {
  const paths = profilesOf([first, second], there, back);
  const ends = [
    { source: first, sink: second, ways: there, sinkReadings: back.readings, paths },
    { source: second, sink: first, ways: back, sinkReadings: there.readings, paths },
  ] as const;
  const lost = onePerPath(ends.flatMap(lostFacts)).toSorted((a, b) => inLastingOrder(a.of, b.of));
  // An end that is cut off cannot report the loss of its own direction.
  const dead = new Set(lost.flatMap(({ path, cause }) => (cause.deadEnds.length > 0 ? [path] : [])));
  const open = (end: FactsFrom): readonly ConnectionFacts[] =>
    openFacts(end)
      .filter(({ path }) => !dead.has(path))
      .toSorted(inLastingOrder);
  const connections = alternating(open(ends[0]), open(ends[1]));
  return joined({ key: linkKey(first, second), nodes: [first, second], connections, lost });
};

/**
 * The same link after a measurement: its connections and their order, which do not depend on measurements,
 * stay.
 */
export const measuredAgain = (before: LinkFacts, there: Ways, back: Ways): LinkFacts => {
  const paths = profilesOf(before.nodes, there, back);
  const again = (facts: ConnectionFacts): ConnectionFacts => {
    const measured = measuredPart(facts, paths.get(facts.path));
    return isSameMeasured(facts, measured) ? facts : { ...facts, ...measured };
  };
  const connections = before.connections.map(again);
  const lost = before.lost.map(path => ({ ...path, of: again(path.of) }));
  return joined({ ...before, connections, lost }) ?? before;
};

const profilesOf = (
  [first, second]: readonly [NodeId, NodeId],
  there: Ways,
  back: Ways,
): ReadonlyMap<string, PathProfiles> => pathProfiles([pathEnd(first, there), pathEnd(second, back)]);

const pathEnd = (source: NodeId, { connections, lost, profiles }: Ways): PathEnd => ({
  source,
  connections: [
    ...Object.entries(connections ?? {}).map(([key, { value }]) => [key, value] as const),
    ...lost.map(({ connectionKey, entry }) => [connectionKey, entry.value.connection] as const),
  ],
  profiles,
});

const joined = ({
  key,
  nodes,
  connections,
  lost,
}: Omit<LinkFacts, 'best' | 'figures'>): LinkFacts | undefined => {
  const shown = connections.length > 0 ? connections : lost.map(({ of }) => of);
  const best = carrying(shown);
  if (best === undefined) return undefined;
  // An overlay runs over another path, which was in another state when the overlay was measured.
  const physical = shown.filter(({ medium, profile }) => medium !== 'overlay' && profile !== undefined);
  const counted = physical.length > 0 ? physical : shown;
  const fastest = (from: NodeId): MeasuredFact | undefined =>
    bestOf(
      counted,
      facts => rateFrom(facts, from),
      (a, b) => a > b,
    );
  const roundTrip = bestOf(counted, roundTripOf, (a, b) => a < b);
  const figures = { there: fastest(nodes[0]), back: fastest(nodes[1]), roundTrip };
  return { key, nodes, connections, lost, best, figures };
};

/**
 * From one node to the other, whichever end measured it: upload of its own connections, download of the
 * others.
 */
export const rateFrom = ({ source, profile }: ConnectionFacts, from: NodeId): number | undefined => {
  if (profile === undefined) return undefined;
  return knownOr(source === from ? profile.uploadBitsPerSecond : profile.downloadBitsPerSecond, undefined);
};

/** Of the slower direction, of those that are measured. */
export const slowerRate = (facts: ConnectionFacts): number | undefined => {
  const rates = [facts.source, facts.sink].flatMap(from => rateFrom(facts, from) ?? []);
  return rates.length === 0 ? undefined : minimumOf(rates);
};

/** Median, ns. */
export const roundTripOf = ({ profile }: ConnectionFacts): number | undefined =>
  profile === undefined ? undefined : knownOr(profile.roundTripNsP50, undefined);

/** Of its round trips, ns. */
export const jitterOf = ({ profile }: ConnectionFacts): number | undefined =>
  profile === undefined ? undefined : knownOr(profile.jitterNs, undefined);

interface FactsFrom {
  readonly source: NodeId;
  readonly sink: NodeId;
  readonly ways: Ways;
  readonly sinkReadings: EndReadings;
  readonly paths: ReadonlyMap<string, PathProfiles>;
}

const openFacts = (end: FactsFrom): readonly ConnectionFacts[] =>
  Object.entries(end.ways.connections ?? {}).flatMap(([key, { value }]) => connectionFacts(end, key, value));

const lostFacts = (end: FactsFrom): readonly LostPath[] =>
  end.ways.lost.flatMap(({ connectionKey, entry }) => {
    const { connection, code, reason, lostAgeMs } = entry.value;
    const lostAtMs = entry.receivedAtMs - entry.ageMs - Math.max(0, lostAgeMs);
    const cause = lossCause(connection, end, { source: end.ways.readings, sink: end.sinkReadings });
    return connectionFacts(end, connectionKey, connection).map(of => ({
      path: of.path,
      of,
      lostAtMs,
      code,
      reason,
      cause,
    }));
  });

/** One lost connection per path: measured ones before others, then the one lost last. */
const onePerPath = (lost: readonly LostPath[]): readonly LostPath[] => {
  const paths = new Map<string, LostPath>();
  for (const one of lost) {
    const existing = paths.get(one.path);
    if (existing === undefined) paths.set(one.path, one);
    else {
      const last = one.lostAtMs > existing.lostAtMs ? one : existing;
      paths.set(one.path, {
        ...last,
        of: existing.of.isMeasuredHere || !one.of.isMeasuredHere ? existing.of : one.of,
      });
    }
  }
  return [...paths.values()];
};

const connectionFacts = (
  { source, sink, ways, sinkReadings, paths }: FactsFrom,
  connectionKey: string,
  connection: Connection,
): readonly ConnectionFacts[] => {
  const carrier = linkCarrier(connection, ways.readings, sinkReadings);
  const medium = connectionMedium(connection.kind, carrier);
  if (medium === undefined) return [];
  const path = pathKey(source, connection);
  const key = {
    source,
    sink,
    connectionKey,
    probeKey: probeKey({ kind: 'link', sink, connectionKey }),
    connection,
    carrier,
    medium,
    path,
  };
  return [{ ...key, ...measuredPart(key, paths.get(path)) }];
};

type MeasuredPart = Pick<
  ConnectionFacts,
  'profile' | 'isMeasuredHere' | 'failure' | 'measuredAtMs' | 'staleAtMs' | 'triedAtMs'
>;

const measuredPart = (
  { source, connectionKey, connection }: Pick<ConnectionFacts, 'source' | 'connectionKey' | 'connection'>,
  profiles: PathProfiles | undefined,
): MeasuredPart => {
  if (profiles === undefined) return NEVER_MEASURED;
  const { newest, tried } = profiles;
  const of = newest ?? tried;
  const value = shownProfile(of.source === source ? of.entry.value : fromOtherEnd(of.entry.value), of, tried);
  const usualMs = connection.kind === 'rdma' ? RDMA_INTERVAL_MS : SOCKET_INTERVAL_MS;
  const { failure } = tried.entry.value;
  return {
    profile: value,
    isMeasuredHere: of.source === source && of.connectionKey === connectionKey,
    failure: isUnknown(failure) ? failure.reason : undefined,
    measuredAtMs: of.measuredAtMs,
    staleAtMs: of.measuredAtMs + STALE_INTERVALS * knownOr(of.entry.value.intervalMs, usualMs),
    triedAtMs: tried.triedAtMs,
  };
};

/** Figures of one attempt with the outcome of a newer one that failed: the same object each time. */
const shownProfile = (figures: LinkProfile, of: PathMeasurement, tried: PathMeasurement): LinkProfile => {
  if (of.entry === tried.entry) return figures;
  const cached = SHOWN.get(figures);
  if (cached?.after === tried.entry.value) return cached.shown;
  const { failure, intervalMs, bytesUsed, extrasBytes } = tried.entry.value;
  const measuredAgeMs = Math.max(0, tried.triedAtMs - of.measuredAtMs);
  const shown = { ...figures, failure, intervalMs, bytesUsed, extrasBytes, measuredAgeMs };
  SHOWN.set(figures, { after: tried.entry.value, shown });
  return shown;
};

// Only a cache: views compare objects to find changes.
const SHOWN = new WeakMap<LinkProfile, { readonly after: LinkProfile; readonly shown: LinkProfile }>();

const isSameMeasured = (facts: ConnectionFacts, now: MeasuredPart): boolean =>
  facts.profile === now.profile &&
  facts.isMeasuredHere === now.isMeasuredHere &&
  facts.failure === now.failure &&
  facts.measuredAtMs === now.measuredAtMs &&
  facts.staleAtMs === now.staleAtMs &&
  facts.triedAtMs === now.triedAtMs;

/** The last good figure of a probe that fails now counts only if no other connection has one. */
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
 * The medium of a link: that of the connection that carries most. An overlay runs over another link, and
 * describes only itself.
 */
const carrying = (connections: readonly ConnectionFacts[]): ConnectionFacts | undefined => {
  const physical = connections.filter(({ medium }) => medium !== 'overlay');
  const requested = physical.length > 0 ? physical : connections;
  return bestOf(requested, fasterWay, (a, b) => a > b)?.of ?? requested[0];
};

const fasterWay = (facts: ConnectionFacts): number | undefined => {
  const up = rateFrom(facts, facts.source);
  const down = rateFrom(facts, facts.sink);
  if (up === undefined || down === undefined) return up ?? down;
  return Math.max(up, down);
};

/** Alternates both directions of one kind, so that the two ends of a cable are adjacent. */
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
  bySort(a, b) || compareText(a.connectionKey, b.connectionKey);

const NEVER_MEASURED: MeasuredPart = {
  profile: undefined,
  isMeasuredHere: false,
  failure: undefined,
  measuredAtMs: Number.NEGATIVE_INFINITY,
  staleAtMs: Number.NEGATIVE_INFINITY,
  triedAtMs: Number.NEGATIVE_INFINITY,
};
/** Two intervals without a new measurement: the next one is long overdue. */
const STALE_INTERVALS = 2;
/** DESIGN §3.6; for a profile that a person requested, which has no next one. */
const SOCKET_INTERVAL_MS = 300_000;
const RDMA_INTERVAL_MS = 21_600_000;
