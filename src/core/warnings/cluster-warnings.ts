// Everything in the cluster that needs a person's attention, serious things first: the same list in the
// dashboard, in a terminal and for Prometheus.

import { type LinkView, linkViews } from '../link/link-view.ts';
import type { NodeView } from '../node/node-view.ts';
import type { State } from '../state.ts';
import { type Turns, toTheEnd } from '../turns.ts';
import { linkWarnings } from './link-warnings.ts';
import { machineWarnings } from './machine-warnings.ts';
import { memoryWarnings } from './memory-warnings.ts';
import { nodeWarnings } from './node-warnings.ts';
import { pairWarnings } from './pair-warnings.ts';
import { portWarnings } from './port-warnings.ts';
import { rdmaWarnings } from './rdma-warnings.ts';
import { staleWarnings } from './stale-warnings.ts';
import { topologyWarnings } from './topology-warnings.ts';
import { boundedWarnings, type FoundWarning, inLevelOrder, shownWarning, type Warning } from './warning.ts';

interface ClusterSources {
  readonly state: State;
  readonly views: readonly NodeView[];
  readonly nowMs: number;
  /** If already computed. */
  readonly links?: readonly LinkView[];
}

/** Limited to as many as a person reads. */
export const clusterWarnings = (sources: ClusterSources): readonly Warning[] =>
  boundedWarnings(everyWarning(sources));

/** All of them, serious ones first: for counts by group. */
export const everyWarning = (sources: ClusterSources): readonly Warning[] =>
  toTheEnd(warningsInTurns(sources));

/** The same for a process that serves others in between. */
export function* warningsInTurns(sources: ClusterSources): Turns<readonly Warning[]> {
  return (yield* foundInTurns(sources)).map(shownWarning);
}

/** With the names separated from the sentences about them. */
export const foundWarnings = (sources: ClusterSources): readonly FoundWarning[] =>
  toTheEnd(foundInTurns(sources));

function* foundInTurns({ state, views, nowMs, links: seen }: ClusterSources): Turns<readonly FoundWarning[]> {
  const links = seen ?? linkViews(state, nowMs);
  const ofNodes = [
    ...nodeWarnings(state, views),
    ...memoryWarnings(views),
    ...rdmaWarnings(views),
    ...portWarnings(views),
  ];
  yield;
  const ofLinks = yield* linkWarnings({ state, views, links, nowMs });
  const ofPairs = [...pairWarnings(views, links), ...topologyWarnings(views, links)];
  yield;
  const ofMachines = machineWarnings(state, views);
  yield;
  // What is only late comes after what is broken.
  return inLevelOrder([...ofNodes, ...ofLinks, ...ofPairs, ...ofMachines, ...staleWarnings(state, views)]);
}

/**
 * For a view that is drawn several times a second: two hundred nodes have twenty thousand links, and a
 * warning may be two seconds late, among hundreds of nodes five.
 */
export class WarningWatch {
  #found: readonly Warning[] = [];
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #nodeCount = 0;

  read(sources: ClusterSources): readonly Warning[] {
    return toTheEnd(this.turns(sources));
  }

  *turns(sources: ClusterSources): Turns<readonly Warning[]> {
    const { nowMs, views } = sources;
    const waitMs = views.length > MANY_NODES ? LOOK_AGAIN_OF_MANY_MS : LOOK_AGAIN_MS;
    if (nowMs - this.#lookedAtMs < waitMs && views.length === this.#nodeCount) return this.#found;
    this.#found = boundedWarnings(yield* warningsInTurns(sources));
    this.#lookedAtMs = nowMs;
    this.#nodeCount = views.length;
    return this.#found;
  }
}

const LOOK_AGAIN_MS = 2_000;
const LOOK_AGAIN_OF_MANY_MS = 5_000;
const MANY_NODES = 80;
