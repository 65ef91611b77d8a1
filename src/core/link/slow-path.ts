// A connection of unknown type that carries far less than another path between the same two nodes. Nobody knows what it
// should carry, so the other path is the only measure. A tunnel runs over one of the others and is no measure of them.

import type { NodeId } from '../ids.ts';
import { knownOr } from '../unknown.ts';
import { type ConnectionFacts, rateFrom } from './link-facts.ts';
import type { LinkView } from './link-view.ts';

export interface SlowPath {
  readonly from: NodeId;
  readonly bitsPerSecond: number;
  readonly of: ConnectionFacts;
  /** What the faster path carries in the same direction. */
  readonly other: { readonly bitsPerSecond: number; readonly of: ConnectionFacts };
}

/** The slowest one in comparison; undefined if there is none. */
export const slowPath = ({ nodes, connections, standing }: LinkView): SlowPath | undefined => {
  if (standing.kind !== 'measured' || !connections.some(({ medium }) => medium === 'unknown'))
    return undefined;
  return nodes
    .flatMap(from => slowPathsFrom(from, bestOfPaths(connections, from, nodes[0])))
    .toSorted((a, b) => shareOf(a) - shareOf(b))[0];
};

interface PathRate {
  readonly of: ConnectionFacts;
  readonly bitsPerSecond: number;
}

/** Of several addresses of one path the best figure counts. The fastest path first. */
const bestOfPaths = (
  connections: readonly ConnectionFacts[],
  from: NodeId,
  first: NodeId,
): readonly PathRate[] => {
  const best = new Map<string, PathRate>();
  for (const of of connections) {
    if (of.medium === 'overlay' || of.failure !== undefined) continue;
    const bitsPerSecond = rateFrom(of, from);
    const path = pathOf(of, first);
    if (bitsPerSecond === undefined || bitsPerSecond <= (best.get(path)?.bitsPerSecond ?? 0)) continue;
    best.set(path, { of, bitsPerSecond });
  }
  return [...best.values()].sort((a, b) => b.bitsPerSecond - a.bitsPerSecond);
};

const slowPathsFrom = (from: NodeId, [fastest, ...others]: readonly PathRate[]): readonly SlowPath[] =>
  others.flatMap(({ of, bitsPerSecond }) =>
    fastest !== undefined && of.medium === 'unknown' && bitsPerSecond < FAR_BELOW * fastest.bitsPerSecond
      ? [{ from, of, bitsPerSecond, other: fastest }]
      : [],
  );

const shareOf = ({ bitsPerSecond, other }: SlowPath): number => bitsPerSecond / other.bitsPerSecond;

/** By the interfaces at both ends, seen from either of them; of an end that is unknown, each connection is a path. */
const pathOf = ({ source, connectionKey, carrier: { ends } }: ConnectionFacts, first: NodeId): string => {
  const [one, other] = source === first ? [ends.source, ends.sink] : [ends.sink, ends.source];
  return [one, other].map(({ interfaceName }) => knownOr(interfaceName, connectionKey)).join(' ');
};

/** Sound paths of one kind differ by less; as the two directions of a link of unknown type. */
const FAR_BELOW = 0.5;
