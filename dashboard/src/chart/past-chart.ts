// One or two figures over days as lines from zero: measurements are points in time, not a regular series, so each is a dot if
// there is room, and the line between two means only that one follows the other.

import { maximumOf, minimumOf } from '../../../src/core/extremes.ts';

export interface PastPoint {
  readonly atMs: number;
  /** One a line; undefined where it was not measured. */
  readonly values: readonly (number | undefined)[];
}

interface PastSize {
  readonly width: number;
  readonly height: number;
}

interface PastLine {
  readonly d: string;
  readonly dots: readonly { readonly x: number; readonly y: number }[];
  readonly low: number;
  readonly high: number;
  readonly last: { readonly x: number; readonly y: number; readonly value: number };
  /** The height of the line's name, apart from the other's. */
  readonly nameY: number;
}

interface PastPicture {
  readonly fromMs: number;
  readonly toMs: number;
  readonly lines: readonly (PastLine | undefined)[];
  readonly ticks: readonly { readonly y: number; readonly value: number }[];
  readonly x: (atMs: number) => number;
}

/** More dots than this are a rope of pearls. */
export const DOTS_MAX = 60;

/** Undefined for fewer than two points: a single one is on the card already. */
export const pastPicture = (
  points: readonly PastPoint[],
  { width, height }: PastSize,
): PastPicture | undefined => {
  const [first] = points;
  const last = points.at(-1);
  if (first === undefined || last === undefined || last.atMs <= first.atMs) return undefined;
  const highest = maximumOf(points.flatMap(({ values }) => values.map(value => value ?? 0)));
  if (highest <= 0) return undefined;
  const step = niceStep(highest / 3);
  const top = step * Math.ceil((highest * 1.02) / step);
  const x = (atMs: number): number => round(((atMs - first.atMs) / (last.atMs - first.atMs)) * width);
  const y = (value: number): number => round(height - (value / top) * height);
  const drawn = first.values.map((_, index): Omit<PastLine, 'nameY'> | undefined => {
    const known = points.flatMap(({ atMs, values }) => {
      const value = values[index];
      return value === undefined ? [] : { x: x(atMs), y: y(value), value };
    });
    const end = known.at(-1);
    if (end === undefined || known.length < 2) return undefined;
    const all = known.map(({ value }) => value);
    return {
      d: known.map(({ x, y }, at) => `${at === 0 ? 'M' : 'L'}${x} ${y}`).join(''),
      dots: known.length > DOTS_MAX ? [end] : known,
      low: minimumOf(all),
      high: maximumOf(all),
      last: end,
    };
  });
  const count = Math.round(top / step);
  return {
    fromMs: first.atMs,
    toMs: last.atMs,
    lines: withNames(drawn, height),
    ticks: Array.from({ length: count + 1 }, (_, index) => ({ value: index * step, y: y(index * step) })),
    x,
  };
};

/** Names at the right keep this far apart, px. */
const NAME_GAP = 16;

const withNames = (
  lines: readonly (Omit<PastLine, 'nameY'> | undefined)[],
  height: number,
): readonly (PastLine | undefined)[] => {
  const order = lines.filter(line => line !== undefined).toSorted((a, b) => a.last.y - b.last.y);
  const indexes = new Map<object, number>();
  let least = Number.NEGATIVE_INFINITY;
  for (const line of order) {
    least = Math.max(line.last.y, least + NAME_GAP);
    indexes.set(line, least);
  }
  // Two levels at the bottom: the upper name makes room.
  const over = Math.max(0, least - height);
  return lines.map(line => line && { ...line, nameY: (indexes.get(line) ?? line.last.y) - over });
};

/** 1, 2 or 5 times a power of ten, at least so much. */
const niceStep = (least: number): number => {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * (STEPS.find(step => step * power >= least) ?? 10);
};

const STEPS = [1, 2, 2.5, 5, 10] as const;

const round = (value: number): number => Math.round(value * 10) / 10;
