// Distributions as GuideLLM summarises them (guidellm/schemas/statistics.py): values with weights, percentiles that are the
// first value whose share reaches them, and rates and levels weighted by how long they lasted.

export interface GuidellmDistribution {
  readonly mean: number;
  readonly median: number;
  readonly mode: number;
  readonly variance: number;
  readonly std_dev: number;
  readonly min: number;
  readonly max: number;
  readonly count: number;
  readonly total_sum: number;
  readonly percentiles: Readonly<Record<string, number>>;
  readonly pdf: null;
}

/** A value, or a time, and what it weighs. */
export type Weighted = readonly [value: number, weight: number];
/** Start and end in seconds, and the level in between. */
export type GuidellmInterval = readonly [from: number, to: number, weight: number];

export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** @param count its reported count; default the sum of all weights */
export const distributionOf = (values: readonly Weighted[], count?: number): GuidellmDistribution => {
  if (values.length === 0) return summaryOf([], count ?? 0);
  const weights = new Map<number, number>();
  let total = 0;
  for (const [value, weight] of values) {
    weights.set(value, (weights.get(value) ?? 0) + weight);
    total += weight;
  }
  const kept = [...weights].filter(([, weight]) => weight > 0).sort(([one], [other]) => one - other);
  const sum = kept.reduce((all, [, weight]) => all + weight, 0);
  // Without any weight: each counts the same.
  const shares = kept.map(
    ([value, weight]): Weighted => [value, sum <= EPSILON ? 1 / kept.length : weight / sum],
  );
  return summaryOf(shares, count ?? Math.round(total));
};

/** Events a second over the time between them. @param events times and how much came then */
export const rateDistribution = (
  events: readonly Weighted[],
  stretch: Stretch | undefined,
): GuidellmDistribution => {
  const bounded: Weighted[] =
    stretch === undefined
      ? [...events]
      : [
          [stretch.from, 0],
          ...events.filter(([at]) => at >= stretch.from && at <= stretch.to),
          [stretch.to, 0],
        ];
  const times = merged(bounded);
  if (times.length <= 1) return distributionOf([], times.length);
  const middle = (index: number): number => ((times[index]?.[0] ?? 0) + (times[index + 1]?.[0] ?? 0)) / 2;
  let came = 0;
  const rates = times.map(([at, weight], index): Weighted => {
    came += weight;
    const from = index === 0 ? at : middle(index - 1);
    const lasts = index === times.length - 1 ? Math.max(at - from, EPSILON) : middle(index) - from;
    return [weight / lasts, lasts];
  });
  return distributionOf(rates, Math.round(came));
};

/** The level in progress, weighted by duration. */
export const levelDistribution = (
  intervals: readonly GuidellmInterval[],
  stretch: Stretch | undefined,
): GuidellmDistribution => {
  const kept =
    stretch === undefined
      ? intervals
      : intervals.filter(([from, to]) => to >= stretch.from && from <= stretch.to);
  const changes = merged(
    kept.flatMap(([from, to, weight]): Weighted[] => [
      [from, weight],
      [to, -weight],
    ]),
  );
  const times = stretch === undefined || changes.length === 0 ? changes : clippedTo(changes, stretch);
  let level = 0;
  const levels = times.map(([, change]) => {
    level += change;
    return Math.max(0, level);
  });
  const [first] = levels;
  if (first === undefined) return distributionOf([], undefined);
  if (levels.length === 1) return distributionOf(kept.length === 0 ? [] : [[first, 1]]);
  const lasting = times
    .slice(1)
    .map(([at], index): Weighted => [levels[index] ?? 0, Math.max(0, at - (times[index]?.[0] ?? 0))]);
  return distributionOf(lasting.some(([, lasts]) => lasts > 0) ? lasting : [], kept.length);
};

const summaryOf = (shares: readonly Weighted[], count: number): GuidellmDistribution => {
  const at = (percentile: number): number => percentileOf(shares, percentile);
  const mean = shares.reduce((sum, [value, share]) => sum + value * share, 0);
  const variance = shares.reduce((sum, [value, share]) => sum + (value - mean) ** 2 * share, 0);
  const mode = shares.reduce<Weighted>((most, one) => (one[1] > most[1] ? one : most), [0, 0]);
  return {
    mean,
    median: at(0.5),
    mode: mode[0],
    variance,
    std_dev: Math.sqrt(variance),
    min: shares[0]?.[0] ?? 0,
    max: shares.at(-1)?.[0] ?? 0,
    count,
    total_sum: mean * count,
    percentiles: Object.fromEntries(PERCENTILES.map(([name, percentile]) => [name, at(percentile)])),
    pdf: null,
  };
};

const percentileOf = (shares: readonly Weighted[], percentile: number): number => {
  let reached = 0;
  for (const [value, share] of shares) {
    reached += share;
    if (reached >= percentile) return value;
  }
  return shares.at(-1)?.[0] ?? 0;
};

/** Times within a tenth of a millisecond count as one, the first of them. */
const merged = (times: readonly Weighted[]): readonly Weighted[] => {
  const groups: [number, number][] = [];
  for (const [at, weight] of times.toSorted(([one], [other]) => one - other)) {
    const last = groups.at(-1);
    if (last !== undefined && at <= last[0] + MOMENT_SECONDS) last[1] += weight;
    else groups.push([at, weight]);
  }
  return groups;
};

const clippedTo = (changes: readonly Weighted[], { from, to }: Stretch): readonly Weighted[] => {
  const before = changes.filter(([at]) => at < from).reduce((sum, [, change]) => sum + change, 0);
  return [[from, before], ...changes.filter(([at]) => at >= from && at <= to), [to, 0]];
};

const EPSILON = 1e-6;
const MOMENT_SECONDS = 1e-4;
const PERCENTILES: readonly (readonly [name: string, percentile: number])[] = [
  ['p001', 0.001],
  ['p01', 0.01],
  ['p05', 0.05],
  ['p10', 0.1],
  ['p25', 0.25],
  ['p50', 0.5],
  ['p75', 0.75],
  ['p90', 0.9],
  ['p95', 0.95],
  ['p99', 0.99],
  ['p999', 0.999],
];
