// From the lines of a piece to one series for each process and measure, with its trend.

import type { SoakRow } from './soak-row.ts';
import { type Trend, type TrendPoint, trendOf } from './trend.ts';

export interface SoakSeries {
  readonly piece: number;
  readonly process: string;
  readonly measure: Measure;
  readonly points: readonly TrendPoint[];
  readonly trend: Trend;
}

export interface Measure {
  readonly key: Exclude<keyof SoakRow, 'process' | 'pid' | 'atMs' | 'load' | 'ageMs'>;
  readonly name: string;
  readonly unit: string;
  /** By which a figure is divided to be in this unit. */
  readonly divisor: number;
  /** That a slope must stay below, in the unit, an hour. */
  readonly limit: number;
}

/** A process that was restarted begins another series; of those only what is long enough to be judged, or the longest, is kept. */
export const seriesOf = (piece: number, rows: readonly SoakRow[]): readonly SoakSeries[] => {
  const lives = Map.groupBy(rows, ({ process, pid }) => `${process} ${pid}`);
  const longest = new Map<string, readonly SoakRow[]>();
  for (const life of lives.values()) {
    const name = life[0]?.process ?? '';
    if ((longest.get(name)?.length ?? 0) < life.length) longest.set(name, life);
  }
  return [...longest].flatMap(([process, life]) =>
    MEASURES.map(measure => {
      const points = life.flatMap(row => {
        const value = row[measure.key];
        return value === undefined
          ? []
          : [
              {
                hours: row.atMs / 3_600_000,
                value: value / measure.divisor,
                ...(row.ageMs === undefined ? {} : { ageHours: row.ageMs / 3_600_000 }),
              },
            ];
      });
      return { piece, process, measure, points, trend: trendOf(points, measure.limit) };
    }).filter(({ points }) => points.length > 0),
  );
};

export const MEASURES: readonly Measure[] = [
  { key: 'residentBytes', name: 'resident memory', unit: 'MB', divisor: 1e6, limit: 1 },
  {
    key: 'proportionalBytes',
    name: 'its share of resident memory (PSS)',
    unit: 'MB',
    divisor: 1e6,
    limit: 1,
  },
  { key: 'heapBytes', name: 'heap after a collection', unit: 'MB', divisor: 1e6, limit: 1 },
  { key: 'descriptors', name: 'descriptors', unit: 'open', divisor: 1, limit: 1 },
  { key: 'threads', name: 'threads', unit: 'threads', divisor: 1, limit: 0.5 },
  // 512 MB, the setting, over the three days for which each profile is kept.
  { key: 'journalBytes', name: 'journal', unit: 'MB', divisor: 1e6, limit: 7 },
];
