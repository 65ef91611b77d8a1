// Links as they stand now: what is fresh, what is being measured, what failed and why, and what went with a node that is
// offline. A pure selector: the same in the browser, in a terminal and for a program that asks.

import type { NodeId } from '../ids.ts';
import type { Presence } from '../node/presence-view.ts';
import { nodeIds, presence } from '../node/presence-view.ts';
import type { ProbeStage } from '../probe/probe-stage.ts';
import { stageEndsAtMs, stageOf } from '../probe/probe-stage.ts';
import type { State } from '../state.ts';
import type { Turns } from '../turns.ts';
import { ITEMS_OF_TURN, toTheEnd } from '../turns.ts';
import type { ConnectionFacts, LinkFacts, MeasuredFact } from './link-facts.ts';
import type { LinkMedium } from './link-medium.ts';
import { LinkBook } from './link-pairs.ts';

export type LinkStanding =
  | { readonly kind: 'measured' }
  | { readonly kind: 'measuring' }
  | { readonly kind: 'waiting' | 'failed'; readonly reason: string }
  | { readonly kind: 'unmeasured' }
  /** An end is offline: the line keeps its place, its figures are taken out. */
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
  /** Bits per second from the first node to the second, and back; none on a link that is gone. */
  readonly there: FigureView | undefined;
  readonly back: FigureView | undefined;
  /** Median round trip, ns. */
  readonly roundTrip: FigureView | undefined;
  /** Every figure is stale, or an end has not been heard for a while. */
  readonly isStale: boolean;
}

export const linkViews = (state: State, nowMs: number): readonly LinkView[] =>
  new LinkWatch().read(state, nowMs);

/** How many links each node has that are not gone. */
export const countLinks = (links: readonly LinkView[]): ReadonlyMap<NodeId, number> => {
  const counts = new Map<NodeId, number>();
  for (const { nodes, standing } of links) {
    if (standing.kind === 'gone') continue;
    for (const node of nodes) counts.set(node, (counts.get(node) ?? 0) + 1);
  }
  return counts;
};

export const figureAgeMs = (figure: FigureView, nowMs: number): number =>
  Math.max(0, nowMs - figure.of.measuredAtMs);

interface Watched {
  readonly facts: LinkFacts;
  /** Until then nothing turns stale and no lease ends. */
  readonly untilMs: number;
  readonly view: LinkView;
}

/**
 * Looks at links again and again: what has not changed is the same object again, and when nothing has, the same list. Two
 * hundred nodes have twenty thousand links, and a page looks twice a second.
 */
export class LinkWatch {
  readonly #book = new LinkBook();
  #facts: readonly LinkFacts[] = [];
  #presences: ReadonlyMap<NodeId, Presence> = new Map();
  #statuses: State['probeStatuses'] = {};
  /** Of all links: until then none of them turns stale by itself. */
  #untilMs = Number.NEGATIVE_INFINITY;
  #watched: readonly (Watched | undefined)[] = [];
  #views: readonly LinkView[] = [];

  read(state: State, nowMs: number): readonly LinkView[] {
    const presences = new Map(nodeIds(state).map(id => [id, presence(state, id, nowMs)]));
    return toTheEnd(this.turns(state, nowMs, presences));
  }

  /** @param presences of each node, as somebody has looked already. */
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

  /** Those that are not present as they were, or of whose probes something was told. */
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
    const isInPlace =
      facts.length === this.#facts.length &&
      facts.every((link, index) => link.key === this.#facts[index]?.key);
    if (isInPlace) return this.#watched;
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
  for (const { source, probeKey, staleAtMs } of facts.connections) {
    end(staleAtMs);
    end(stageEndsAtMs(state.probeStatuses[source]?.[probeKey]));
  }
  return { facts, untilMs, view: linkView(state, facts, presences, nowMs) };
};

const linkView = (
  state: State,
  { key, nodes, best, connections, there, back, roundTrip }: LinkFacts,
  presences: readonly [Presence, Presence],
  nowMs: number,
): LinkView => {
  const common = { key, nodes, medium: best.medium, best, connections };
  const offline = nodes.filter((_, index) => presences[index] === 'offline');
  if (offline.length > 0) {
    return {
      ...common,
      standing: { kind: 'gone', offline },
      isMeasuring: false,
      there: undefined,
      back: undefined,
      roundTrip: undefined,
      isStale: false,
    };
  }
  const stages = connections.map(facts => stageOfConnection(state, facts, nowMs));
  const figures = {
    there: figureView(there, nowMs),
    back: figureView(back, nowMs),
    roundTrip: figureView(roundTrip, nowMs),
  };
  const known = Object.values(figures).filter(figure => figure !== undefined);
  const isMeasuring = stages.some(stage => stage?.kind === 'running');
  return {
    ...common,
    ...figures,
    standing: known.length > 0 ? { kind: 'measured' } : standingWithout(connections, stages),
    isMeasuring,
    isStale: presences.includes('stale') || (known.length > 0 && known.every(figure => figure.isStale)),
  };
};

export const stageOfConnection = (
  state: State,
  { source, probeKey }: ConnectionFacts,
  nowMs: number,
): ProbeStage | undefined => stageOf(state.probeStatuses[source]?.[probeKey], nowMs);

export const isStaleNow = ({ staleAtMs, failure }: ConnectionFacts, nowMs: number): boolean =>
  failure !== undefined || nowMs > staleAtMs;

const figureView = (fact: MeasuredFact | undefined, nowMs: number): FigureView | undefined =>
  fact === undefined
    ? undefined
    : {
        value: fact.value,
        isStale: isStaleNow(fact.of, nowMs),
        of: fact.of,
      };

/** Why a link has no figures: the most hopeful reason of its connections. */
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
