// Which two nodes are linked, and the facts of each such link. A page that draws twice a second keeps a LinkBook: of the
// thousands of links of a large cluster only those are derived anew of which something was told.

import type { NodeId } from '../ids.ts';
import { isNodeId } from '../ids.ts';
import type { ByNode, State } from '../state.ts';
import type { LinkFacts, Ways } from './link-facts.ts';
import { linkFacts } from './link-facts.ts';

type Pair = readonly [NodeId, NodeId];

export const allLinkFacts = (state: State): readonly LinkFacts[] => new LinkBook().read(state);

/** Every two nodes of which one tells a connection to the other, the lesser id first, in the order of their ids. */
export const linkPairs = ({ connections }: Pick<State, 'connections'>): readonly Pair[] => {
  const pairs = new Map<string, Pair>();
  for (const source of nodesOf(connections)) {
    for (const sink of nodesOf(connections[source] ?? {})) {
      if (source === sink) continue;
      const pair: Pair = source < sink ? [source, sink] : [sink, source];
      pairs.set(`${pair[0]} ${pair[1]}`, pair);
    }
  }
  return [...pairs].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, pair]) => pair);
};

interface Page {
  readonly there: Ways;
  readonly back: Ways;
  readonly facts: LinkFacts | undefined;
}

export class LinkBook {
  #read: Pick<State, 'connections' | 'linkProfiles'> | undefined;
  #pairs: readonly Pair[] = [];
  #pages: ReadonlyMap<string, Page> = new Map();
  #facts: readonly LinkFacts[] = [];

  /** The same list again while no connection and no profile has changed. */
  read(state: State): readonly LinkFacts[] {
    const { connections, linkProfiles } = state;
    if (this.#read?.connections === connections && this.#read.linkProfiles === linkProfiles)
      return this.#facts;
    const pages = new Map<string, Page>();
    if (this.#read?.connections !== connections) this.#pairs = linkPairs(state);
    for (const pair of this.#pairs) {
      const key = `${pair[0]} ${pair[1]}`;
      pages.set(key, turned(this.#pages.get(key), pair, state));
    }
    this.#read = { connections, linkProfiles };
    this.#pages = pages;
    this.#facts = [...pages.values()].flatMap(({ facts }) => facts ?? []);
    return this.#facts;
  }
}

const turned = (before: Page | undefined, [a, b]: Pair, state: State): Page => {
  const there = waysOf(state, a, b);
  const back = waysOf(state, b, a);
  if (before !== undefined && isSame(before.there, there) && isSame(before.back, back)) return before;
  return { there, back, facts: linkFacts([a, b], there, back) };
};

const waysOf = (state: State, source: NodeId, sink: NodeId): Ways => ({
  connections: state.connections[source]?.[sink],
  profiles: state.linkProfiles[source]?.[sink],
});

const isSame = (a: Ways, b: Ways): boolean => a.connections === b.connections && a.profiles === b.profiles;

const nodesOf = (map: ByNode<unknown>): readonly NodeId[] => Object.keys(map).filter(isNodeId);
