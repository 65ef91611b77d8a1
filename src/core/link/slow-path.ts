// A connection of unknown type that carries far less than another path between the same two nodes. Its
// expected rate is unknown, so the other path is the only reference. A tunnel runs over one of the others and
// is not a reference for them.

import type { NodeId } from '../ids.ts';
import { type ConnectionFacts, rateFrom } from './link-facts.ts';
import type { LinkView } from './link-view.ts';

interface SlowPath {
  readonly from: NodeId;
  readonly bitsPerSecond: number;
  readonly of: ConnectionFacts;
  /** What the faster path carries in the same direction. */
  readonly other: { readonly bitsPerSecond: number; readonly of: ConnectionFacts };
}

/** The slowest in comparison; undefined if there is none. */
export const slowPath = ({ nodes, connections, standing }: LinkView): SlowPath | undefined => {
  if (standing.kind !== 'measured' || !connections.some(({ medium }) => medium === 'unknown'))
    return undefined;
  return nodes
    .flatMap(from => slowPathsFrom(from, ratesOfPaths(connections, from)))
    .toSorted((a, b) => shareOf(a) - shareOf(b))[0];
};

interface PathRate {
  readonly of: ConnectionFacts;
  readonly bitsPerSecond: number;
}

/** The fastest path first. */
const ratesOfPaths = (connections: readonly ConnectionFacts[], from: NodeId): readonly PathRate[] => {
  const rates = new Map<string, PathRate>();
  for (const of of connections) {
    if (of.medium === 'overlay' || of.failure !== undefined || rates.has(of.path)) continue;
    const bitsPerSecond = rateFrom(of, from);
    if (bitsPerSecond !== undefined) rates.set(of.path, { of, bitsPerSecond });
  }
  return [...rates.values()].sort((a, b) => b.bitsPerSecond - a.bitsPerSecond);
};

const slowPathsFrom = (from: NodeId, [fastest, ...others]: readonly PathRate[]): readonly SlowPath[] =>
  others.flatMap(({ of, bitsPerSecond }) =>
    fastest !== undefined && of.medium === 'unknown' && bitsPerSecond < FAR_BELOW * fastest.bitsPerSecond
      ? [{ from, of, bitsPerSecond, other: fastest }]
      : [],
  );

const shareOf = ({ bitsPerSecond, other }: SlowPath): number => bitsPerSecond / other.bitsPerSecond;

/** Sound paths of one kind differ by less, as do the two directions of a link of unknown type. */
const FAR_BELOW = 0.5;
