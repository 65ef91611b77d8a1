// The current state of links: which figures are fresh, what is being measured, what failed and why, and what
// is gone with a node that is offline. A pure selector: the same in the browser, in a terminal and for the
// API.

import { maximumOf } from '../extremes.ts';
import type { NodeId } from '../ids.ts';
import { nodeIds, type Presence, presence } from '../node/presence-view.ts';
import { type ProbeStage, stageEndsAtMs, stageOf } from '../probe/probe-stage.ts';
import type { State } from '../state.ts';
import { ITEMS_OF_TURN, type Turns, toTheEnd } from '../turns.ts';
import type { ConnectionFacts, LinkFacts, LostPath, MeasuredFact, MeasuredWays } from './link-facts.ts';
import type { LinkMedium } from './link-medium.ts';
import { LinkBook } from './link-pairs.ts';
import { isMissed } from './losses.ts';
import { isNodeLoss, nodeLoss } from './node-loss.ts';

type LinkStanding =
  | { readonly kind: 'measured' }
  | { readonly kind: 'measuring' }
  | { readonly kind: 'waiting' | 'failed'; readonly reason: string }
  | { readonly kind: 'unmeasured' }
  /** Every path between the two nodes is lost, and both nodes are up. */
  | { readonly kind: 'lost'; readonly path: LostPath }
  /** Every path is lost because an end was away; it is back, and its connections are about to open again. */
  | { readonly kind: 'returning' }
  /** An end is offline: the line keeps its position and its last figures. */
  | { readonly kind: 'gone'; readonly offline: readonly NodeId[] };

export interface FigureView {
  readonly value: number;
  /** Older than two intervals, or the last good one of a probe that fails now. */
  readonly isStale: boolean;
  readonly of: ConnectionFacts;
}

export interface LinkView {
  readonly key: string;
  readonly nodes: readonly [NodeId, NodeId];
  readonly medium: LinkMedium;
  readonly best: ConnectionFacts;
  readonly connections: readonly ConnectionFacts[];
  readonly standing: LinkStanding;
  /** A probe runs on one of the connections, whether or not there are figures already. */
  readonly isMeasuring: boolean;
  /** Bits per second from the first node to the second, and back; none on a link without an open path. */
  readonly there: FigureView | undefined;
  readonly back: FigureView | undefined;
  /** Median round trip, ns. */
  readonly roundTrip: FigureView | undefined;
  /** The same figures, also for a link without an open path: then its last ones, all of them stale. */
  readonly last: LastFigures;
  /** Lost paths that are not expected to reopen by themselves; also if the link has other paths. */
  readonly lost: readonly LostPath[];
  /** Paths that closed because an end is or was away: they open again by themselves. */
  readonly away: readonly LostPath[];
  /** Every figure is stale, or an end has not been seen for a while. */
  readonly isStale: boolean;
}

type LastFigures = Pick<LinkView, 'there' | 'back' | 'roundTrip'>;

export const linkViews = (state: State, nowMs: number): readonly LinkView[] =>
  new LinkWatch().read(state, nowMs);

/** Number of links per node that are not gone. */
export const countLinks = (links: readonly LinkView[]): ReadonlyMap<NodeId, number> => {
  const counts = new Map<NodeId, number>();
  for (const { nodes, standing } of links) {
    if (!isCarrying(standing)) continue;
    for (const node of nodes) counts.set(node, (counts.get(node) ?? 0) + 1);
  }
  return counts;
};

/** Whether a connection of the link is open, measured or not. */
export const isCarrying = ({ kind }: LinkStanding): boolean =>
  kind !== 'gone' && kind !== 'lost' && kind !== 'returning';

export const figureAgeMs = (figure: FigureView, nowMs: number): number =>
  Math.max(0, nowMs - figure.of.measuredAtMs);

/** The age of the oldest figure shown: no figure is older than the age next to it. */
export const figuresAgeMs = ({ last }: { readonly last: LastFigures }, nowMs: number): number | undefined => {
  const ages = [last.there, last.back, last.roundTrip].flatMap(figure =>
    figure === undefined ? [] : figureAgeMs(figure, nowMs),
  );
  return ages.length === 0 ? undefined : maximumOf(ages);
};

interface Watched {
  readonly facts: LinkFacts;
  /** Until then no figure becomes stale and no lease ends. */
  readonly untilMs: number;
  readonly view: LinkView;
}

/**
 * Reads links repeatedly: an unchanged link is the same object, and if none has changed, the list is too. Two
 * hundred nodes have twenty thousand links, and a page reads them twice a second.
 */
export class LinkWatch {
  readonly #book = new LinkBook();
  #facts: readonly LinkFacts[] = [];
  #presences: ReadonlyMap<NodeId, Presence> = new Map();
  #statuses: State['probeStatuses'] = {};
  /** For all links: until then none of them becomes stale by itself. */
  #untilMs = Number.NEGATIVE_INFINITY;
  #watched: readonly (Watched | undefined)[] = [];
  #views: readonly LinkView[] = [];

  read(state: State, nowMs: number): readonly LinkView[] {
    const presences = new Map(nodeIds(state).map(id => [id, presence(state, id, nowMs)]));
    return toTheEnd(this.turns(state, nowMs, presences));
  }

  /** @param presences of each node, as already computed. */
  *turns(state: State, nowMs: number, presences: ReadonlyMap<NodeId, Presence>): Turns<readonly LinkView[]> {
    const facts = yield* this.#book.turns(state);
    const others = this.#otherNodes(presences, state.probeStatuses);
    if (facts === this.#facts && others.size === 0 && nowMs <= this.#untilMs) return this.#views;
    const before = facts === this.#facts ? this.#watched : this.#rearranged(facts);
    let hasChanged = facts !== this.#facts;
    let untilMs = Number.POSITIVE_INFINITY;
    const watched: (Watched | undefined)[] = [];
    for (const [index, link] of facts.entries()) {
      if (index % ITEMS_OF_TURN === 0) yield;
      const last = before[index];
      const isAsBefore = last?.facts === link && !others.has(link.nodes[0]) && !others.has(link.nodes[1]);
      if (isAsBefore && nowMs <= last.untilMs) {
        untilMs = Math.min(untilMs, last.untilMs);
        watched.push(last);
        continue;
      }
      const [a, b] = [presences.get(link.nodes[0]), presences.get(link.nodes[1])];
      const now = a === undefined || b === undefined ? undefined : watch(state, link, [a, b], nowMs);
      hasChanged ||= now !== undefined || last !== undefined;
      untilMs = Math.min(untilMs, now?.untilMs ?? untilMs);
      watched.push(now);
    }
    this.#presences = presences;
    this.#statuses = state.probeStatuses;
    this.#facts = facts;
    this.#watched = watched;
    this.#untilMs = untilMs;
    if (hasChanged) this.#views = watched.flatMap(seen => seen?.view ?? []);
    return this.#views;
  }

  /** Nodes whose presence has changed, or about whose probes an event arrived. */
  #otherNodes(
    presences: ReadonlyMap<NodeId, Presence>,
    statuses: State['probeStatuses'],
  ): ReadonlySet<NodeId> {
    const others = new Set<NodeId>();
    const haveSame = statuses === this.#statuses;
    for (const [node, now] of presences)
      if (this.#presences.get(node) !== now || (!haveSame && this.#statuses[node] !== statuses[node]))
        others.add(node);
    for (const node of this.#presences.keys()) if (!presences.has(node)) others.add(node);
    return others;
  }

  #rearranged(facts: readonly LinkFacts[]): readonly (Watched | undefined)[] {
    const hasSameOrder =
      facts.length === this.#facts.length &&
      facts.every((link, index) => link.key === this.#facts[index]?.key);
    if (hasSameOrder) return this.#watched;
    const byKey = new Map(this.#watched.map(seen => [seen?.facts.key, seen]));
    return facts.map(({ key }) => byKey.get(key));
  }
}

const watch = (
  state: State,
  facts: LinkFacts,
  presences: readonly [Presence, Presence],
  nowMs: number,
): Watched => {
  let untilMs = Number.POSITIVE_INFINITY;
  const end = (atMs: number): void => {
    if (atMs >= nowMs && atMs < untilMs) untilMs = atMs;
  };
  for (const { lostAtMs } of facts.lost) end(lostAtMs + SETTLED_MS);
  for (const { source, probeKey, staleAtMs } of facts.connections) {
    end(staleAtMs);
    end(stageEndsAtMs(state.probeStatuses[source]?.[probeKey]));
  }
  return { facts, untilMs, view: linkView(state, facts, presences, nowMs) };
};

const linkView = (
  state: State,
  { key, nodes, best, connections, lost, figures }: LinkFacts,
  presences: readonly [Presence, Presence],
  nowMs: number,
): LinkView => {
  const offline = nodes.filter((_, index) => presences[index] === 'offline');
  const recorded = withoutOpen(lost, connections, offline);
  const closed = [...recorded, ...unrecorded(state, { closed: recorded, connections, offline }, nowMs)];
  const common = {
    key,
    nodes,
    medium: best.medium,
    best,
    connections,
    lost: closed.filter(path => isLostForGood(path, offline, nowMs)),
    away: closed.filter(path => !isLostForGood(path, offline, nowMs)),
  };
  const shut =
    offline.length > 0 ? { kind: 'gone' as const, offline } : closedStanding(connections, lost, nowMs);
  if (shut !== undefined) {
    return {
      ...common,
      standing: shut,
      isMeasuring: false,
      there: undefined,
      back: undefined,
      roundTrip: undefined,
      last: figuresOf(figures, fact => ({ ...fact, isStale: true })),
      isStale: false,
    };
  }
  const stages = connections.map(facts => stageOfConnection(state, facts, nowMs));
  const now = figuresOf(figures, fact => ({ ...fact, isStale: isStaleNow(fact.of, nowMs) }));
  const known = Object.values(now).filter(figure => figure !== undefined);
  const isMeasuring = stages.some(stage => stage?.kind === 'running');
  return {
    ...common,
    ...now,
    last: now,
    standing: known.length > 0 ? { kind: 'measured' } : standingWithout(connections, stages),
    isMeasuring,
    isStale: presences.includes('stale') || (known.length > 0 && known.every(figure => figure.isStale)),
  };
};

/** State of a link with no open connection; undefined if there is one. */
const closedStanding = (
  connections: readonly ConnectionFacts[],
  lost: readonly LostPath[],
  nowMs: number,
): LinkStanding | undefined => {
  if (connections.length > 0) return undefined;
  const [path] = lost
    .filter(one => isLostForGood(one, [], nowMs))
    .toSorted((a, b) => b.lostAtMs - a.lostAtMs);
  return path === undefined ? { kind: 'returning' } : { kind: 'lost', path };
};

/** The last report of an end that is offline does not keep a path open. */
const withoutOpen = (
  lost: readonly LostPath[],
  connections: readonly ConnectionFacts[],
  offline: readonly NodeId[],
): readonly LostPath[] => {
  const open = new Set(connections.flatMap(({ source, path }) => (offline.includes(source) ? [] : [path])));
  return lost.filter(({ path }) => !open.has(path));
};

/**
 * Open in the last reports of both ends, of which one is gone now: away since then. The other end records
 * that only at its next check, and never if both are offline. Only paths that count as missed, as for
 * recorded losses.
 */
const unrecorded = (
  state: State,
  {
    closed,
    connections,
    offline,
  }: {
    readonly closed: readonly LostPath[];
    readonly connections: readonly ConnectionFacts[];
    readonly offline: readonly NodeId[];
  },
  nowMs: number,
): readonly LostPath[] => {
  const [node] = offline;
  const away = node === undefined ? undefined : nodeLoss(state, node, nowMs);
  if (away === undefined) return [];
  const { code, reason, atMs: lostAtMs } = away;
  const cause = { deadEnds: [], hasCarriers: false };
  const known = new Set(closed.map(({ path }) => path));
  const paths = new Map<string, LostPath>();
  for (const of of connections) {
    const existing = paths.get(of.path);
    if (known.has(of.path) || (existing !== undefined && (existing.of.isMeasuredHere || !of.isMeasuredHere)))
      continue;
    const entry = state.connections[of.source]?.[of.sink]?.[of.connectionKey];
    const openMs = entry === undefined ? 0 : lostAtMs - (entry.receivedAtMs - entry.ageMs);
    if (!isMissed(state, of.source, of.connection, openMs)) continue;
    paths.set(of.path, { path: of.path, of, lostAtMs, code, reason, cause });
  }
  return [...paths.values()];
};

/**
 * While an end is offline, only the other end's own interface is evidence of more than that. What closed
 * because a node was away opens again by itself; otherwise its source records another reason.
 */
const isLostForGood = (
  { code, cause, lostAtMs }: LostPath,
  offline: readonly NodeId[],
  nowMs: number,
): boolean => {
  const isDead = cause.deadEnds.some(({ node }) => !offline.includes(node));
  if (isDead || offline.length > 0) return isDead;
  // Until a killed node is offline, its cables look like those that a switch has lost.
  return !isNodeLoss(code) && (code !== 'no-answer' || nowMs >= lostAtMs + SETTLED_MS);
};

/** As long as a silent node takes to be offline. */
const SETTLED_MS = 30_000;

const figuresOf = (
  { there, back, roundTrip }: MeasuredWays,
  view: (fact: MeasuredFact) => FigureView,
): LastFigures => ({
  there: there === undefined ? undefined : view(there),
  back: back === undefined ? undefined : view(back),
  roundTrip: roundTrip === undefined ? undefined : view(roundTrip),
});

export const stageOfConnection = (
  state: State,
  { source, probeKey }: ConnectionFacts,
  nowMs: number,
): ProbeStage | undefined => stageOf(state.probeStatuses[source]?.[probeKey], nowMs);

export const isStaleNow = ({ staleAtMs, failure }: ConnectionFacts, nowMs: number): boolean =>
  failure !== undefined || nowMs > staleAtMs;

/** Why a link has no figures: the most promising reason of its connections. */
const standingWithout = (
  connections: readonly ConnectionFacts[],
  stages: readonly (ProbeStage | undefined)[],
): LinkStanding => {
  if (stages.some(stage => stage?.kind === 'running')) return { kind: 'measuring' };
  const waiting = stages.find(stage => stage?.kind === 'waiting');
  if (waiting?.kind === 'waiting') return { kind: 'waiting', reason: waiting.reason };
  const failed = connections.find(({ failure }) => failure !== undefined);
  return failed?.failure === undefined ? { kind: 'unmeasured' } : { kind: 'failed', reason: failed.failure };
};

// Which links a cluster has: every node to every other in a small cluster, and beyond that those that the
// nodes choose for the day (probe/schedule/measured-peers.ts). A missing link between two others is not a fault
// of any cable.

/** Nodes of a cluster in which every node measures every other: what a full mesh is made for. */
export const ALL_MEASURED_MAX = 64;

export const isSampled = (nodeCount: number): boolean => nodeCount > ALL_MEASURED_MAX;

export const NOT_CHOSEN = 'not chosen today';

/** Why there is no link between two present nodes. */
export const whyNoLink = (nodeCount: number): string => (isSampled(nodeCount) ? NOT_CHOSEN : 'not reachable');

/** Whether this node measures another one. */
export type IsChosenPeer = (node: NodeId) => boolean;
