// Non-negative integers in as few bytes as they need: unsigned LEB128 (as in WebAssembly §5.2.2 and DWARF),
// seven bits per byte, lowest first. A gap of 10 ms in nanoseconds is four bytes, a gap of 0 one.

/** @throws RangeError for anything else: a decoder would read another number. */
export const encodeVarints = (values: readonly number[]): Uint8Array => {
  const bytes = new Uint8Array(values.length * BYTES_MAX);
  let at = 0;
  for (const value of values) {
    if (!(Number.isSafeInteger(value) && value >= 0))
      throw new RangeError(`${value} is not a whole number of at least 0`);
    let rest = value;
    while (rest >= 0x80) {
      bytes[at++] = (rest % 0x80) | 0x80; // no shifts: they would cut to 32 bits
      rest = Math.floor(rest / 0x80);
    }
    bytes[at++] = rest;
  }
  return bytes.subarray(0, at);
};

/** undefined if the last number is cut off or one exceeds 2⁵³. */
export const decodeVarints = (bytes: Uint8Array): readonly number[] | undefined => {
  const values: number[] = [];
  let value = 0;
  let factor = 1;
  for (const byte of bytes) {
    value += (byte & 0x7f) * factor;
    if (value > Number.MAX_SAFE_INTEGER) return undefined;
    if (byte < 0x80) {
      values.push(value);
      value = 0;
      factor = 1;
    } else {
      factor *= 0x80;
      if (factor > FACTOR_MAX) return undefined;
    }
  }
  return factor === 1 ? values : undefined;
};

/** 8 × 7 bits can represent 2⁵³. */
const BYTES_MAX = 8;
const FACTOR_MAX = 2 ** 49;
