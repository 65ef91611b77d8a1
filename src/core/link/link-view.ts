// Links as they stand now: what is fresh, what is being measured, what failed and why, and what went with a node that is
// offline. A pure selector: the same in the browser, in a terminal and for a program that asks.

import type { NodeId } from '../ids.ts';
import type { ProbeStage } from '../probe/probe-stage.ts';
import { stageOf } from '../probe/probe-stage.ts';
import { probeKey } from '../probe/probe-status.ts';
import type { Presence } from '../selectors.ts';
import { nodeIds, presence } from '../selectors.ts';
import type { State } from '../state.ts';
import type { ConnectionFacts, LinkFacts, MeasuredFact } from './link-facts.ts';
import type { LinkMedium } from './link-medium.ts';
import { allLinkFacts } from './link-pairs.ts';

export type LinkStanding =
  | { readonly kind: 'measured' }
  | { readonly kind: 'measuring' }
  | { readonly kind: 'waiting' | 'failed'; readonly reason: string }
  | { readonly kind: 'unmeasured' }
  /** An end is offline: the line keeps its place, its figures are taken out. */
  | { readonly kind: 'gone'; readonly offline: readonly NodeId[] };

export interface FigureView {
  readonly value: number;
  readonly ageMs: number;
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
  viewLinks(state, allLinkFacts(state), nowMs);

/** Of facts that are known already: a page that draws twice a second derives them only when they change. */
export const viewLinks = (state: State, links: readonly LinkFacts[], nowMs: number): readonly LinkView[] => {
  const presences = new Map(nodeIds(state).map(id => [id, presence(state, id, nowMs)]));
  return links.flatMap(link => {
    const [a, b] = link.nodes.map(id => presences.get(id));
    return a === undefined || b === undefined ? [] : [linkView(state, link, [a, b], nowMs)];
  });
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
  { source, sink, connectionKey }: ConnectionFacts,
  nowMs: number,
): ProbeStage | undefined =>
  stageOf(state.probeStatuses[source]?.[probeKey({ kind: 'link', sink, connectionKey })], nowMs);

export const isStaleNow = ({ staleAtMs, failure }: ConnectionFacts, nowMs: number): boolean =>
  failure !== undefined || nowMs > staleAtMs;

const figureView = (fact: MeasuredFact | undefined, nowMs: number): FigureView | undefined =>
  fact === undefined
    ? undefined
    : {
        value: fact.value,
        ageMs: Math.max(0, nowMs - fact.of.measuredAtMs),
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
