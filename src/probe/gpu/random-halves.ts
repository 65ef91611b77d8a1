// The data that device probes work on: 16-bit floats in ±[0.5, 1). Zeros and constants would draw less power, and so
// clock higher, than any real work.

/** An even number of bits each way; the same for the same seed. */
export const randomHalves = (count: number, seed: number): Uint16Array => {
  const halves = new Uint16Array(count);
  let state = (seed | 1) >>> 0;
  for (let index = 0; index < count; index += 1) {
    // xorshift32, Marsaglia 2003
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    halves[index] = ((state >>> 8) & SIGN_AND_FRACTION) | HALF;
  }
  return halves;
};

/** The value of a half created above: sign, and 1 + fraction/1024 halves. */
export const halfValue = (bits: number): number => {
  const size = (1 + (bits & 0x03ff) / 1024) / 2;
  return (bits & 0x8000) === 0 ? size : -size;
};

/** Any half-precision number (IEEE 754). */
export const anyHalfValue = (bits: number): number => {
  const sign = (bits & 0x8000) === 0 ? 1 : -1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x03ff;
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
};

const SIGN_AND_FRACTION = 0x83ff;
/** 0.5 */
const HALF = 0x3800;
