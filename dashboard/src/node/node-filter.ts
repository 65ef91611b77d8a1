// Which nodes a list shows and in which order, from and to the address: a filtered view can be shared. Invalid parts of an
// address are ignored rather than refused.

import { MACHINE_LABELS, type MachineKind } from '../drawing/machine-kind.ts';
import { BY_NAME, NODE_SORT_KEYS, type NodeRow, type NodeSort } from './node-rows.ts';

export type NodeStateFilter = 'all' | 'live' | 'away' | 'warned';

export interface NodeFilter {
  readonly text: string;
  readonly state: NodeStateFilter;
  readonly kind: MachineKind | undefined;
  readonly sort: NodeSort;
}

export const NODE_STATES: readonly { readonly key: NodeStateFilter; readonly title: string }[] = [
  { key: 'all', title: 'All' },
  { key: 'live', title: 'Up' },
  { key: 'away', title: 'Not up' },
  { key: 'warned', title: 'With warnings' },
];

export const nodeFilterOf = (query: URLSearchParams): NodeFilter => {
  const kind = query.get('kind');
  const sort = query.get('sort') ?? '';
  const key = NODE_SORT_KEYS.find(each => each === sort.replace(/^-/, ''));
  return {
    text: query.get('q') ?? '',
    state: NODE_STATES.find(state => state.key === query.get('state'))?.key ?? 'all',
    kind: KINDS.find(each => each === kind),
    sort: key === undefined ? BY_NAME : { key, isDescending: sort.startsWith('-') },
  };
};

/** The inverse; defaults are left out of an address. */
export const nodeQuery = ({ text, state, kind, sort }: NodeFilter): URLSearchParams => {
  const query = new URLSearchParams();
  if (text !== '') query.set('q', text);
  if (state !== 'all') query.set('state', state);
  if (kind !== undefined) query.set('kind', kind);
  if (sort.key !== BY_NAME.key || sort.isDescending !== BY_NAME.isDescending)
    query.set('sort', `${sort.isDescending ? '-' : ''}${sort.key}`);
  return query;
};

/** Every word of the text must be somewhere in its name, tags, model or id. */
export const matchesNode = (row: NodeRow, { text, state, kind }: NodeFilter): boolean =>
  matchesState(row, state) && (kind === undefined || row.kind === kind) && holdsText(row, text);

export const matchesState = (row: NodeRow, state: NodeStateFilter): boolean => {
  switch (state) {
    case 'all':
      return true;
    case 'live':
      return row.view.presence === 'live';
    case 'away':
      return row.view.presence !== 'live';
    case 'warned':
      return row.warningCount > 0;
    default:
      return state satisfies never;
  }
};

const holdsText = ({ name, tags, model, view }: NodeRow, text: string): boolean => {
  const searchable = `${name} ${tags.join(' ')} ${model} ${view.nodeId}`.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every(word => searchable.includes(word));
};

const KINDS: readonly MachineKind[] = ['studio', 'mini', 'macbook', 'spark', 'tower', 'rack', 'board', 'vm'];

/** The kinds that are there, for a list to choose from. */
export const kindOptions = (
  rows: readonly NodeRow[],
): readonly { readonly key: string; readonly title: string }[] => [
  { key: '', title: 'Every kind' },
  ...KINDS.filter(kind => rows.some(row => row.kind === kind)).map(kind => ({
    key: kind,
    title: MACHINE_LABELS[kind],
  })),
];
