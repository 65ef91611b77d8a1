// Which nodes a person selected: those of one site, rack or kind, or with a tag. All conditions must be
// met.

import type { NodeView } from '../node/node-view.ts';
import { knownOr, type Reported } from '../unknown.ts';
import type { Warning } from '../warnings/warning.ts';
import { type NodePlace, nodePlace, type Placed } from './node-place.ts';

export interface PlaceFilter {
  readonly site?: string;
  /** "r01", or "greenwich/r01" if several sites have one. */
  readonly rack?: string;
  readonly kind?: string;
  /** Words, or "key=value"; a node has all of them. */
  readonly tags: readonly string[];
}

export const EVERY_NODE: PlaceFilter = { tags: [] };

export const isFiltering = (filter: PlaceFilter): boolean =>
  filter.site !== undefined ||
  filter.rack !== undefined ||
  filter.kind !== undefined ||
  filter.tags.length > 0;

/** The same list if there is no condition. */
export const filteredViews = (views: readonly NodeView[], filter: PlaceFilter): readonly NodeView[] =>
  isFiltering(filter) ? views.filter(view => isOfFilter(nodePlace(view), filter)) : views;

/** Warnings about one of the nodes. */
export const warningsOf = (warnings: readonly Warning[], views: readonly NodeView[]): readonly Warning[] => {
  const shown = new Set(views.map(({ nodeId }) => nodeId));
  return warnings.filter(({ nodes }) => nodes.some(node => shown.has(node)));
};

const isOfFilter = (place: NodePlace, { site, rack, kind, tags }: PlaceFilter): boolean =>
  (site === undefined || isNamed(place.site, site)) &&
  (rack === undefined || isRack(place, rack)) &&
  (kind === undefined || isNamed(place.kind, kind)) &&
  tags.every(tag => place.tags.includes(tag));

const isNamed = (placed: Reported<Placed>, name: string): boolean =>
  knownOr(placed, undefined)?.name === name;

const isRack = (place: NodePlace, requested: string): boolean => {
  const [site, rack] = requested.includes('/') ? requested.split('/', 2) : [undefined, requested];
  return (site === undefined || isNamed(place.site, site)) && rack !== undefined && isNamed(place.rack, rack);
};
