// Where many nodes stand: springs along the links, nodes repel each other, boxes never overlap. The result
// depends on the nodes, their links and the frame alone; nodes that have a place keep it. Own code rather than d3-force:
// boxes instead of circles, pins, and no random start are most of what is needed, and what remains are three sums.

import type { Box, MapFrame, Point } from './geometry.ts';
import { boxAround, clamp, distance, meet } from './geometry.ts';

export interface SettleInput {
  readonly ids: readonly string[];
  /** Indices into `ids`; `pull` 0..1 says how near the two should be. */
  readonly springs: readonly { readonly a: number; readonly b: number; readonly pull: number }[];
  readonly frame: MapFrame;
  readonly size: MapFrame;
  /** Places of nodes that stood on the map before, as shares of the frame. */
  readonly known: ReadonlyMap<string, Point>;
}

/** One centre a node, in pixels. */
export const settle = (input: SettleInput): readonly Point[] => {
  const pinned = input.ids.map(id => input.known.has(id));
  const starts = startsOf(input);
  const isCrowded = starts.some((at, index) =>
    starts.some(
      (other, otherIndex) =>
        otherIndex > index &&
        pinned[index] === true &&
        pinned[otherIndex] === true &&
        meet(boxAround(at, input.size), boxAround(other, input.size)),
    ),
  );
  // Other sizes than before: all may move, from where they were.
  return relax(input, starts, isCrowded ? pinned.map(() => false) : pinned);
};

/** Known nodes where they were; new ones along a curve that fills the frame, those of one group one after the other. */
const startsOf = ({ ids, frame, known, springs }: SettleInput): Point[] => {
  const starts: Point[] = ids.map(() => ({ x: frame.width / 2, y: frame.height / 2 }));
  const order = inGroups(ids.length, springs);
  const side = 2 ** Math.ceil(Math.log2(Math.max(2, Math.sqrt(ids.length))));
  for (const [rank, index] of order.entries()) {
    const before = known.get(ids[index] ?? '');
    if (before !== undefined) {
      starts[index] = { x: before.x * frame.width, y: before.y * frame.height };
      continue;
    }
    const cell = hilbertCell(Math.floor(((rank + 0.5) * side * side) / ids.length), side);
    starts[index] = {
      x: ((cell.x + 0.5) * frame.width) / side,
      y: ((cell.y + 0.5) * frame.height) / side,
    };
  }
  return starts;
};

/** Indices such that those joined by strong springs follow each other. */
const inGroups = (count: number, springs: SettleInput['springs']): readonly number[] => {
  const near = Array.from({ length: count }, (): number[] => []);
  for (const { a, b, pull } of springs) {
    if (pull < STRONG) continue;
    near[a]?.push(b);
    near[b]?.push(a);
  }
  const order: number[] = [];
  const isListed = new Set<number>();
  for (let first = 0; first < count; first += 1) {
    const open = [first];
    for (let index = open.shift(); index !== undefined; index = open.shift()) {
      if (isListed.has(index)) continue;
      isListed.add(index);
      order.push(index);
      open.push(...(near[index] ?? []));
    }
  }
  return order;
};

/** The cell of a Hilbert curve over a square of side cells (a power of two) at a step along it. */
const hilbertCell = (step: number, side: number): Point => {
  let [x, y, rest] = [0, 0, step];
  for (let size = 1; size < side; size *= 2) {
    const right = 1 & (rest >> 1);
    const up = 1 & (rest ^ right);
    if (up === 0) {
      if (right === 1) [x, y] = [size - 1 - x, size - 1 - y];
      [x, y] = [y, x];
    }
    x += size * right;
    y += size * up;
    rest >>= 2;
  }
  return { x, y };
};

const relax = (
  { springs: all, frame, size }: SettleInput,
  starts: readonly Point[],
  pinned: readonly boolean[],
): readonly Point[] => {
  const springs = all.length > SPRINGS_MAX ? all.filter(({ pull }) => pull >= STRONG) : all;
  const rounds = starts.length > 100 ? ROUNDS / 2 : ROUNDS;
  const xs = Float64Array.from(starts, ({ x }) => x);
  const ys = Float64Array.from(starts, ({ y }) => y);
  const count = starts.length;
  const room = Math.sqrt((frame.width * frame.height) / Math.max(1, count));
  const reach = room * REACH;
  const degree = new Float64Array(count);
  for (const { a, b } of springs) {
    degree[a] = (degree[a] ?? 0) + 1;
    degree[b] = (degree[b] ?? 0) + 1;
  }
  const moveX = new Float64Array(count);
  const moveY = new Float64Array(count);
  const push = (index: number, dx: number, dy: number): void => {
    moveX[index] = (moveX[index] ?? 0) + dx;
    moveY[index] = (moveY[index] ?? 0) + dy;
  };
  for (let round = 0; round < rounds; round += 1) {
    const heat = 1 - round / rounds;
    moveX.fill(0);
    moveY.fill(0);
    for (let a = 0; a < count; a += 1) {
      for (let b = a + 1; b < count; b += 1) {
        const dx = (xs[a] ?? 0) - (xs[b] ?? 0);
        const dy = (ys[a] ?? 0) - (ys[b] ?? 0);
        const apart = Math.max(Math.hypot(dx, dy), 1);
        // Only near nodes push: pushing from afar would drive all of them to the rim.
        if (apart > reach) continue;
        const force = ((1 - apart / reach) * room * PUSH) / apart;
        push(a, dx * force, dy * force);
        push(b, -dx * force, -dy * force);
      }
    }
    for (const { a, b, pull } of springs) {
      const dx = (xs[b] ?? 0) - (xs[a] ?? 0);
      const dy = (ys[b] ?? 0) - (ys[a] ?? 0);
      const length = Math.max(1, Math.hypot(dx, dy));
      const force = ((length - room) / length) * 0.5 * pull;
      push(a, (dx * force) / (degree[a] ?? 1), (dy * force) / (degree[a] ?? 1));
      push(b, (-dx * force) / (degree[b] ?? 1), (-dy * force) / (degree[b] ?? 1));
    }
    const stepMax = room * 0.5 * heat + 1;
    for (let index = 0; index < count; index += 1) {
      if (pinned[index] === true) continue;
      xs[index] = (xs[index] ?? 0) + clamp((moveX[index] ?? 0) * heat, -stepMax, stepMax);
      ys[index] = (ys[index] ?? 0) + clamp((moveY[index] ?? 0) * heat, -stepMax, stepMax);
    }
    part({ xs, ys, size, pinned, frame }, false);
  }
  const centres = (): readonly Point[] => Array.from(xs, (x, index) => ({ x, y: ys[index] ?? 0 }));
  for (let round = 0; round < PARTING_ROUNDS; round += 1) {
    if (!part({ xs, ys, size, pinned, frame }, round % 3 === 2)) return centres();
  }
  return anyMeet(centres(), size) ? (onGrid(centres(), { frame, size }) ?? centres()) : centres();
};

/** Where pushing did not end: each to the free cell that is nearest to it. Undefined where the frame has too few cells. */
const onGrid = (
  centres: readonly Point[],
  { frame, size }: Pick<SettleInput, 'frame' | 'size'>,
): readonly Point[] | undefined => {
  const columns = Math.floor(frame.width / (size.width + GAP));
  const rows = Math.floor(frame.height / (size.height + GAP));
  if (columns * rows < centres.length) return undefined;
  const free = Array.from({ length: columns * rows }, (_, index) => ({
    x: ((index % columns) + 0.5) * (frame.width / columns),
    y: (Math.floor(index / columns) + 0.5) * (frame.height / rows),
  }));
  return centres.map(at => {
    let nearest = 0;
    for (const [index, cell] of free.entries()) {
      if (distance(at, cell) < distance(at, free[nearest] ?? cell)) nearest = index;
    }
    const [taken] = free.splice(nearest, 1);
    return taken ?? at;
  });
};

interface Crowd {
  readonly xs: Float64Array;
  readonly ys: Float64Array;
  readonly size: MapFrame;
  readonly pinned: readonly boolean[];
  readonly frame: MapFrame;
}

/**
 * Moves overlapping boxes apart along the shorter way, and all into the frame; says whether any overlapped. Now and then
 * along the longer way, because a row that is too full never gets room by moving sideways.
 */
const part = ({ xs, ys, size, pinned, frame }: Crowd, isLongWay: boolean): boolean => {
  const width = size.width + GAP;
  const height = size.height + GAP;
  let hasMet = false;
  for (let a = 0; a < xs.length; a += 1) {
    for (let b = a + 1; b < xs.length; b += 1) {
      const dx = (xs[b] ?? 0) - (xs[a] ?? 0);
      const dy = (ys[b] ?? 0) - (ys[a] ?? 0);
      const overX = width - Math.abs(dx);
      const overY = height - Math.abs(dy);
      if (overX <= 0 || overY <= 0) continue;
      hasMet = true;
      const isAFree = pinned[a] !== true;
      const isBFree = pinned[b] !== true;
      const shareA = isAFree ? (isBFree ? 0.5 : 1) : 0;
      const shareB = isBFree ? 1 - shareA : 0;
      if (overX / width < overY / height !== isLongWay) {
        const way = dx < 0 ? -1 : 1;
        xs[a] = (xs[a] ?? 0) - way * overX * shareA;
        xs[b] = (xs[b] ?? 0) + way * overX * shareB;
      } else {
        const way = dy < 0 ? -1 : 1;
        ys[a] = (ys[a] ?? 0) - way * overY * shareA;
        ys[b] = (ys[b] ?? 0) + way * overY * shareB;
      }
    }
  }
  for (let index = 0; index < xs.length; index += 1) {
    if (pinned[index] === true) continue;
    xs[index] = clamp(xs[index] ?? 0, size.width / 2, Math.max(size.width / 2, frame.width - size.width / 2));
    ys[index] = clamp(
      ys[index] ?? 0,
      size.height / 2,
      Math.max(size.height / 2, frame.height - size.height / 2),
    );
  }
  return hasMet;
};

/** Whether any two boxes of a size around these centres meet. */
const anyMeet = (centres: readonly Point[], size: MapFrame): boolean => {
  const boxes = centres.map((at): Box => boxAround(at, size));
  return boxes.some((box, index) => boxes.slice(index + 1).some(other => meet(box, other)));
};

/** Springs that make a group, and the number of springs past which weak ones are ignored: they pull in all directions. */
const STRONG = 0.5;
const SPRINGS_MAX = 1_000;
/** How far a push reaches and how strong it is, in shares of the room that each node has. */
const REACH = 1.7;
const PUSH = 0.35;
const ROUNDS = 160;
const PARTING_ROUNDS = 400;
const GAP = 2;
