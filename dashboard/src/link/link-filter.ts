// Which links a list shows, and how the page of all links shows them, from and to the address: a filtered view can be shared.
// Invalid parts of an address are ignored rather than refused.

import type { LinkMedium } from '../../../src/core/link/link-medium.ts';
import { shareOfExpected } from '../../../src/core/link/link-share.ts';
import type { LinkView } from '../../../src/core/link/link-view.ts';
import type { HeatMeasure } from './heat.ts';
import { type PickedEnds, pickedEnds, withPickedEnds } from './picked-link.ts';

export interface LinkFilter {
  readonly shape: 'matrix' | 'list';
  /** From the address; otherwise `usualMeasure`. */
  readonly measure: HeatMeasure | undefined;
  /** In the name of a node. */
  readonly text: string;
  /** The list alone: what the best way of a link is made of. */
  readonly medium: LinkMedium | undefined;
  /** The list alone: only links that fall short, or whose measurement fails. */
  readonly isFlaggedOnly: boolean;
  /** The list alone: only links of this node, by its id. */
  readonly node: string | undefined;
  /** The link that is looked at, and in which direction. */
  readonly picked: PickedEnds | undefined;
}

export const linkFilterOf = (query: URLSearchParams): LinkFilter => ({
  shape: query.get('as') === 'list' ? 'list' : 'matrix',
  measure: MEASURES.find(each => each === query.get('measure')),
  text: query.get('q') ?? '',
  medium: MEDIA.find(({ key }) => key === query.get('type'))?.key,
  isFlaggedOnly: query.get('flagged') === 'only',
  node: query.get('node') ?? undefined,
  picked: pickedEnds(query),
});

/** The inverse; defaults are left out of an address. */
export const linkQuery = ({
  shape,
  measure,
  text,
  medium,
  isFlaggedOnly,
  node,
  picked,
}: LinkFilter): URLSearchParams => {
  const query = withPickedEnds(new URLSearchParams(), picked);
  if (shape === 'list') query.set('as', 'list');
  if (measure !== undefined) query.set('measure', measure);
  if (text !== '') query.set('q', text);
  if (medium !== undefined) query.set('type', medium);
  if (isFlaggedOnly) query.set('flagged', 'only');
  if (node !== undefined) query.set('node', node);
  return query;
};

/** The default of the matrix: the share of what each link should carry, unless that is unknown for all. */
export const usualMeasure = (links: readonly LinkView[]): HeatMeasure => {
  const figures = links.flatMap(({ there, back }) => [there ?? [], back ?? []].flat());
  const judged = figures.length > 0 ? figures : links.map(({ best }) => ({ value: 1, of: best }));
  return judged.length > 0 && judged.every(figure => shareOfExpected(figure) === undefined)
    ? 'bandwidth'
    : 'share';
};

/** `notes`: by link, how it falls short. */
export const matchesLink = (
  link: LinkView,
  { medium, isFlaggedOnly, node }: LinkFilter,
  notes: ReadonlyMap<string, string>,
): boolean =>
  (medium === undefined || link.medium === medium) &&
  (node === undefined || link.nodes.some(id => id === node)) &&
  (!isFlaggedOnly || isFlagged(link, notes));

export const isFlagged = (link: LinkView, notes: ReadonlyMap<string, string>): boolean =>
  notes.has(link.key) || link.lost.length > 0 || link.standing.kind === 'failed';

/** The media that are there, for a list to choose from. */
export const mediumOptions = (
  links: readonly LinkView[],
): readonly { readonly key: string; readonly title: string }[] => {
  const there = new Set(links.map(({ medium }) => medium));
  return [{ key: '', title: 'Every type' }, ...MEDIA.filter(({ key }) => there.has(key))];
};

export const MEDIA: readonly { readonly key: LinkMedium; readonly title: string }[] = [
  { key: 'rdma', title: 'RDMA' },
  { key: 'cable', title: 'Cable' },
  { key: 'wifi', title: 'Wi-Fi' },
  { key: 'overlay', title: 'Overlay' },
  { key: 'unknown', title: 'Unknown' },
];

const MEASURES: readonly HeatMeasure[] = ['share', 'bandwidth', 'delay'];
