// Whether two figures rise together: Spearman's rank correlation, ties by their mean rank.

/** -1 … 1 over as many pairs as both have; undefined if one of them does not vary. */
export const rankCorrelation = (
  xs: ArrayLike<number>,
  ys: ArrayLike<number>,
  count: number,
): number | undefined => {
  const [x, y] = [ranksOf(xs, count), ranksOf(ys, count)];
  const mean = (count - 1) / 2;
  let [xy, xx, yy] = [0, 0, 0];
  for (let at = 0; at < count; at += 1) {
    const [dx, dy] = [(x[at] ?? 0) - mean, (y[at] ?? 0) - mean];
    xy += dx * dy;
    xx += dx * dx;
    yy += dy * dy;
  }
  return xx === 0 || yy === 0 ? undefined : xy / Math.sqrt(xx * yy);
};

/** From 0; equal values share the mean of their ranks. */
const ranksOf = (values: ArrayLike<number>, count: number): Float64Array => {
  const order = Array.from({ length: count }, (_, index) => index).sort(
    (a, b) => (values[a] ?? 0) - (values[b] ?? 0),
  );
  const ranks = new Float64Array(count);
  for (let from = 0; from < count; ) {
    let to = from + 1;
    while (to < count && values[order[to] ?? 0] === values[order[from] ?? 0]) to += 1;
    for (let at = from; at < to; at += 1) ranks[order[at] ?? 0] = (from + to - 1) / 2;
    from = to;
  }
  return ranks;
};
