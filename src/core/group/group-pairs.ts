// The matrix of a cluster by group: of each two groups, and within each, the median of their links and the
// worst one by name. A thousand nodes have sixty racks, so this matrix is readable when that of the nodes is
// not.

import { type GroupWays, linksOfPairs, pairName, waysOf } from '../fleet/fleet-ways.ts';
import type { NodeId } from '../ids.ts';
import { type LinkView, whyNoLink } from '../link/link-view.ts';
import type { Group } from './group-view.ts';

export interface GroupPair extends GroupWays {
  /** In group order; the same twice for the links within one. */
  readonly groups: readonly [Group, Group];
  /** Why nothing is known of it; undefined if something is. */
  readonly reason: string | undefined;
}

/**
 * Each two groups once.
 * @param nodeCount of the whole cluster: in a fleet, not every two nodes have a link. With tags a link may
 * count for several pairs.
 */
export const groupPairs = (
  groups: readonly Group[],
  links: readonly LinkView[],
  nodeCount: number,
): readonly GroupPair[] => {
  const groupsOfNode = new Map<NodeId, number[]>();
  for (const [index, { members }] of groups.entries())
    for (const { nodeId } of members) {
      const existing = groupsOfNode.get(nodeId);
      if (existing === undefined) groupsOfNode.set(nodeId, [index]);
      else existing.push(index);
    }
  const linksOf = linksOfPairs(links, groupsOfNode);
  return groups.flatMap((one, first) =>
    groups.slice(first).flatMap((other, offset): readonly GroupPair[] => {
      // A single node has no link within its group.
      if (offset === 0 && one.members.length < 2) return [];
      const ways = waysOf(linksOf.get(pairName([first, first + offset]))?.links ?? []);
      return [{ groups: [one, other], ...ways, reason: reasonOf(ways, nodeCount) }];
    }),
  );
};

/**
 * Pairs with a problem first, then by how far the worst link is below the median; pairs without figures last.
 */
export const byNeedOfPairs = (a: GroupPair, b: GroupPair): number =>
  Number(b.isFlagged) - Number(a.isFlagged) || lagOf(a) - lagOf(b);

const reasonOf = ({ linkCount, median }: GroupWays, nodeCount: number): string | undefined => {
  if (median !== undefined) return undefined;
  return linkCount === 0 ? whyNoLink(nodeCount) : 'not measured yet';
};

const lagOf = ({ median, worst }: GroupWays): number =>
  median === undefined || worst === undefined ? Number.POSITIVE_INFINITY : worst / median;
