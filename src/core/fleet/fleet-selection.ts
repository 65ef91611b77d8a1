// What is selected on the page of a fleet: a node, a group, or two groups; its links, slowest first, and its
// links to each other group.

import { isNodeId, type NodeId } from '../ids.ts';
import { isCarrying, type LinkView } from '../link/link-view.ts';
import { type FleetLink, slowestLinks } from './fleet-links.ts';
import type { FleetRoster } from './fleet-picture.ts';
import { type GroupPairWays, type GroupWays, waysOf } from './fleet-ways.ts';
import { judgedLink } from './judged-link.ts';

/** Groups by their ids. */
export type FleetPick =
  | { readonly kind: 'node'; readonly node: NodeId }
  | { readonly kind: 'group'; readonly group: string }
  | { readonly kind: 'pair'; readonly groups: readonly [string, string] };

export interface FleetSelection {
  readonly pick: FleetPick;
  readonly linkCount: number;
  /** Slowest first, limited. */
  readonly links: readonly FleetLink[];
  /** Over all of them. */
  readonly ways: GroupWays;
  /** To each other group of the roster; none for a pair. */
  readonly toGroups: readonly GroupWays[];
}

interface SelectionSources {
  readonly roster: FleetRoster;
  readonly links: readonly LinkView[];
  readonly groupOf: ReadonlyMap<NodeId, readonly number[]>;
  readonly pairs: readonly GroupPairWays[];
}

export const fleetSelection = (sources: SelectionSources, pick: FleetPick): FleetSelection | undefined => {
  const { roster, links, groupOf, pairs } = sources;
  const indexOf = (id: string): number => roster.groups.findIndex(group => group.id === id);
  switch (pick.kind) {
    case 'node': {
      if (!groupOf.has(pick.node)) return undefined;
      const mine = links.filter(({ nodes }) => nodes.includes(pick.node));
      const byGroup = roster.groups.map((): LinkView[] => []);
      for (const link of mine) {
        if (!isCarrying(link.standing)) continue;
        const [a, b] = link.nodes;
        for (const group of groupOf.get(a === pick.node ? b : a) ?? []) byGroup[group]?.push(link);
      }
      return selected(pick, mine, byGroup.map(waysOf));
    }
    case 'group': {
      const groupIndex = indexOf(pick.group);
      if (groupIndex < 0) return undefined;
      const isIn = (node: NodeId): boolean => groupOf.get(node)?.includes(groupIndex) === true;
      const mine = links.filter(({ nodes: [a, b] }) => isIn(a) || isIn(b));
      const toGroups = roster.groups.map(
        (_, index): GroupWays => pairOf(pairs, groupIndex, index) ?? NO_WAYS,
      );
      return selected(pick, mine, toGroups);
    }
    case 'pair': {
      const [one, other] = pick.groups.map(indexOf);
      if (one === undefined || other === undefined || one < 0 || other < 0 || one === other) return undefined;
      const isIn = (node: NodeId, group: number): boolean => groupOf.get(node)?.includes(group) === true;
      const mine = links.filter(
        ({ nodes: [a, b] }) => (isIn(a, one) && isIn(b, other)) || (isIn(a, other) && isIn(b, one)),
      );
      return selected(pick, mine, []);
    }
    default:
      return pick satisfies never;
  }
};

/** As written in an address: "node:…", "group:…", "pair:…|…", each id encoded. */
export const pickText = (pick: FleetPick): string => {
  switch (pick.kind) {
    case 'node':
      return `node:${pick.node}`;
    case 'group':
      return `group:${encodeURIComponent(pick.group)}`;
    case 'pair':
      return `pair:${pick.groups.map(encodeURIComponent).join('|')}`;
    default:
      return pick satisfies never;
  }
};

export const parsePick = (text: string): FleetPick | undefined => {
  const [, kind, rest = ''] = /^(node|group|pair):(.*)$/s.exec(text) ?? [];
  if (kind === 'node') return isNodeId(rest) ? { kind, node: rest } : undefined;
  const ids = rest.split('|').map(decoded);
  const [one, other] = ids;
  if (one === undefined) return undefined;
  if (kind === 'group') return ids.length === 1 ? { kind, group: one } : undefined;
  return kind === 'pair' && ids.length === 2 && other !== undefined
    ? { kind, groups: [one, other] }
    : undefined;
};

const selected = (
  pick: FleetPick,
  links: readonly LinkView[],
  toGroups: readonly GroupWays[],
): FleetSelection => ({
  pick,
  linkCount: links.length,
  links: slowestLinks(links.map(judgedLink), LINKS_OF_PICK_MAX),
  ways: waysOf(links.filter(({ standing }) => isCarrying(standing))),
  toGroups,
});

const pairOf = (pairs: readonly GroupPairWays[], one: number, other: number): GroupPairWays | undefined =>
  pairs.find(({ groups: [a, b] }) => (a === one && b === other) || (a === other && b === one));

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

const NO_WAYS: GroupWays = { linkCount: 0, isFlagged: false };
const LINKS_OF_PICK_MAX = 24;
