// The whole picture as geometry: positions of nodes, lines, labels and arrowheads. Pure and without figures: it is calculated
// again when the topology, the size or the selection changes, and a figure only changes the text in a box.

import { maximumOf } from '../../../src/core/extremes.ts';
import { type Arrangement, arrangeRing, type Placement, type TextWidths } from './arrangement.ts';
import { directionAt, entersBox, pointAt } from './curve.ts';
import { type Box, boxAround, distance, distanceTo, type MapFrame, meet, type Point } from './geometry.ts';
import { type LabelledRoute, type Labelling, type PlacedLabel, placeLabels } from './labels.ts';
import { bentRoute, LINE_END_GAP, type LinkRoute, routeBetween } from './route.ts';
import { flagSize, type LinkTexts, wantedLabels } from './wanted-labels.ts';

export interface MapNode {
  readonly id: string;
  readonly textWidths: TextWidths;
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
    nodes.map(({ textWidths }) => textWidths),
  );
  const { detail, placements } = arrangement;
  const placementOf = new Map(nodes.map(({ id }, index) => [id, placements[index]]));
  const fontSize = detail === 'full' ? (nodes.length === 2 ? 15 : 13) : 12;
  const ends = links.flatMap(link => {
    const [a, b] = link.nodes.map(id => placementOf.get(id));
    return a === undefined || b === undefined ? [] : [{ link, a, b }];
  });
  const lines = routesOf(ends, placements, { frame, flag: flagSize(detail, fontSize) });
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
  placements: readonly Placement[],
  { frame, flag }: { readonly frame: MapFrame; readonly flag: MapFrame },
): readonly LinkRoute[] =>
  routesAround(
    ends.map(({ link, a, b }) =>
      link.isFlagged
        ? { a, b, lengthMin: FLAGGED_LENGTH_MIN, label: flag }
        : { a, b, lengthMin: LENGTH_MIN, label: undefined },
    ),
    placements,
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
    solids: arrangement.placements.flatMap(({ solids }) => solids),
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

// Lines of a small map that cannot be straight. One that would run through a third node is bent around it; one between
// neighbours that would be too short to see leaves both on the outer side.
interface LineEnds {
  readonly a: Placement;
  readonly b: Placement;
  /** A line with a label needs this much room, px. */
  readonly lengthMin: number;
  /** Its label; undefined if it needs none. */
  readonly label: MapFrame | undefined;
}

/** One route per link, in their order. */
const routesAround = (
  links: readonly LineEnds[],
  placements: readonly Placement[],
  frame: MapFrame,
): readonly LinkRoute[] => {
  const centre = { x: frame.width / 2, y: frame.height / 2 };
  const routes = links.map(({ a, b }) => routeBetween(a, b));
  const othersOf = ({ a, b }: LineEnds): readonly Box[] =>
    placements.filter(placement => placement !== a && placement !== b).flatMap(({ solids }) => solids);
  const blocked: number[] = [];
  for (const [index, link] of links.entries()) {
    const route = routes[index] ?? routeBetween(link.a, link.b);
    const others = othersOf(link);
    if (route.length < link.lengthMin)
      routes[index] = outwards(link, { route, others, centre, frame }) ?? route;
    else if (isBlocked(route, others)) blocked.push(index);
  }
  // Straight lines stay, and bent ones are routed between them. Only lines that end at one node run close together for
  // long.
  const standing = new Set(links.keys()).difference(new Set(blocked));
  for (const index of blocked) {
    const link = links[index];
    if (link === undefined) continue;
    const near = [...standing].flatMap(other =>
      isJoined(link, links[other]) ? routes.slice(other, other + 1) : [],
    );
    const bent = inwards(link, { others: othersOf(link), centre, near, frame });
    if (bent !== undefined) routes[index] = bent;
    standing.add(index);
  }
  return routes;
};

const isJoined = ({ a, b }: LineEnds, other: LineEnds | undefined): boolean =>
  other !== undefined && [other.a, other.b].some(end => end === a || end === b);

const isBlocked = ({ line }: LinkRoute, others: readonly Box[]): boolean =>
  others.some(box => entersBox(line, box, NODE_GAP));

/** Bent towards the centre, as little as gets it past the nodes in its way without running along another line. */
const inwards = (
  { a, b }: LineEnds,
  {
    others,
    centre,
    near,
    frame,
  }: {
    readonly others: readonly Box[];
    readonly centre: Point;
    readonly near: readonly LinkRoute[];
    readonly frame: MapFrame;
  },
): LinkRoute | undefined => {
  const middle = { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
  const apart = Math.max(1, distance(a, b));
  const normal = { x: -(b.y - a.y) / apart, y: (b.x - a.x) / apart };
  const side = normal.x * (centre.x - middle.x) + normal.y * (centre.y - middle.y) < 0 ? -1 : 1;
  let best: { readonly route: LinkRoute; readonly along: number } | undefined;
  for (const offset of BENDS) {
    for (const way of [side, -side]) {
      const bend = { x: middle.x + normal.x * offset * way, y: middle.y + normal.y * offset * way };
      const first = routeBetween(a, { ...b, ...bend }).p;
      const last = routeBetween(b, { ...a, ...bend }).p;
      const route = bentRoute({ p: first, q: last, bend });
      if (isBlocked(route, others)) continue;
      const outside = isInside(route, frame) ? 0 : OUTSIDE_COST;
      const along = outside + maximumOf([0, ...near.map(other => stretchAlong(route, other))]);
      if (best === undefined || along < best.along) best = { route, along };
      if (along <= ALONG_PX) return route;
    }
  }
  return best?.route;
};

/** How long a line runs so close to another that they cannot be distinguished, px. */
const stretchAlong = (one: LinkRoute, { line }: LinkRoute): number => {
  const steps = Math.max(2, Math.ceil(one.length / STEP));
  let [longest, run] = [0, 0];
  for (let step = 0; step <= steps; step += 1) {
    const at = pointAt(one, step / steps);
    const isOn = line.some(
      (to, index) => index > 0 && distanceTo(at, line[index - 1] ?? to, to) < REPORTED_APART,
    );
    run = isOn ? run + STEP : 0;
    longest = Math.max(longest, run);
  }
  return longest;
};

interface Surroundings {
  readonly route: LinkRoute;
  readonly others: readonly Box[];
  readonly centre: Point;
  readonly frame: MapFrame;
}

/** Around the outside: from a side of one node to a side of the other, as short as the least length allows. */
const outwards = (
  { a, b, lengthMin, label }: LineEnds,
  { route, others, centre, frame }: Surroundings,
): LinkRoute | undefined => {
  const middle = pointAt(route, 0.5);
  const away = Math.max(1, distance(middle, centre));
  const outer = { x: (middle.x - centre.x) / away, y: (middle.y - centre.y) / away };
  const walls = [...others, ...a.solids, ...b.solids];
  let best: { readonly curve: LinkRoute; readonly cost: number } | undefined;
  for (const from of doorsOf(a)) {
    for (const to of doorsOf(b)) {
      for (const bend of bendsBetween(from, to, outer)) {
        if (!leavesBy(from, bend) || !leavesBy(to, bend)) continue;
        const curve = bentRoute({ p: from.at, q: to.at, bend });
        const { length, line } = curve;
        const at = pointAt(curve, 0.5);
        const outwardness = (at.x - middle.x) * outer.x + (at.y - middle.y) * outer.y;
        const least = length + INWARD_COST * Math.max(0, -outwardness);
        if (length < lengthMin || least >= (best?.cost ?? Number.POSITIVE_INFINITY)) continue;
        if (!isInside(curve, frame) || walls.some(wall => entersBox(line, wall, WALL_GAP))) continue;
        const cost = least + (label === undefined || hasRoom(curve, label, { walls, frame }) ? 0 : MUTE_COST);
        if (cost < (best?.cost ?? Number.POSITIVE_INFINITY)) best = { curve, cost };
      }
    }
  }
  return best?.curve;
};

/** Whether a label fits next to the line. */
const hasRoom = (
  curve: LinkRoute,
  label: MapFrame,
  { walls, frame }: { readonly walls: readonly Box[]; readonly frame: MapFrame },
): boolean =>
  LABEL_SHARES.some(t => {
    const at = pointAt(curve, t);
    const normal = directionAt(curve, t);
    const reach = (Math.abs(normal.y) * label.width + Math.abs(normal.x) * label.height) / 2 + LABEL_GAP;
    return [-reach, reach].some(away => {
      const box = boxAround({ x: at.x - normal.y * away, y: at.y + normal.x * away }, label);
      const isIn =
        box.x >= 0 && box.y >= 0 && box.x + box.width <= frame.width && box.y + box.height <= frame.height;
      return isIn && !walls.some(wall => meet(box, wall, WALL_GAP)) && !entersBox(curve.line, box);
    });
  });

/** Where a bent line may leave a node, and to which side. */
interface Door {
  readonly at: Point;
  readonly side: Point;
}

const doorsOf = ({ x, box, solids }: Placement): readonly Door[] => {
  const [drawing = box] = solids;
  const middle = drawing.y + drawing.height / 2;
  const bottom = maximumOf(solids.map(solid => solid.y + solid.height)) + LINE_END_GAP;
  return [
    { at: { x: drawing.x - LINE_END_GAP, y: middle }, side: { x: -1, y: 0 } },
    { at: { x: drawing.x + drawing.width + LINE_END_GAP, y: middle }, side: { x: 1, y: 0 } },
    ...[-0.35, 0, 0.35].map(share => ({
      at: { x: x + share * drawing.width, y: drawing.y - LINE_END_GAP },
      side: { x: 0, y: -1 },
    })),
    ...[-0.45, -0.2, 0, 0.2, 0.45].map(share => ({
      at: { x: x + share * box.width, y: bottom },
      side: { x: 0, y: 1 },
    })),
  ];
};

/** A corner if the two sides allow one, and a bow that goes further and further out; inwards if all else fails. */
const bendsBetween = (from: Door, to: Door, outer: Point): readonly Point[] => {
  const corner = from.side.y === 0 ? { x: to.at.x, y: from.at.y } : { x: from.at.x, y: to.at.y };
  const middle = { x: (from.at.x + to.at.x) / 2, y: (from.at.y + to.at.y) / 2 };
  const bows = BOWS.map(reach => ({ x: middle.x + outer.x * reach, y: middle.y + outer.y * reach }));
  return (from.side.y === 0) === (to.side.y === 0) ? bows : [corner, ...bows];
};

const leavesBy = ({ at, side }: Door, bend: Point): boolean =>
  (bend.x - at.x) * side.x + (bend.y - at.y) * side.y >= -DOOR_SLACK;

const isInside = ({ line }: LinkRoute, { width, height }: MapFrame): boolean =>
  line.every(({ x, y }) => x >= -MARGIN && y >= -MARGIN && x <= width + MARGIN && y <= height + MARGIN);

/** How far a line keeps off nodes that are not its own, and off the words of its own. */
const NODE_GAP = 3;
const WALL_GAP = 2;
/** How far the control point moves from the middle of a straight line, px; the curve moves half as far. */
const BENDS: readonly number[] = [16, 24, 32, 40, 50, 60, 72, 84, 96, 110, 126, 144, 164, 190, 220];
const BOWS: readonly number[] = [16, 32, 48, 64, 84, 104, 128, -24, -48, -72, -100];
/** For each px that a line goes inwards rather than outwards. */
const INWARD_COST = 4;
/** Of a line that would stand where its label cannot. */
const MUTE_COST = 300;
const LABEL_SHARES: readonly number[] = [0.5, 0.4, 0.6, 0.3, 0.7];
const LABEL_GAP = 7;
const DOOR_SLACK = 2;
/** Lines may use this much of the map's padding, px. */
const MARGIN = 8;
/** Rather along another line than out of the map. */
const OUTSIDE_COST = 10_000;
const STEP = 6;
const REPORTED_APART = 3;
/** Lines that cross at a small angle look like one for this long. */
const ALONG_PX = 32;
