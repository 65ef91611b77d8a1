// Links between groups: of each group to all others, and between each two of them, the median and the worst
// link. The rate of a link is that of its slower direction.

import type { NodeId } from '../ids.ts';
import { isCarrying, type LinkView } from '../link/link-view.ts';
import { type JudgedLink, judgedLink } from './judged-link.ts';

/** From one group to all others; rates in bits per second, missing until measured. */
export interface GroupWays {
  readonly linkCount: number;
  readonly median?: number;
  readonly worst?: number;
  /** The ends of the worst link. */
  readonly worstNodes?: readonly [NodeId, NodeId];
  readonly isFlagged: boolean;
}

export interface GroupPairWays extends GroupWays {
  /** By roster position, the lower first. */
  readonly groups: readonly [number, number];
}

export interface WaysBetween {
  readonly ways: readonly GroupWays[];
  /** Each two groups. */
  readonly pairs: readonly GroupPairWays[];
  /** The links within each group. */
  readonly within: readonly GroupPairWays[];
}

/** `groupOf`: the groups of a node, by position; with tags it may be in several. */
export const waysBetween = (
  links: readonly LinkView[],
  groupOf: ReadonlyMap<NodeId, readonly number[]>,
  groupCount: number,
): WaysBetween => {
  const ofGroups = Array.from({ length: groupCount }, (): LinkView[] => []);
  const pairs: GroupPairWays[] = [];
  const within: GroupPairWays[] = [];
  for (const { groups, links: linksOfPair } of linksOfPairs(links, groupOf).values()) {
    const ways = { groups, ...waysOf(linksOfPair) };
    if (groups[0] === groups[1]) within.push(ways);
    else {
      pairs.push(ways);
      for (const group of groups) for (const link of linksOfPair) ofGroups[group]?.push(link);
    }
  }
  return { ways: ofGroups.map(waysOf), pairs, within };
};

/** The links of a pair of groups, or within one group, that are not gone. */
interface LinksOfPair {
  /** The lower position first; the same twice for links within one. */
  readonly groups: readonly [number, number];
  readonly links: readonly LinkView[];
}

/** By `pairName`. With tags a link may count for several pairs, but once for each. */
export const linksOfPairs = (
  links: readonly LinkView[],
  groupOf: ReadonlyMap<NodeId, readonly number[]>,
): ReadonlyMap<string, LinksOfPair> => {
  const pairs = new Map<string, { readonly groups: readonly [number, number]; readonly links: LinkView[] }>();
  for (const link of links) {
    if (!isCarrying(link.standing)) continue;
    const [one, other] = link.nodes;
    for (const from of groupOf.get(one) ?? NOWHERE)
      for (const to of groupOf.get(other) ?? NOWHERE) {
        const groups: readonly [number, number] = from < to ? [from, to] : [to, from];
        const existing = pairs.get(pairName(groups));
        if (existing === undefined) pairs.set(pairName(groups), { groups, links: [link] });
        // Links are processed in order, so a link that was already counted is the last element.
        else if (existing.links.at(-1) !== link) existing.links.push(link);
      }
  }
  return pairs;
};

export const pairName = ([one, other]: readonly [number, number]): string => `${one} ${other}`;

/** The pair whose worst link has the smallest share of its expected rate. */
export const slowestPair = (pairs: readonly GroupPairWays[]): GroupPairWays | undefined => {
  const [slowest] = pairs
    .filter(({ worst }) => worst !== undefined)
    .toSorted((a, b) => Number(b.isFlagged) - Number(a.isFlagged) || worstOf(a) - worstOf(b));
  return slowest;
};

export const waysOf = (links: readonly LinkView[]): GroupWays => {
  const rates: number[] = [];
  let worst: JudgedLink | undefined;
  for (const link of links) {
    const one = judgedLink(link);
    if (one.slower === undefined) continue;
    rates.push(one.slower.value);
    if (worst === undefined || isWorse(one, worst)) worst = one;
  }
  const median = medianOf(rates.sort((a, b) => a - b));
  if (worst?.slower === undefined || median === undefined)
    return { linkCount: links.length, isFlagged: false };
  return {
    linkCount: links.length,
    median,
    worst: worst.slower.value,
    worstNodes: worst.link.nodes,
    isFlagged: (worst.share ?? 1) < FLAGGED_SHARE,
  };
};

/** By the share of its expected rate if that is known, else by rate. */
const isWorse = (one: JudgedLink, than: JudgedLink): boolean => {
  if (one.share !== undefined && than.share !== undefined && one.share !== than.share)
    return one.share < than.share;
  if ((one.share === undefined) !== (than.share === undefined)) return one.share !== undefined;
  return (one.slower?.value ?? 0) < (than.slower?.value ?? 0);
};

const medianOf = (sorted: readonly number[]): number | undefined => {
  if (sorted.length === 0) return undefined;
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
};

const worstOf = ({ worst }: GroupWays): number => worst ?? Number.POSITIVE_INFINITY;

const NOWHERE: readonly number[] = [];
/** Below this share of the negotiated rate it is shown in amber. */
const FLAGGED_SHARE = 0.6;
