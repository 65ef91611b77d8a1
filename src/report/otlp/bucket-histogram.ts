// A histogram with fixed bounds as in OpenTelemetry: a value that equals a bound belongs to the lower bucket.

export class BucketHistogram {
  readonly bounds: readonly number[];
  readonly counts: number[];
  count = 0;
  sum = 0;
  min: number = Number.POSITIVE_INFINITY;
  max: number = Number.NEGATIVE_INFINITY;

  /** @param bounds ascending */
  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  record(value: number): void {
    let at = 0;
    while (at < this.bounds.length && value > (this.bounds[at] ?? value)) at += 1;
    this.counts[at] = (this.counts[at] ?? 0) + 1;
    this.count += 1;
    this.sum += value;
    this.min = Math.min(this.min, value);
    this.max = Math.max(this.max, value);
  }
}
