// What a connection carried before: rows of the journal as points of two lines. Old rows are sums of an hour, of which the
// median is taken; an attempt that failed is no point.

export interface HistoryPoint {
  /** On the daemon's wall clock, ms. */
  readonly atMs: number;
  /** Bits per second; undefined where that way was not measured. */
  readonly upload: number | undefined;
  readonly download: number | undefined;
  /** Median round trip, ns. */
  readonly roundTripNs: number | undefined;
}

/** Of the answer of /api/history with slot=link; none of an answer that is something else. */
export const historyPoints = (body: unknown): readonly HistoryPoint[] => {
  const rows = field(body, 'rows');
  if (!Array.isArray(rows)) return [];
  return rows.flatMap((row: unknown): readonly HistoryPoint[] => {
    const atMs = field(row, 'atWallMs');
    const record = field(row, 'record');
    if (typeof atMs !== 'number') return [];
    const isHourly = field(row, 'isHourly') === true;
    const payload = field(record, 'payload');
    if (!isHourly && field(payload, 'failure') !== 'none') return [];
    const read = (name: string): number | undefined => {
      const value = isHourly ? field(field(field(record, 'figures'), name), 'median') : field(payload, name);
      return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
    };
    const point = {
      atMs,
      upload: read('uploadBitsPerSecond'),
      download: read('downloadBitsPerSecond'),
      roundTripNs: read('roundTripNsP50'),
    };
    return [point.upload, point.download, point.roundTripNs].every(value => value === undefined)
      ? []
      : [point];
  });
};

export type Way = 'upload' | 'download';

export interface HistorySize {
  readonly width: number;
  readonly height: number;
}

export interface HistoryLine {
  readonly d: string;
  readonly low: number;
  readonly high: number;
  readonly last: { readonly x: number; readonly y: number; readonly value: number };
}

export interface HistoryPicture {
  readonly fromMs: number;
  readonly toMs: number;
  readonly max: number;
  readonly lines: Readonly<Partial<Record<Way, HistoryLine>>>;
}

/** Undefined of fewer than two points: one is what stands beside it already. */
export const historyPicture = (
  points: readonly HistoryPoint[],
  { width, height }: HistorySize,
): HistoryPicture | undefined => {
  const [first] = points;
  const last = points.at(-1);
  if (first === undefined || last === undefined || last.atMs <= first.atMs) return undefined;
  const max = 1.1 * Math.max(...points.flatMap(({ upload, download }) => [upload ?? 0, download ?? 0]));
  const place = (atMs: number, value: number) => ({
    x: ((atMs - first.atMs) / (last.atMs - first.atMs)) * width,
    y: height - (value / max) * height,
  });
  const lineOf = (way: Way): HistoryLine | undefined => {
    const known = points.flatMap(point => {
      const value = point[way];
      return value === undefined ? [] : { ...place(point.atMs, value), value };
    });
    const end = known.at(-1);
    if (end === undefined || known.length < 2) return undefined;
    const values = known.map(({ value }) => value);
    return {
      d: known.map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`).join(''),
      low: Math.min(...values),
      high: Math.max(...values),
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

const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;
