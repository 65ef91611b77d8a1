// The whole picture as geometry: where nodes, lines, labels and arrowheads stand. Pure and without figures: it is asked
// anew when the topology, the size or what is picked changes, and a figure only changes the text in a box.

import type { Arrangement, Placement, WordWidths } from './arrangement.ts';
import { arrangeRing, belowPlace, RING_NODES_MAX, sizesOf } from './arrangement.ts';
import { routesAround } from './detours.ts';
import type { Box, MapFrame, Point } from './geometry.ts';
import type { LabelledRoute, Labelling, PlacedLabel } from './labels.ts';
import { placeLabels } from './labels.ts';
import { type LinkRoute, routeBetween } from './route.ts';
import { settle } from './settle.ts';
import { flagSize, type LinkTexts, wantedLabels } from './wanted-labels.ts';

export interface MapNode {
  readonly id: string;
  readonly words: WordWidths;
}

export interface MapLink {
  readonly key: string;
  readonly nodes: readonly [string, string];
  readonly texts: LinkTexts;
  /** Of the line in px, in coarse steps. */
  readonly width: number;
  readonly priority: number;
  readonly isPicked: boolean;
  /** It carries less than it should. */
  readonly isFlagged: boolean;
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
  const ends = links.flatMap(link => {
    const [a, b] = link.nodes.map(id => placeOf.get(id));
    return a === undefined || b === undefined ? [] : [{ link, a, b }];
  });
  const lines = routesOf(ends, places, { frame, flag: flagSize(detail, fontSize) });
  const routes = ends.flatMap(({ link }, index): readonly LabelledRoute[] => {
    const route = lines[index];
    if (route === undefined || route.length < 1) return [];
    const { length, bend } = route;
    return [
      {
        ...route,
        key: link.key,
        width: link.width,
        priority: link.priority,
        wanted: wantedLabels(link, { detail, fontSize, length, isBent: bend !== undefined }),
        mayCross: detail === 'full' || link.isPicked,
        neverHides: link.isFlagged && nodes.length <= RING_NODES_MAX,
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

/** With few nodes lines go around obstacles; among many a person could not follow one, and it would take long. */
const routesOf = (
  ends: readonly { readonly link: MapLink; readonly a: Placement; readonly b: Placement }[],
  places: readonly Placement[],
  { frame, flag }: { readonly frame: MapFrame; readonly flag: MapFrame },
): readonly LinkRoute[] =>
  places.length > RING_NODES_MAX
    ? ends.map(({ a, b }) => routeBetween(a, b))
    : routesAround(
        ends.map(({ link, a, b }) =>
          link.isFlagged
            ? { a, b, lengthMin: FLAGGED_LENGTH_MIN, label: flag }
            : { a, b, lengthMin: LENGTH_MIN, label: undefined },
        ),
        places,
        frame,
      );

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

/** Labels may stand so far into the map's padding, px. */
const EDGE = 6;
/** A flagged link, and any other, is never shorter, px: it leaves its nodes on their outer sides rather. */
const FLAGGED_LENGTH_MIN = 96;
const LENGTH_MIN = 28;
