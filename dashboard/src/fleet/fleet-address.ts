// What a page of a fleet shows, in its address, so that it can be sent to somebody: ?by=rack&node=r05-08, ?group=…, two groups
// for the ways between them, ?map=… for one group opened, ?find=…. Names where they are unique, because people read addresses.

import type { FleetRoster, RosterCell, RosterGroup } from '../../../src/core/fleet/fleet-picture.ts';
import type { FleetPick } from '../../../src/core/fleet/fleet-selection.ts';

export interface FleetAddress {
  /** As `parseGroupBy` reads it; undefined: what these nodes are usually grouped by. */
  readonly by: string | undefined;
  readonly pick: AddressedPick | undefined;
  /** A group that is opened, by its name or id. */
  readonly map: string | undefined;
  readonly find: string;
  readonly isTable: boolean;
}

/** Nodes and groups by their names or ids. */
type AddressedPick =
  | { readonly kind: 'node'; readonly name: string }
  | { readonly kind: 'group'; readonly group: string }
  | { readonly kind: 'pair'; readonly groups: readonly [string, string] };

export const readFleetAddress = (query: URLSearchParams): FleetAddress => ({
  by: query.get('by') ?? undefined,
  pick: readPick(query),
  map: query.get('map') ?? undefined,
  find: query.get('find') ?? '',
  isTable: query.get('as') === 'table',
});

/** The same query with what is given changed; what is undefined is taken out. */
export const withFleetAddress = (query: URLSearchParams, change: Partial<FleetAddress>): URLSearchParams => {
  const next = new URLSearchParams(query);
  const set = (name: string, value: string | undefined): void => {
    if (value === undefined || value === '') next.delete(name);
    else next.set(name, value);
  };
  if ('by' in change) set('by', change.by);
  if ('map' in change) set('map', change.map);
  if ('find' in change) set('find', change.find);
  if ('isTable' in change) set('as', change.isTable === true ? 'table' : undefined);
  if ('pick' in change) {
    for (const name of ['node', 'group']) next.delete(name);
    const { pick } = change;
    if (pick?.kind === 'node') next.set('node', pick.name);
    if (pick?.kind === 'group') next.set('group', pick.group);
    if (pick?.kind === 'pair') for (const group of pick.groups) next.append('group', group);
  }
  return next;
};

/** What an address means in a roster; undefined where nobody there is called so. */
export const pickIn = (
  pick: AddressedPick | undefined,
  cells: ReadonlyMap<string, RosterCell>,
  roster: FleetRoster,
): FleetPick | undefined => {
  switch (pick?.kind) {
    case undefined:
      return undefined;
    case 'node': {
      const cell = cells.get(pick.name);
      return cell === undefined ? undefined : { kind: 'node', node: cell.node };
    }
    case 'group': {
      const group = groupCalled(roster, pick.group);
      return group === undefined ? undefined : { kind: 'group', group: group.id };
    }
    case 'pair': {
      const [one, other] = pick.groups.map(text => groupCalled(roster, text));
      return one === undefined || other === undefined || one === other
        ? undefined
        : { kind: 'pair', groups: [one.id, other.id] };
    }
    default:
      return pick satisfies never;
  }
};

/** By its id, or by its name where only one has it. */
export const groupCalled = ({ groups }: FleetRoster, text: string): RosterGroup | undefined => {
  const group = groups.find(({ id }) => id === text);
  if (group !== undefined) return group;
  const [named, ...more] = groups.filter(({ name }) => name === text);
  return more.length === 0 ? named : undefined;
};

/** How an address calls a group. */
export const groupParameter = (roster: FleetRoster, id: string): string => {
  const name = roster.groups.find(group => group.id === id)?.name ?? id;
  return groupCalled(roster, name)?.id === id ? name : id;
};

/** The cells of a roster by id, and by name where only one has it. */
export const cellsByName = ({ groups }: FleetRoster): ReadonlyMap<string, RosterCell> => {
  const cells = new Map<string, RosterCell>();
  const seen = new Map<string, string>();
  for (const cell of groups.flatMap(group => group.cells)) {
    const other = seen.get(cell.name);
    if (other !== undefined && other !== cell.node) cells.delete(cell.name);
    else cells.set(cell.name, cell);
    seen.set(cell.name, cell.node);
  }
  for (const cell of groups.flatMap(group => group.cells)) cells.set(cell.node, cell);
  return cells;
};

/** How an address calls a node. */
export const addressOf = (cell: RosterCell, cells: ReadonlyMap<string, RosterCell>): AddressedPick => ({
  kind: 'node',
  name: cells.get(cell.name)?.node === cell.node ? cell.name : cell.node,
});

/** Whether a search means a node: its name, its kind or one of its tags has the words. */
export const isFound = ({ name, kind, tags }: RosterCell, find: string): boolean => {
  const text = `${name} ${kind} ${tags.join(' ')}`.toLowerCase();
  return find
    .toLowerCase()
    .split(/\s+/)
    .every(word => text.includes(word));
};

const readPick = (query: URLSearchParams): AddressedPick | undefined => {
  const node = query.get('node');
  if (node !== null && node !== '') return { kind: 'node', name: node };
  const [one, other] = query.getAll('group');
  if (one === undefined) return undefined;
  return other === undefined ? { kind: 'group', group: one } : { kind: 'pair', groups: [one, other] };
};
