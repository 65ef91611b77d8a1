// What a reader of the stream asks for instead of the whole state, as it stands in the query.

import type { FleetPick } from '../../../core/fleet/fleet-selection.ts';
import { parsePick, pickText } from '../../../core/fleet/fleet-selection.ts';
import type { GroupBy } from '../../../core/group/group-by.ts';
import { groupByText, parseGroupBy } from '../../../core/group/group-by.ts';
import { RequestError } from '../request-error.ts';

export type StreamView = { readonly by: GroupBy | undefined } & (
  | { readonly kind: 'fleet' }
  | { readonly kind: 'pick'; readonly pick: FleetPick }
  | { readonly kind: 'group'; readonly group: string }
);

/** What a reader asks for: `view=fleet`, `view=pick&pick=…`, `view=group&group=…`, each with `by`; undefined: the whole state. */
export const streamView = (query: {
  readonly view?: string;
  readonly by?: string;
  readonly pick?: string;
  readonly group?: string;
}): StreamView | undefined => {
  if (query.view === undefined) return undefined;
  const parsed = query.by === undefined ? undefined : parseGroupBy(query.by);
  if (parsed !== undefined && parsed.kind !== 'ok') throw badView(parsed.problem, parsed.advice);
  const by = parsed?.value;
  if (query.view === 'fleet') return { kind: 'fleet', by };
  if (query.view === 'group' && query.group !== undefined) return { kind: 'group', by, group: query.group };
  const pick = query.view === 'pick' && query.pick !== undefined ? parsePick(query.pick) : undefined;
  if (pick !== undefined) return { kind: 'pick', by, pick };
  throw badView(
    'The stream has no such view.',
    'Use view=fleet, view=pick with pick=node:ID, group:NAME or pair:NAME|NAME, or view=group with group=NAME.',
  );
};

/** One text a view; ids of the stream carry it, so that one view is never resumed with the numbers of another. */
export const viewText = (view: StreamView): string => {
  const by = view.by === undefined ? '' : groupByText(view.by);
  const of = view.kind === 'fleet' ? '' : view.kind === 'group' ? view.group : pickText(view.pick);
  return [view.kind, by, of].map(encodeURIComponent).join('-').replaceAll('.', '%2E');
};

const badView = (problem: string, advice: string): RequestError =>
  new RequestError({ code: 'bad-query', problem, advice });
