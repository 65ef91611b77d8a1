// Positions of the links' labels. Each link has preferred sets of labels, the fullest first. A label tries slots
// along its line, avoids nodes and other labels, and takes the one that the fewest other lines cross. Important
// links choose first and get their full set; then every other link gets its smallest set, and only then fuller ones:
// one figure per link is worth more than three on some. Pure: boxes in, boxes out.

import { directionAt, entersBox, pointAt } from './curve.ts';
import { type Box, boxAround, meet, type Point } from './geometry.ts';
import type { LinkRoute } from './route.ts';

/**
 * `toFirst` is next to the arrowhead that points at the first node; `both` is for the two directions at once; `flag`
 * states what a link falls short of.
 */
export type LabelRole = 'toFirst' | 'toSecond' | 'delay' | 'both' | 'text' | 'flag';

export interface WantedLabel {
  readonly role: LabelRole;
  readonly width: number;
}

export interface LabelledRoute extends LinkRoute {
  readonly key: string;
  /** Of the line, px. */
  readonly width: number;
  /** Higher ones choose first; then long lines before short ones. */
  readonly priority: number;
  /** Sets of labels, the fullest first; none if it needs no label. */
  readonly wanted: readonly (readonly WantedLabel[])[];
  /** Its labels may cross other lines, and some of a set may stand without the others, rather than give way. */
  readonly mayCross: boolean;
  /** It is picked: of a set with both directions neither is shown without the other. */
  readonly showsBothWays: boolean;
  /** Its smallest set is always shown near its line, however full the map is. */
  readonly neverHides: boolean;
}

export interface PlacedLabel {
  readonly key: string;
  readonly role: LabelRole;
  readonly box: Box;
  /** Its position on the line, 0 at the first node, 1 at the second: that of the arrowhead. */
  readonly t: number;
}

interface LabelRules {
  /** What labels keep off. */
  readonly solids: readonly Box[];
  readonly centre: Point;
  readonly frame: Box;
  readonly fontSize: number;
}

export interface Labelling {
  readonly labels: readonly PlacedLabel[];
  /** Links whose labels found no room. */
  readonly hidden: readonly string[];
}

export const placeLabels = (routes: readonly LabelledRoute[], rules: LabelRules): Labelling => {
  const order = routes
    .filter(({ wanted }) => wanted.length > 0)
    .sort((a, b) => b.priority - a.priority || b.length - a.length);
  const standing = new Map<string, readonly PlacedLabel[]>();
  const placeRoute = (route: LabelledRoute, sets: LabelledRoute['wanted']): void => {
    const others = [...standing].flatMap(([key, labels]) => (key === route.key ? [] : labels));
    const found = firstThatFits(route, sets, { routes, taken: others, rules });
    if (found.length > 0) standing.set(route.key, found);
  };
  const isFirst = ({ mayCross, neverHides, priority }: LabelledRoute): boolean =>
    mayCross || neverHides || priority >= CHOOSES_FIRST;
  for (const route of order.filter(isFirst)) placeRoute(route, route.wanted);
  const rest = order.filter(route => !isFirst(route));
  for (const route of rest) placeRoute(route, route.wanted.slice(-1));
  for (const route of rest) placeRoute(route, route.wanted.slice(0, -1));
  return {
    labels: order.flatMap(({ key }) => standing.get(key) ?? []),
    hidden: order.flatMap(({ key }) => (standing.has(key) ? [] : key)),
  };
};

interface Surroundings {
  readonly routes: readonly LabelledRoute[];
  readonly taken: readonly PlacedLabel[];
  readonly rules: LabelRules;
}

const firstThatFits = (
  route: LabelledRoute,
  sets: LabelledRoute['wanted'],
  around: Surroundings,
): readonly PlacedLabel[] => {
  for (const set of sets) {
    const placed = placeSet(route, set, around, LINE_GAPS.slice(0, route.mayCross ? SOME_GAPS : 1));
    if (placed.length > 0 && (!route.showsBothWays || hasBothWays(placed))) return placed;
  }
  const least = sets.at(-1);
  if (!route.neverHides || least === undefined) return [];
  const placed = placeSet(route, least, around, LINE_GAPS);
  return route.showsBothWays && !hasBothWays(placed)
    ? placeSet(route, least, around, FAR_GAPS, 'anywhere')
    : placed;
};

const hasBothWays = (placed: readonly PlacedLabel[]): boolean =>
  placed.some(({ role }) => role === 'toFirst') && placed.some(({ role }) => role === 'toSecond');

const placeSet = (
  route: LabelledRoute,
  set: readonly WantedLabel[],
  { routes, taken, rules }: Surroundings,
  gaps: readonly number[],
  where: 'usual' | 'anywhere' = 'usual',
): readonly PlacedLabel[] => {
  const mine: PlacedLabel[] = [];
  for (const wanted of set) {
    const best = bestSlot(route, wanted, { routes, taken: [...taken, ...mine], rules }, { gaps, where });
    if (best !== undefined) {
      mine.push({ key: route.key, role: wanted.role, box: best.box, t: best.t });
    } else if (!route.mayCross) return [];
  }
  return mine;
};

interface Slot {
  readonly box: Box;
  readonly t: number;
  readonly cost: number;
}

const bestSlot = (
  route: LabelledRoute,
  { role, width }: WantedLabel,
  { routes, taken, rules: { solids, centre, frame, fontSize } }: Surroundings,
  { gaps, where }: { readonly gaps: readonly number[]; readonly where: 'usual' | 'anywhere' },
): Slot | undefined => {
  const size = { width, height: labelHeight(role, fontSize) };
  const slots = where === 'usual' ? SLOTS[role] : [...SLOTS[role], ...ANYWHERE];
  const [first = 0.5] = slots;
  const isFree = role === 'both' || role === 'text' || role === 'flag';
  const ownSide = role === 'delay' ? -1 : 1;
  const mayCross = route.mayCross || route.neverHides;
  let best: Slot | undefined;
  for (const [ring, gap] of gaps.entries()) {
    for (const t of slots) {
      const at = pointAt(route, t);
      for (const { outer, side } of sidesOf(outerSide(route, t, centre), ownSide, where)) {
        const reach =
          (Math.abs(outer.x) * size.width) / 2 +
          (Math.abs(outer.y) * size.height) / 2 +
          route.width / 2 +
          gap;
        const box = boxAround({ x: at.x + outer.x * side * reach, y: at.y + outer.y * side * reach }, size);
        if (!isInside(box, frame)) continue;
        if (solids.some(solid => meet(box, solid, NODE_GAP))) continue;
        if (taken.some(label => meet(box, label.box, LABEL_GAP))) continue;
        if (route.bend !== undefined && entersBox(route.line, box)) continue;
        const cost = slotCost(box, route, routes, {
          from:
            8 * Math.abs(t - first) +
            FARTHER_COST * ring +
            (side === ownSide ? 0 : isFree ? 1 : mayCross ? WRONG_SIDE_COST : OTHER_SIDE_COST),
          costMax: Math.min(
            best?.cost ?? Number.POSITIVE_INFINITY,
            mayCross ? Number.POSITIVE_INFINITY : CROSSING_COST,
          ),
        });
        if (cost !== undefined) best = { box, t, cost };
      }
    }
    if (best !== undefined) return best;
  }
  return best;
};

/** The two sides of a line; where a label may stand anywhere, the directions between them too. */
const sidesOf = (
  outer: Point,
  ownSide: 1 | -1,
  where: 'usual' | 'anywhere',
): readonly { readonly outer: Point; readonly side: number }[] =>
  (where === 'usual'
    ? [outer]
    : [outer, diagonal(outer, 1), diagonal(outer, -1), { x: -outer.y, y: outer.x }]
  ).flatMap(direction => [ownSide, -ownSide].map(side => ({ outer: direction, side })));

const diagonal = ({ x, y }: Point, turn: 1 | -1): Point => ({
  x: (x - turn * y) * Math.SQRT1_2,
  y: (y + turn * x) * Math.SQRT1_2,
});

/** Two lines show what a link carries and what it should; any other label has one. */
export const labelHeight = (role: LabelRole, fontSize: number): number =>
  role === 'flag' ? 2 * fontSize + 8 : fontSize + 4;

/** With each line that crosses the box; undefined where that reaches what the slot must stay below: twenty thousand may. */
const slotCost = (
  box: Box,
  route: LinkRoute,
  routes: readonly LinkRoute[],
  { from, costMax }: { readonly from: number; readonly costMax: number },
): number | undefined => {
  let cost = from;
  for (const other of routes) {
    if (cost >= costMax) return undefined;
    if (other !== route && entersBox(other.line, box, CROSSING_GAP)) cost += CROSSING_COST;
  }
  return cost < costMax ? cost : undefined;
};

/** The normal away from the frame's centre; of a line through it, upwards, or to the right where it is upright. */
const outerSide = (route: LinkRoute, t: number, centre: Point): Point => {
  const { x, y } = directionAt(route, t);
  const normal = { x: -y, y: x };
  const middle = pointAt(route, 0.5);
  const outward = normal.x * (middle.x - centre.x) + normal.y * (middle.y - centre.y);
  const isInward =
    Math.abs(outward) > THROUGH_CENTRE
      ? outward < 0
      : Math.abs(normal.x) > Math.abs(normal.y)
        ? normal.x < 0
        : normal.y > 0;
  return isInward ? { x: y, y: -x } : normal;
};

const isInside = (box: Box, frame: Box): boolean =>
  box.x >= frame.x &&
  box.y >= frame.y &&
  box.x + box.width <= frame.x + frame.width &&
  box.y + box.height <= frame.y + frame.height;

/** Links of this priority, flagged and picked ones, choose before all others. */
const CHOOSES_FIRST = 2;
/** Between a line and its label; a label that must stand goes farther away where there is no room, px. */
const LINE_GAPS: readonly number[] = [5, 14, 26, 40, 56, 76, 100, 128];
/** For a picked link on a map that is full: farther still. */
const FAR_GAPS: readonly number[] = [...LINE_GAPS, 160, 200, 250, 300];
/** So many of them where a label had better stand. */
const SOME_GAPS = 3;
const NODE_GAP = 2;
const LABEL_GAP = 4;
const CROSSING_GAP = 3;
const CROSSING_COST = 10;
/** Worse than crossing a line, better than no label. */
const WRONG_SIDE_COST = 15;
/** If a label crosses no line, the other side is as good as another slot. */
const OTHER_SIDE_COST = 2;
const FARTHER_COST = 6;
/** A line that passes the centre at less than this, px, goes through it. */
const THROUGH_CENTRE = 8;

const NEAR: readonly number[] = [0.33, 0.31, 0.35, 0.28, 0.37, 0.25, 0.4, 0.22, 0.19, 0.16];
const MIDDLE: readonly number[] = [0.5, 0.47, 0.53, 0.44, 0.56, 0.41, 0.59, 0.38, 0.62, 0.35, 0.65];
const ANYWHERE: readonly number[] = [...MIDDLE, 0.3, 0.7, 0.25, 0.75];
const SLOTS: Readonly<Record<LabelRole, readonly number[]>> = {
  toFirst: NEAR,
  toSecond: NEAR.map(t => 1 - t),
  delay: MIDDLE,
  both: ANYWHERE,
  text: ANYWHERE,
  flag: [...ANYWHERE, 0.18, 0.82, 0.1, 0.9, 0, 1],
};
