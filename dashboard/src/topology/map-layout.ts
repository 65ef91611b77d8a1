// The whole picture as geometry: positions of nodes, lines, labels and arrowheads. Pure and without figures: it is calculated
// again when the topology, the size or the selection changes, and a figure only changes the text in a box.

import { type Arrangement, arrangeRing, type Placement, type WordWidths } from './arrangement.ts';
import { routesAround } from './detours.ts';
import type { Box, MapFrame } from './geometry.ts';
import { type LabelledRoute, type Labelling, type PlacedLabel, placeLabels } from './labels.ts';
import type { LinkRoute } from './route.ts';
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
}

export interface MapInput {
  readonly nodes: readonly MapNode[];
  readonly links: readonly MapLink[];
  readonly frame: MapFrame;
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
}

export const layoutMap = ({ nodes, links, frame }: MapInput): MapLayout => {
  const arrangement = arrangeRing(
    nodes.length,
    frame,
    nodes.map(({ words }) => words),
  );
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
        showsBothWays: link.isPicked && link.texts === 'figures',
        neverHides: link.isFlagged || link.isPicked,
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
  };
};

/** Lines go around obstacles. */
const routesOf = (
  ends: readonly { readonly link: MapLink; readonly a: Placement; readonly b: Placement }[],
  places: readonly Placement[],
  { frame, flag }: { readonly frame: MapFrame; readonly flag: MapFrame },
): readonly LinkRoute[] =>
  routesAround(
    ends.map(({ link, a, b }) =>
      link.isFlagged
        ? { a, b, lengthMin: FLAGGED_LENGTH_MIN, label: flag }
        : { a, b, lengthMin: LENGTH_MIN, label: undefined },
    ),
    places,
    frame,
  );

const label = (
  routes: readonly LabelledRoute[],
  {
    arrangement,
    frame,
    fontSize,
  }: { readonly arrangement: Arrangement; readonly frame: MapFrame; readonly fontSize: number },
): Labelling => {
  const bounds: Box = { x: -EDGE, y: -EDGE, width: frame.width + 2 * EDGE, height: frame.height + 2 * EDGE };
  return placeLabels(routes, {
    solids: arrangement.places.flatMap(({ solids }) => solids),
    centre: { x: frame.width / 2, y: frame.height / 2 },
    frame: bounds,
    fontSize,
  });
};

/** Labels may stand so far into the map's padding, px. */
const EDGE = 6;
/** A flagged link, and any other, is never shorter, px: it leaves its nodes on their outer sides rather. */
const FLAGGED_LENGTH_MIN = 96;
const LENGTH_MIN = 28;
