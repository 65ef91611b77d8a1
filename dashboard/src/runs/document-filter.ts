// Which documents the list shows and in which order, from and to the address: a filtered view can be shared.
// Invalid parts of an address are ignored rather than refused.

import type { DocumentRow } from './document-rows.ts';

type StateFilter = 'all' | 'live' | 'complete' | 'not-complete';
export type SortKey = 'started' | 'model' | 'result';

interface DocumentSort {
  readonly key: SortKey;
  readonly isDescending: boolean;
}

export interface DocumentFilter {
  readonly text: string;
  readonly state: StateFilter;
  /** "line" */
  readonly kind: string | undefined;
  /** The text in the rows: "vLLM on bosun". */
  readonly target: string | undefined;
  readonly model: string | undefined;
  readonly sort: DocumentSort;
}

export const STATE_FILTERS: readonly { readonly key: StateFilter; readonly title: string }[] = [
  { key: 'all', title: 'All' },
  { key: 'live', title: 'Live' },
  { key: 'complete', title: 'Complete' },
  { key: 'not-complete', title: 'Not complete' },
];

export const NEWEST_FIRST: DocumentSort = { key: 'started', isDescending: true };

export const filterOf = (query: URLSearchParams): DocumentFilter => {
  const sort = query.get('sort') ?? '';
  const key = SORT_KEYS.find(each => each === sort.replace(/^-/, ''));
  return {
    text: query.get('q') ?? '',
    state: STATE_FILTERS.find(each => each.key === query.get('state'))?.key ?? 'all',
    kind: query.get('kind') ?? undefined,
    target: query.get('target') ?? undefined,
    model: query.get('model') ?? undefined,
    sort: key === undefined ? NEWEST_FIRST : { key, isDescending: sort.startsWith('-') },
  };
};

/** The inverse; defaults are left out of an address. */
export const queryOf = ({ text, state, sort, ...chosen }: DocumentFilter): URLSearchParams => {
  const query = new URLSearchParams();
  if (text !== '') query.set('q', text);
  if (state !== 'all') query.set('state', state);
  for (const name of CHOICES) if (chosen[name] !== undefined) query.set(name, chosen[name]);
  if (sort.key !== NEWEST_FIRST.key || sort.isDescending !== NEWEST_FIRST.isDescending)
    query.set('sort', `${sort.isDescending ? '-' : ''}${sort.key}`);
  return query;
};

export const matchesFilter = (row: DocumentRow, filter: DocumentFilter): boolean =>
  fitsState(row, filter.state) &&
  CHOICES.every(name => filter[name] === undefined || row[name] === filter[name]) &&
  matchesText(row, filter.text);

export const fitsState = ({ isLive, state }: DocumentRow, filter: StateFilter): boolean => {
  switch (filter) {
    case 'all':
      return true;
    case 'live':
      return isLive;
    case 'complete':
      return !isLive && state === 'complete';
    case 'not-complete':
      return !isLive && state !== 'complete';
    default:
      return filter satisfies never;
  }
};

/** Every word of the text must be somewhere in what the row has of names, model, target, load and result, in any order. */
const matchesText = (
  { id, names, model, target, load, result, hidden }: DocumentRow,
  text: string,
): boolean => {
  const searchable = [id, ...names, model, target, load, result, ...hidden].join(' ').toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every(word => searchable.includes(word));
};

/** What is in progress comes first in any order. */
export const sortedRows = (
  rows: readonly DocumentRow[],
  { key, isDescending }: DocumentSort,
): readonly DocumentRow[] =>
  rows.toSorted((a, b) => {
    if (a.isLive !== b.isLive) return a.isLive ? -1 : 1;
    const [x, y] = [SORT_VALUES[key](a), SORT_VALUES[key](b)];
    // Unknown values sort last in either direction.
    if (x === undefined || y === undefined) return x === y ? 0 : x === undefined ? 1 : -1;
    const order = x < y ? -1 : x > y ? 1 : 0;
    return isDescending ? -order : order;
  });

/** Another column begins with what is best in it; the same one turns round. */
export const turnedSort = (sort: DocumentSort, key: SortKey): DocumentSort =>
  sort.key === key ? { key, isDescending: !sort.isDescending } : { key, isDescending: key !== 'model' };

/** Each once, sorted. One that the address names stays in the list although no document has it, so that it can be deselected. */
export const choicesOf = (
  every: string,
  values: readonly string[],
  chosen: string | undefined,
  titleOf: (value: string) => string = value => value,
): readonly { readonly key: string; readonly title: string }[] => [
  { key: '', title: every },
  ...[...new Set(chosen === undefined ? values : [...values, chosen])]
    .filter(value => value !== '')
    .toSorted((a, b) => a.localeCompare(b, 'en'))
    .map(value => ({ key: value, title: titleOf(value) })),
];

const SORT_VALUES: { readonly [K in SortKey]: (row: DocumentRow) => string | number | undefined } = {
  started: ({ startedAt }) => startedAt,
  model: ({ model }) => model.toLowerCase(),
  result: ({ figure }) => figure,
};
const SORT_KEYS: readonly SortKey[] = ['started', 'model', 'result'];
const CHOICES = ['kind', 'target', 'model'] as const;
