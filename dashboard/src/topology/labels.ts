// Where the labels of links stand. Each tries a few slots along its line, keeps off nodes and other labels, and takes the
// one that the fewest other lines cross; which finds none gives way and is counted. Pure: boxes in, boxes out.

import type { Box, Point } from './geometry.ts';
import { along, boxAround, crosses, meet } from './geometry.ts';
import type { LinkRoute } from './route.ts';

/** `toFirst` stands beside the arrowhead that points at the first node; `both` speaks for the two directions at once. */
export type LabelRole = 'toFirst' | 'toSecond' | 'delay' | 'both' | 'word';

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
  readonly wanted: readonly WantedLabel[];
  /** Its labels may cross other lines rather than give way. */
  readonly mayCross: boolean;
}

export interface PlacedLabel {
  readonly key: string;
  readonly role: LabelRole;
  readonly box: Box;
  /** Where on the line it stands, 0 at the first node, 1 at the second: the arrowhead's place. */
  readonly t: number;
}

export interface LabelRules {
  /** What labels keep off. */
  readonly solids: readonly Box[];
  readonly centre: Point;
  readonly frame: Box;
  readonly fontSize: number;
}

export interface Labelling {
  readonly labels: readonly PlacedLabel[];
  /** Links that want labels and have none. */
  readonly hidden: readonly string[];
}

export const placeLabels = (routes: readonly LabelledRoute[], rules: LabelRules): Labelling => {
  const labels: PlacedLabel[] = [];
  const hidden: string[] = [];
  const order = [...routes].sort((a, b) => b.priority - a.priority || b.length - a.length);
  for (const route of order) {
    if (route.wanted.length === 0) continue;
    const mine = placeOne(route, routes, labels, rules);
    if (mine.length === 0) hidden.push(route.key);
    labels.push(...mine);
  }
  return { labels, hidden };
};

const placeOne = (
  route: LabelledRoute,
  routes: readonly LabelledRoute[],
  taken: readonly PlacedLabel[],
  rules: LabelRules,
): readonly PlacedLabel[] => {
  const mine: PlacedLabel[] = [];
  for (const wanted of route.wanted) {
    const best = bestSlot(route, wanted, routes, [...taken, ...mine], rules);
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
  routes: readonly LabelledRoute[],
  taken: readonly PlacedLabel[],
  { solids, centre, frame, fontSize }: LabelRules,
): Slot | undefined => {
  const outer = outerSide(route, centre);
  const height = fontSize + 4;
  const slots = SLOTS[role];
  const [first = 0.5] = slots;
  const isFree = role === 'both' || role === 'word';
  const ownSide = role === 'delay' ? -1 : 1;
  const sides = isFree || route.mayCross ? [ownSide, -ownSide] : [ownSide];
  const reach =
    (Math.abs(outer.x) * width) / 2 + (Math.abs(outer.y) * height) / 2 + route.width / 2 + LINE_GAP;
  let best: Slot | undefined;
  for (const t of slots) {
    for (const side of sides) {
      const at = along(route.p, route.q, t);
      const box = boxAround(
        { x: at.x + outer.x * side * reach, y: at.y + outer.y * side * reach },
        { width, height },
      );
      if (!isInside(box, frame)) continue;
      if (solids.some(solid => meet(box, solid, NODE_GAP))) continue;
      if (taken.some(label => meet(box, label.box, LABEL_GAP))) continue;
      const distanceCost = 8 * Math.abs(t - first) + (side === ownSide ? 0 : isFree ? 1 : WRONG_SIDE_COST);
      const costMax = Math.min(
        best?.cost ?? Number.POSITIVE_INFINITY,
        route.mayCross ? Number.POSITIVE_INFINITY : CROSSING_COST,
      );
      const cost = slotCost(box, route, routes, { from: distanceCost, costMax });
      if (cost < costMax) best = { box, t, cost };
    }
  }
  return best;
};

/** With each line that crosses the box; counted no further than to what the slot must stay below, as twenty thousand may. */
const slotCost = (
  box: Box,
  route: LinkRoute,
  routes: readonly LinkRoute[],
  { from, costMax }: { readonly from: number; readonly costMax: number },
): number => {
  let cost = from;
  for (const other of routes) {
    if (cost >= costMax) return cost;
    if (other !== route && crosses(box, other.p, other.q, CROSSING_GAP)) cost += CROSSING_COST;
  }
  return cost;
};

/** The normal away from the frame's centre; of a line through it, upwards, or to the right where it is upright. */
const outerSide = ({ p, q, length }: LinkRoute, centre: Point): Point => {
  const normal = { x: -(q.y - p.y) / length, y: (q.x - p.x) / length };
  const outward = normal.x * ((p.x + q.x) / 2 - centre.x) + normal.y * ((p.y + q.y) / 2 - centre.y);
  const isInward =
    Math.abs(outward) > THROUGH_CENTRE
      ? outward < 0
      : Math.abs(normal.x) > Math.abs(normal.y)
        ? normal.x < 0
        : normal.y > 0;
  return isInward ? { x: -normal.x, y: -normal.y } : normal;
};

const isInside = (box: Box, frame: Box): boolean =>
  box.x >= frame.x &&
  box.y >= frame.y &&
  box.x + box.width <= frame.x + frame.width &&
  box.y + box.height <= frame.y + frame.height;

const LINE_GAP = 5;
const NODE_GAP = 2;
const LABEL_GAP = 4;
const CROSSING_GAP = 3;
const CROSSING_COST = 10;
/** Worse than crossing a line, better than no label. */
const WRONG_SIDE_COST = 15;
/** A line that passes the centre at less than this, px, goes through it. */
const THROUGH_CENTRE = 8;

const NEAR: readonly number[] = [0.33, 0.31, 0.35, 0.28, 0.37, 0.25, 0.4, 0.22];
const MIDDLE: readonly number[] = [0.5, 0.47, 0.53, 0.44, 0.56, 0.41, 0.59, 0.38, 0.62, 0.35, 0.65];
const SLOTS: Readonly<Record<LabelRole, readonly number[]>> = {
  toFirst: NEAR,
  toSecond: NEAR.map(t => 1 - t),
  delay: MIDDLE,
  both: [...MIDDLE, 0.3, 0.7, 0.25, 0.75],
  word: [...MIDDLE, 0.3, 0.7, 0.25, 0.75],
};
