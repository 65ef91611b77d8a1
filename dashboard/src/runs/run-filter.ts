// Which runs a list shows and in which order, from and to the address: a filtered view can be shared.
// Invalid parts of an address are ignored rather than refused.

import type { Run } from '../../../src/core/run/run.ts';
import type { RunView } from '../../../src/core/run/run-selectors.ts';
import type { State } from '../../../src/core/state.ts';
import type { SweepView } from '../../../src/core/sweep/sweep-selectors.ts';
import { sweepTitle } from '../line/sweep-labels.ts';
import { modelLabel, targetLabel } from '../run/run-labels.ts';
import { matchesSearch, NEWEST_FIRST, type RunSort, type SortKey } from './run-rows.ts';

type RunStateFilter = 'all' | 'live' | 'complete' | 'not-complete';

export interface RunFilter {
  readonly text: string;
  readonly state: RunStateFilter;
  /** The text in the rows: "vLLM on bosun". */
  readonly target: string | undefined;
  readonly model: string | undefined;
  readonly sort: RunSort;
}

export const RUN_STATES: readonly { readonly key: RunStateFilter; readonly title: string }[] = [
  { key: 'all', title: 'All' },
  { key: 'live', title: 'Live' },
  { key: 'complete', title: 'Complete' },
  { key: 'not-complete', title: 'Not complete' },
];

export const runFilterOf = (query: URLSearchParams): RunFilter => {
  const sort = query.get('sort') ?? '';
  const key = SORT_KEYS.find(each => each === sort.replace(/^-/, ''));
  return {
    text: query.get('q') ?? '',
    state: RUN_STATES.find(each => each.key === query.get('state'))?.key ?? 'all',
    target: query.get('target') ?? undefined,
    model: query.get('model') ?? undefined,
    sort: key === undefined ? NEWEST_FIRST : { key, isDescending: sort.startsWith('-') },
  };
};

/** The inverse; defaults are left out of an address. */
export const runQuery = ({ text, state, target, model, sort }: RunFilter): URLSearchParams => {
  const query = new URLSearchParams();
  if (text !== '') query.set('q', text);
  if (state !== 'all') query.set('state', state);
  if (target !== undefined) query.set('target', target);
  if (model !== undefined) query.set('model', model);
  if (sort.key !== NEWEST_FIRST.key || sort.isDescending !== NEWEST_FIRST.isDescending)
    query.set('sort', `${sort.isDescending ? '-' : ''}${sort.key}`);
  return query;
};

type Chosen = Pick<RunFilter, 'state' | 'target' | 'model'>;

export const matchesRun = (cluster: State, view: RunView, chosen: Chosen): boolean =>
  matchesRunState(view, chosen.state) && isAgainst(cluster, view.run, chosen);

/** The same of a load line or a sweep, of which a search text may also name an objective. */
export const matchesSweep = (
  cluster: State,
  view: SweepView,
  filter: Chosen & Pick<RunFilter, 'text'>,
): boolean => {
  const { sweep } = view;
  const fields = [
    sweep.sweepId,
    sweepTitle(view),
    ...sweep.tags,
    modelLabel(sweep),
    targetLabel(cluster, sweep),
    sweep.target,
    ...sweep.objectives,
  ];
  return (
    matchesRunState(view, filter.state) &&
    isAgainst(cluster, sweep, filter) &&
    matchesSearch(fields.join(' '), filter.text)
  );
};

const isAgainst = (
  cluster: State,
  requested: Pick<Run, 'target' | 'targetNode' | 'serverKind' | 'model'>,
  { target, model }: Chosen,
): boolean =>
  (target === undefined || targetLabel(cluster, requested) === target) &&
  (model === undefined || modelLabel(requested) === model);

export const matchesRunState = (
  { isLive, state }: Pick<RunView | SweepView, 'isLive' | 'state'>,
  filter: RunStateFilter,
): boolean => {
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

/** Each once, in the order of the alphabet; one that the address asks for and nobody has any more stays to be unchosen. */
export const choicesOf = (
  every: string,
  values: readonly string[],
  chosen: string | undefined,
): readonly { readonly key: string; readonly title: string }[] => [
  { key: '', title: every },
  ...[...new Set(chosen === undefined ? values : [...values, chosen])]
    .toSorted((a, b) => a.localeCompare(b, 'en'))
    .map(value => ({ key: value, title: value })),
];

const SORT_KEYS: readonly SortKey[] = ['started', 'model', 'completed', 'output', 'ttft', 'tpot'];
