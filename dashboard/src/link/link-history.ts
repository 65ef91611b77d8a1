// What a connection carried before, as points of two lines and as their picture.

import { maximumOf, minimumOf } from '../../../src/core/extremes.ts';
import { DOWNLOAD, LINK_FIGURES, ROUND_TRIP, UPLOAD } from '../../../src/core/probe/unusual-figures.ts';
import { figurePoints } from '../../../src/wire/api/figure-points.ts';
import type { ProfileRow } from '../../../src/wire/api/history-answers.ts';

export interface LinkPoint {
  /** On the daemon's wall clock, ms. */
  readonly atMs: number;
  /** Bits per second; undefined where that way was not measured. */
  readonly upload: number | undefined;
  readonly download: number | undefined;
  /** Median round trip, ns. */
  readonly roundTripNs: number | undefined;
}

export const linkPoints = (rows: readonly ProfileRow[]): readonly LinkPoint[] =>
  figurePoints(rows, LINK_FIGURES).map(({ atMs, figures }) => ({
    atMs,
    upload: figures[UPLOAD],
    download: figures[DOWNLOAD],
    roundTripNs: figures[ROUND_TRIP],
  }));

export type Way = 'upload' | 'download';

interface HistorySize {
  readonly width: number;
  readonly height: number;
}

interface HistoryLine {
  readonly d: string;
  readonly low: number;
  readonly high: number;
  readonly last: { readonly x: number; readonly y: number; readonly value: number };
}

interface HistoryPicture {
  readonly fromMs: number;
  readonly toMs: number;
  readonly max: number;
  readonly lines: Readonly<Partial<Record<Way, HistoryLine>>>;
}

/** Undefined for fewer than two points: a single one is shown next to it already. */
export const historyPicture = (
  points: readonly LinkPoint[],
  { width, height }: HistorySize,
): HistoryPicture | undefined => {
  const [first] = points;
  const last = points.at(-1);
  if (first === undefined || last === undefined || last.atMs <= first.atMs) return undefined;
  const max = 1.1 * maximumOf(points.flatMap(({ upload, download }) => [upload ?? 0, download ?? 0]));
  const pointAt = (atMs: number, value: number) => ({
    x: ((atMs - first.atMs) / (last.atMs - first.atMs)) * width,
    y: height - (value / max) * height,
  });
  const lineOf = (way: Way): HistoryLine | undefined => {
    const known = points.flatMap(point => {
      const value = point[way];
      return value === undefined ? [] : { ...pointAt(point.atMs, value), value };
    });
    const end = known.at(-1);
    if (end === undefined || known.length < 2) return undefined;
    const values = known.map(({ value }) => value);
    return {
      d: known.map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`).join(''),
      low: minimumOf(values),
      high: maximumOf(values),
      last: end,
    };
  };
  const [upload, download] = [lineOf('upload'), lineOf('download')];
  return {
    fromMs: first.atMs,
    toMs: last.atMs,
    max,
    lines: { ...(upload === undefined ? {} : { upload }), ...(download === undefined ? {} : { download }) },
  };
};
