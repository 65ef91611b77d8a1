// The whole picture as geometry: where nodes, lines, labels and arrowheads stand. Pure and without figures: it is asked
// anew when the topology, the size or what is picked changes, and a figure only changes the text in a box.

import type { Arrangement, Detail, WordWidths } from './arrangement.ts';
import { arrangeRing, belowPlace, RING_NODES_MAX, sizesOf } from './arrangement.ts';
import type { Box, MapFrame, Point } from './geometry.ts';
import type { LabelledRoute, Labelling, PlacedLabel, WantedLabel } from './labels.ts';
import { placeLabels } from './labels.ts';
import { routeBetween } from './route.ts';
import { settle } from './settle.ts';
import { drawnTextWidth } from './text-width.ts';

export interface MapNode {
  readonly id: string;
  readonly words: WordWidths;
}

/** Which labels a link wants: nothing, a word in place of figures, one for both directions, or one each. */
export type LinkTexts = 'none' | 'measuring' | 'waits' | 'failed' | 'not measured' | 'both' | 'apart';

export interface MapLink {
  readonly key: string;
  readonly nodes: readonly [string, string];
  readonly texts: LinkTexts;
  /** Of the line in px, in coarse steps. */
  readonly width: number;
  readonly priority: number;
  readonly isPicked: boolean;
  /** How much nearer than others its two nodes should stand, 0..1. */
  readonly pull: number;
}

export interface MapInput {
  readonly nodes: readonly MapNode[];
  readonly links: readonly MapLink[];
  readonly frame: MapFrame;
  /** Where nodes stood before, as shares of the frame; only the forces ask for it. */
  readonly known: ReadonlyMap<string, Point>;
}

export interface MapRoute extends LabelledRoute {
  readonly labels: readonly PlacedLabel[];
}

export interface MapLayout {
  readonly arrangement: Arrangement;
  readonly fontSize: number;
  readonly routes: readonly MapRoute[];
  /** Links whose labels gave way. */
  readonly hidden: readonly string[];
  readonly places: ReadonlyMap<string, Point>;
}

/** Past so many links only the first ones in the order try to get labels: nobody reads more, and it takes long. */
export const LABELLED_LINKS_MAX = 120;

export const layoutMap = ({ nodes, links, frame, known }: MapInput): MapLayout => {
  const arrangement = arrange({ nodes, links, frame, known });
  const { detail, places } = arrangement;
  const placeOf = new Map(nodes.map(({ id }, index) => [id, places[index]]));
  const fontSize = detail === 'full' ? (nodes.length === 2 ? 15 : 13) : 12;
  const routes = links.flatMap((link): readonly LabelledRoute[] => {
    const [a, b] = link.nodes.map(id => placeOf.get(id));
    if (a === undefined || b === undefined) return [];
    const route = routeBetween(a, b);
    if (route.length < 1) return [];
    const wanted = wantedLabels(link, { detail, fontSize, length: route.length });
    return [
      {
        ...route,
        key: link.key,
        width: link.width,
        priority: link.priority,
        wanted,
        mayCross: detail === 'full' || link.isPicked,
      },
    ];
  });
  const { labels, hidden } = label(routes, { arrangement, frame, fontSize });
  const labelsOf = Map.groupBy(labels, ({ key }) => key);
  return {
    arrangement,
    fontSize,
    routes: routes.map(route => ({ ...route, labels: labelsOf.get(route.key) ?? [] })),
    hidden,
    places: new Map(
      nodes.map(({ id }, index) => {
        const { x = 0, y = 0 } = places[index] ?? {};
        return [id, { x: x / frame.width, y: y / frame.height }];
      }),
    ),
  };
};

const arrange = ({ nodes, links, frame, known }: MapInput): Arrangement => {
  if (nodes.length <= RING_NODES_MAX) {
    return arrangeRing(
      nodes.length,
      frame,
      nodes.map(({ words }) => words),
    );
  }
  const sizes = sizesOf(nodes.length, frame);
  const indexOf = new Map(nodes.map(({ id }, index) => [id, index]));
  const centres = settle({
    ids: nodes.map(({ id }) => id),
    springs: links.flatMap(({ nodes: [first, second], pull }) => {
      const [a, b] = [indexOf.get(first), indexOf.get(second)];
      return a === undefined || b === undefined ? [] : [{ a, b, pull }];
    }),
    frame,
    size: sizes.below,
    known,
  });
  return { ...sizes, places: centres.map(at => belowPlace(at, sizes, frame)) };
};

const label = (
  routes: readonly LabelledRoute[],
  {
    arrangement,
    frame,
    fontSize,
  }: { readonly arrangement: Arrangement; readonly frame: MapFrame; readonly fontSize: number },
): Labelling => {
  const wanting = routes.filter(({ wanted }) => wanted.length > 0);
  const isTooMany = wanting.length > LABELLED_LINKS_MAX;
  const kept = isTooMany
    ? new Set(
        [...wanting]
          .sort((a, b) => b.priority - a.priority || b.length - a.length)
          .slice(0, LABELLED_LINKS_MAX)
          .map(({ key }) => key),
      )
    : undefined;
  const mute = (route: LabelledRoute): LabelledRoute =>
    kept === undefined || kept.has(route.key) ? route : { ...route, wanted: [] };
  const bounds: Box = { x: -EDGE, y: -EDGE, width: frame.width + 2 * EDGE, height: frame.height + 2 * EDGE };
  const { labels, hidden } = placeLabels(routes.map(mute), {
    solids: arrangement.places.flatMap(({ solids }) => solids),
    centre: { x: frame.width / 2, y: frame.height / 2 },
    frame: bounds,
    fontSize,
  });
  const unasked = kept === undefined ? [] : wanting.filter(({ key }) => !kept.has(key)).map(({ key }) => key);
  return { labels, hidden: [...hidden, ...unasked] };
};

const wantedLabels = (
  { texts, isPicked }: MapLink,
  {
    detail,
    fontSize,
    length,
  }: { readonly detail: Detail; readonly fontSize: number; readonly length: number },
): readonly WantedLabel[] => {
  if (texts === 'none' || detail === 'phone') return [];
  if (texts !== 'both' && texts !== 'apart') return [{ role: 'word', width: wordWidth(texts, fontSize) }];
  const rate = rateWidth(fontSize);
  if (detail === 'full' || isPicked) {
    return [
      { role: 'toFirst', width: rate },
      { role: 'toSecond', width: rate },
      { role: 'delay', width: delayWidth(fontSize) },
    ];
  }
  if (texts === 'both' || length < SHORT_LINE) return [{ role: 'both', width: rate }];
  return [
    { role: 'toFirst', width: rate },
    { role: 'toSecond', width: rate },
  ];
};

/** Room for any rate and any delay, so that a new figure never moves a label. */
const rateWidth = (fontSize: number): number =>
  drawnTextWidth('88.8', { face: 'condensed-medium', size: fontSize }) +
  drawnTextWidth(' MB/s', { face: 'condensed', size: fontSize - 1 }) +
  3;

const delayWidth = (fontSize: number): number =>
  drawnTextWidth('888', { face: 'condensed', size: fontSize }) +
  drawnTextWidth(' ms', { face: 'condensed', size: fontSize - 1 }) +
  3;

const wordWidth = (word: string, fontSize: number): number =>
  drawnTextWidth(word, { face: 'condensed', size: fontSize }) + 3;

/** Labels may stand so far into the map's padding, px. */
const EDGE = 6;
/** Two labels need a line so long, px. */
const SHORT_LINE = 110;
