// Which nodes of a fleet a list shows, in which order and on which page, from and to the address. The picture of the fleet has
// names, kinds, tags and levels of all; the nodes of one page are requested from the daemon.

import { nodesOfFault } from '../../../src/core/fleet/fleet-faults.ts';
import type { FleetPicture, GroupSums, RosterCell } from '../../../src/core/fleet/fleet-picture.ts';
import { inNumericOrder } from '../../../src/core/text/numeric-order.ts';
import { NODE_STATES, type NodeStateFilter } from '../node/node-filter.ts';
import { BY_NAME, type NodeSort, type NodeSortKey } from '../node/node-rows.ts';
import { isFound } from './fleet-address.ts';

export interface FleetNodeFilter {
  readonly text: string;
  readonly state: NodeStateFilter;
  /** As the roster calls it; '' for every one. */
  readonly kind: string;
  readonly sort: NodeSort;
  /** From 0. */
  readonly page: number;
}

export interface FleetNode {
  readonly cell: RosterCell;
  /** A letter, as levels have it. */
  readonly state: string;
  readonly memory: number | undefined;
  readonly gpu: number | undefined;
  /** That are not gone. */
  readonly linkCount: number;
  readonly faultCount: number;
}

export const fleetNodeFilterOf = (query: URLSearchParams): FleetNodeFilter => {
  const sort = query.get('sort') ?? '';
  const key = FLEET_SORT_KEYS.find(each => each === sort.replace(/^-/, ''));
  const page = Number(query.get('page') ?? 1);
  return {
    text: query.get('q') ?? '',
    state: NODE_STATES.find(({ key: state }) => state === query.get('state'))?.key ?? 'all',
    kind: query.get('kind') ?? '',
    sort: key === undefined ? BY_NAME : { key, isDescending: sort.startsWith('-') },
    page: Number.isInteger(page) && page > 0 ? page - 1 : 0,
  };
};

/** The inverse; defaults are left out of an address. */
export const fleetNodeQuery = ({ text, state, kind, sort, page }: FleetNodeFilter): URLSearchParams => {
  const query = new URLSearchParams();
  if (text !== '') query.set('q', text);
  if (state !== 'all') query.set('state', state);
  if (kind !== '') query.set('kind', kind);
  if (sort.key !== BY_NAME.key || sort.isDescending)
    query.set('sort', `${sort.isDescending ? '-' : ''}${sort.key}`);
  if (page > 0) query.set('page', String(page + 1));
  return query;
};

/** Each node once, even if it is in several groups. */
export const fleetNodes = ({
  roster,
  levels,
  sums,
  faults,
}: Pick<FleetPicture, 'roster' | 'levels' | 'faults'> & {
  readonly sums: readonly Pick<GroupSums, 'linkCounts'>[];
}): readonly FleetNode[] => {
  const counts = new Map<string, number>();
  for (const node of faults.list.flatMap(nodesOfFault)) counts.set(node, (counts.get(node) ?? 0) + 1);
  const nodes = new Map<string, FleetNode>();
  for (const [group, { cells }] of roster.groups.entries())
    for (const [index, cell] of cells.entries())
      nodes.set(cell.node, {
        cell,
        state: levels[group]?.states[index] ?? 'l',
        memory: levels[group]?.memory[index] ?? undefined,
        gpu: levels[group]?.gpu[index] ?? undefined,
        linkCount: sums[group]?.linkCounts[index] ?? 0,
        faultCount: counts.get(cell.node) ?? 0,
      });
  return [...nodes.values()];
};

export const isMeantNode = (node: FleetNode, { text, state, kind }: FleetNodeFilter): boolean =>
  isInState(node, state) &&
  (kind === '' || node.cell.kind === kind) &&
  (isFound(node.cell, text) || node.cell.node === text.trim());

export const isInState = ({ state, faultCount }: FleetNode, requested: NodeStateFilter): boolean => {
  switch (requested) {
    case 'all':
      return true;
    case 'live':
      return state === 'l' || state === 'm';
    case 'away':
      return state !== 'l' && state !== 'm';
    case 'warned':
      return faultCount > 0;
    default:
      return requested satisfies never;
  }
};

/** In the default order, nodes with faults come first. Nodes whose value is unknown are always last. */
export const inFleetOrder = (
  nodes: readonly FleetNode[],
  { key, isDescending }: NodeSort,
): readonly FleetNode[] => {
  const isDefault = key === BY_NAME.key && !isDescending;
  return nodes.toSorted((a, b) => {
    const need = isDefault ? Number(b.faultCount > 0) - Number(a.faultCount > 0) : 0;
    if (need !== 0) return need;
    const [x, y] = [sortValue(a, key), sortValue(b, key)];
    if (x === undefined || y === undefined) return x === y ? byName(a, b) : x === undefined ? 1 : -1;
    if (x === y) return byName(a, b);
    return x < y === isDescending ? 1 : -1;
  });
};

const sortValue = (
  { cell, state, memory, gpu, linkCount, faultCount }: FleetNode,
  key: NodeSortKey,
): string | number | undefined => {
  switch (key) {
    case 'state':
      return STATES.indexOf(state);
    case 'machine':
      return cell.kind.toLowerCase();
    case 'memory':
      return memory;
    case 'gpu':
      return gpu;
    case 'links':
      return linkCount;
    case 'warnings':
      return faultCount;
    default:
      return cell.name.toLowerCase();
  }
};

const byName = (a: FleetNode, b: FleetNode): number => inNumericOrder(a.cell.name, b.cell.name);

const STATES = 'lmsto';
/** By what the picture has of every node. */
export const FLEET_SORT_KEYS = ['name', 'state', 'machine', 'memory', 'gpu', 'links', 'warnings'] as const;
export const NODES_OF_PAGE = 50;
