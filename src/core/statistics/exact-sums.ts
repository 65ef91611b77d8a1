// Exact sums of whole numbers and of their squares: sums of squared nanoseconds exceed 2⁵³ after a few
// samples, and a variance computed from rounded sums is meaningless. Squares are added up in limbs, so
// recording makes no BigInt.

/** A value is split into two limbs of 21 bits; values from 2⁴² on take the slow path. */
const LIMB = 2 ** 21;
const SPLIT_MAX = 2 ** 42;
/** Products of limbs are below 2⁴², so this many can be added before 2⁵³. */
const ADDITIONS_MAX = 2_047;

export class ExactSums {
  #count = 0;
  #min = Number.POSITIVE_INFINITY;
  #max = Number.NEGATIVE_INFINITY;
  #total = 0n;
  #squares = 0n;
  #pendingTotal = 0;
  #highHigh = 0;
  #highLow = 0;
  #lowLow = 0;
  #additions = 0;

  get count(): number {
    return this.#count;
  }

  /** Infinity while empty. */
  get min(): number {
    return this.#min;
  }

  /** -Infinity while empty. */
  get max(): number {
    return this.#max;
  }

  /** @throws RangeError unless the value is a whole number from 0 to 2⁵³ − 1. */
  record(value: number): void {
    if (!(Number.isSafeInteger(value) && value >= 0))
      throw new RangeError(`${value} is not a whole number of at least 0`);
    this.#count += 1;
    if (value < this.#min) this.#min = value;
    if (value > this.#max) this.#max = value;
    if (value >= SPLIT_MAX) {
      const exact = BigInt(value);
      this.#total += exact;
      this.#squares += exact * exact;
      return;
    }
    const high = Math.floor(value / LIMB);
    const low = value - high * LIMB;
    this.#pendingTotal += value;
    this.#highHigh += high * high;
    this.#highLow += high * low;
    this.#lowLow += low * low;
    this.#additions += 1;
    if (this.#additions === ADDITIONS_MAX) this.#carry();
  }

  /** Adds the sums of another object. */
  add(other: {
    readonly count: number;
    readonly min: number;
    readonly max: number;
    readonly total: bigint;
    readonly sumOfSquares: bigint;
  }): void {
    this.#count += other.count;
    this.#min = Math.min(this.#min, other.min);
    this.#max = Math.max(this.#max, other.max);
    this.#total += other.total;
    this.#squares += other.sumOfSquares;
  }

  total(): bigint {
    this.#carry();
    return this.#total;
  }

  sumOfSquares(): bigint {
    this.#carry();
    return this.#squares;
  }

  /** Undefined while empty, never NaN. */
  mean(): number | undefined {
    return this.#count === 0 ? undefined : ratio(this.total(), BigInt(this.#count));
  }

  /** Sample standard deviation, √((n·Σx² − (Σx)²) / (n(n−1))); undefined below two values. */
  standardDeviation(): number | undefined {
    return standardDeviation(this.#count, this.total(), this.sumOfSquares());
  }

  #carry(): void {
    this.#total += BigInt(this.#pendingTotal);
    this.#squares += (BigInt(this.#highHigh) << 42n) + (BigInt(this.#highLow) << 22n) + BigInt(this.#lowLow);
    this.#pendingTotal = 0;
    this.#highHigh = 0;
    this.#highLow = 0;
    this.#lowLow = 0;
    this.#additions = 0;
  }
}

/** From exact sums; undefined below two values. */
export const standardDeviation = (count: number, total: bigint, sumOfSquares: bigint): number | undefined => {
  if (count < 2) return undefined;
  const n = BigInt(count);
  return Math.sqrt(ratio(n * sumOfSquares - total * total, n * (n - 1n)));
};

/** a / b as a double, correct to the last bits even if both exceed the range of a double. */
const ratio = (a: bigint, b: bigint): number => {
  const whole = a / b;
  const rest = a % b;
  return Number(whole) + Number((rest * FRACTION) / b) / Number(FRACTION);
};

const FRACTION = 2n ** 53n;
