// Which nodes are linked, and the facts of each link. A page that draws twice a second keeps a LinkBook: of
// the thousands of links of a large cluster it derives again only those that an event has changed.

import { isNodeId, type NodeId } from '../ids.ts';
import type { ByNode, State } from '../state.ts';
import { ITEMS_OF_TURN, type Turns } from '../turns.ts';
import { type LostEntry, lostBetween } from './forget-link.ts';
import { type EndReadings, endReadings } from './link-ends.ts';
import { type LinkFacts, linkFacts, measuredAgain, type Ways } from './link-facts.ts';

type Pair = readonly [NodeId, NodeId];

/** Every two nodes of which one has or had a connection to the other, the lesser id first, sorted by id. */
const linkPairs = (state: Pick<State, (typeof JOINS)[number]>): readonly Pair[] => {
  const pairs = new Map<string, Pair>();
  for (const field of JOINS)
    for (const source of nodesOf(state[field])) {
      for (const sink of nodesOf(state[field][source] ?? {})) {
        if (source === sink) continue;
        const pair: Pair = source < sink ? [source, sink] : [sink, source];
        pairs.set(`${pair[0]} ${pair[1]}`, pair);
      }
    }
  return [...pairs].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, pair]) => pair);
};

const JOINS = ['connections', 'lostConnections'] as const;
/** The maps of State that links are derived from. */
const READ = [
  ...JOINS,
  'linkForgets',
  'linkProfiles',
  'nodeNetworks',
  'nodeThunderbolts',
  'nodeRdmaDevices',
] as const;
type Read = Pick<State, (typeof READ)[number]>;

interface Page {
  readonly key: string;
  readonly there: Ways;
  readonly back: Ways;
  readonly facts: LinkFacts | undefined;
}

export class LinkBook {
  #read: Read | undefined;
  #pairs: readonly Pair[] = [];
  /** One per pair. */
  #pages: readonly Page[] = [];
  #facts: readonly LinkFacts[] = [];

  /** The same list while no connection, profile or interface has changed. */
  *turns(state: State): Turns<readonly LinkFacts[]> {
    const read = this.#read;
    if (read !== undefined && READ.every(field => read[field] === state[field])) return this.#facts;
    // A forget event may hide the last connection of a pair: then any page may have changed.
    const isJoinedAsBefore =
      read !== undefined &&
      JOINS.every(field => read[field] === state[field]) &&
      read.linkForgets === state.linkForgets;
    const pairs = isJoinedAsBefore ? this.#pairs : linkPairs(state);
    // Few nodes report something in a second: only the pages of their links are derived again.
    const reported = isJoinedAsBefore ? reportedNodes(read, state) : undefined;
    const before = isJoinedAsBefore ? undefined : new Map(this.#pages.map(page => [page.key, page]));
    const pages: Page[] = [];
    for (const [index, pair] of pairs.entries()) {
      const page = before === undefined ? this.#pages[index] : before.get(pair.join(' '));
      const isAsBefore = page !== undefined && reported?.has(pair[0]) === false && !reported.has(pair[1]);
      pages.push(isAsBefore ? page : turned(page, pair, state));
      if (index % ITEMS_OF_TURN === 0) yield;
    }
    this.#pairs = pairs;
    this.#pages = pages;
    this.#read = readOf(state);
    this.#facts = this.#pages.map(({ facts }) => facts).filter(facts => facts !== undefined);
    return this.#facts;
  }
}

const readOf = (state: State): Read => {
  const { connections, lostConnections, linkForgets, linkProfiles } = state;
  const { nodeNetworks, nodeThunderbolts, nodeRdmaDevices } = state;
  return {
    connections,
    lostConnections,
    linkForgets,
    linkProfiles,
    nodeNetworks,
    nodeThunderbolts,
    nodeRdmaDevices,
  };
};

/** Nodes with a changed profile or interface. */
const reportedNodes = (before: Read, now: Read): ReadonlySet<string> => {
  const reported = new Set<string>();
  for (const field of READ) {
    const [was, is] = [before[field], now[field]];
    if (was === is) continue;
    for (const node of nodesOf(is)) if (was[node] !== is[node]) reported.add(node);
    for (const node of nodesOf(was)) if (!Object.hasOwn(is, node)) reported.add(node);
  }
  return reported;
};

const turned = (before: Page | undefined, [a, b]: Pair, state: State): Page => {
  const there = waysOf(state, a, b);
  const back = waysOf(state, b, a);
  if (before === undefined) return { key: `${a} ${b}`, there, back, facts: linkFacts([a, b], there, back) };
  const isJoinedAsBefore =
    before.there.connections === there.connections &&
    before.back.connections === back.connections &&
    isSameLost(before.there.lost, there.lost) &&
    isSameLost(before.back.lost, back.lost) &&
    isSameReadings(before.there.readings, there.readings) &&
    isSameReadings(before.back.readings, back.readings);
  if (isJoinedAsBefore && before.there.profiles === there.profiles && before.back.profiles === back.profiles)
    return before;
  const facts =
    isJoinedAsBefore && before.facts !== undefined
      ? measuredAgain(before.facts, there, back)
      : linkFacts([a, b], there, back);
  return { key: before.key, there, back, facts };
};

const waysOf = (state: State, source: NodeId, sink: NodeId): Ways => ({
  connections: state.connections[source]?.[sink],
  lost: lostBetween(state, source, sink),
  profiles: state.linkProfiles[source]?.[sink],
  readings: endReadings(state, source),
});

const isSameLost = (one: readonly LostEntry[], other: readonly LostEntry[]): boolean =>
  one.length === other.length && one.every(({ entry }, index) => entry === other[index]?.entry);

const isSameReadings = (one: EndReadings, other: EndReadings): boolean =>
  one.network === other.network &&
  one.thunderbolt === other.thunderbolt &&
  one.rdmaDevices === other.rdmaDevices;

const nodesOf = (map: ByNode<unknown>): readonly NodeId[] => Object.keys(map).filter(isNodeId);
