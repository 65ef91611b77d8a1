// What a reader of the stream requests instead of the whole state, as given in the query.

import type { RosterGroup } from '../../../core/fleet/fleet-picture.ts';
import { type FleetPick, parsePick, pickText } from '../../../core/fleet/fleet-selection.ts';
import type { LinkListFilter } from '../../../core/fleet/link-listing.ts';
import { partOfNode, partOfNodes, partOfRuns, type StatePart } from '../../../core/fleet/state-part.ts';
import { type GroupBy, groupByText, parseGroupBy } from '../../../core/group/group-by.ts';
import { isNodeId, type NodeId } from '../../../core/ids.ts';
import { LINK_MEDIA } from '../../../core/link/link-medium.ts';
import type { State } from '../../../core/state.ts';
import { RequestError } from '../request-error.ts';

export type StreamView = { readonly by: GroupBy | undefined } & (
  | { readonly kind: 'fleet' | 'runs' }
  | { readonly kind: 'pick'; readonly pick: FleetPick }
  | { readonly kind: 'group'; readonly group: string }
  | { readonly kind: 'node'; readonly node: NodeId }
  | { readonly kind: 'nodes' | 'link'; readonly nodes: readonly NodeId[] }
  | { readonly kind: 'links'; readonly filter: LinkListFilter }
);

interface ViewQuery {
  readonly view?: string;
  readonly by?: string;
  readonly pick?: string;
  readonly group?: string;
  readonly nodes?: string;
  readonly q?: string;
  readonly type?: string;
  readonly flagged?: string;
  readonly page?: string;
}

/** What a reader asks for by `view`, most of them with `by`; undefined: the whole state. */
export const streamView = (query: ViewQuery): StreamView | undefined => {
  if (query.view === undefined) return undefined;
  const parsed = query.by === undefined ? undefined : parseGroupBy(query.by);
  if (parsed !== undefined && parsed.kind !== 'ok') throw badView(parsed.problem, parsed.advice);
  const by = parsed?.value;
  switch (query.view) {
    case 'fleet':
    case 'runs':
      return { kind: query.view, by };
    case 'links':
      return { kind: 'links', by, filter: filterOf(query) };
    case 'group':
      if (query.group !== undefined) return { kind: 'group', by, group: query.group };
      break;
    case 'pick': {
      const pick = query.pick === undefined ? undefined : parsePick(query.pick);
      if (pick !== undefined) return { kind: 'pick', by, pick };
      break;
    }
    case 'node':
    case 'nodes':
    case 'link': {
      const nodes = (query.nodes ?? '').split(',').filter(isNodeId);
      const [node] = nodes;
      if (node === undefined || nodes.length > NODES_OF_VIEW_MAX) break;
      return query.view === 'node' ? { kind: 'node', by, node } : { kind: query.view, by, nodes };
    }
    default:
      break;
  }
  throw badView(
    'The stream has no such view.',
    `Use view=fleet, view=pick with pick=node:ID, group:NAME or pair:NAME|NAME, view=group with group=NAME, view=node, nodes or link with nodes=ID,ID (at most ${NODES_OF_VIEW_MAX}), view=links, or view=runs.`,
  );
};

/** It carries a part of State; the others carry pictures of it. */
export const isOfState = ({ kind }: StreamView): boolean =>
  kind !== 'fleet' && kind !== 'pick' && kind !== 'links';

/** The part of State that a view carries. @param groups as it groups nodes. */
export const statePartOf = (view: StreamView, state: State, groups: readonly RosterGroup[]): StatePart => {
  switch (view.kind) {
    case 'node':
      return partOfNode(state, view.node);
    case 'nodes':
    case 'link':
      return partOfNodes(view.nodes, view.kind === 'link' ? 'between' : 'none');
    case 'runs':
      return partOfRuns(state);
    case 'group': {
      const cells = groups.find(({ id }) => id === view.group)?.cells ?? [];
      return partOfNodes(
        cells.map(({ node }) => node),
        'between',
      );
    }
    case 'fleet':
    case 'pick':
    case 'links':
      return partOfNodes([], 'none');
    default:
      return view satisfies never;
  }
};

/** One text a view; ids of the stream carry it, so that one view is never resumed with the numbers of another. */
export const viewText = (view: StreamView): string => {
  const by = view.by === undefined ? '' : groupByText(view.by);
  return [view.kind, by, ofView(view)].map(encodeURIComponent).join('-').replaceAll('.', '%2E');
};

const ofView = (view: StreamView): string => {
  switch (view.kind) {
    case 'fleet':
    case 'runs':
      return '';
    case 'group':
      return view.group;
    case 'pick':
      return pickText(view.pick);
    case 'node':
      return view.node;
    case 'nodes':
    case 'link':
      return view.nodes.join();
    case 'links':
      return JSON.stringify(view.filter);
    default:
      return view satisfies never;
  }
};

/** Invalid parameters of a list are ignored, as in the URL of its page. */
const filterOf = ({ q, type, flagged, page }: ViewQuery): LinkListFilter => ({
  text: (q ?? '').slice(0, TEXT_MAX),
  medium: LINK_MEDIA.find(medium => medium === type),
  isFlaggedOnly: flagged === 'only',
  page: /^\d{1,4}$/.test(page ?? '') ? Number(page) : 0,
});

const badView = (problem: string, advice: string): RequestError =>
  new RequestError({ code: 'bad-query', problem, advice });

const NODES_OF_VIEW_MAX = 64;
const TEXT_MAX = 100;
