// A file as a stream may give it: cut anywhere, each part in a buffer that is overwritten afterwards.

/** @param cuts where it is cut, in any order, also past its end */
export function* inParts(bytes: Buffer, cuts: readonly number[]): Generator<Buffer, void, void> {
  const offsets = [...new Set(cuts)].sort((a, b) => a - b).filter(cut => cut < bytes.length);
  let from = 0;
  for (const to of [...offsets, bytes.length]) {
    const part = Buffer.from(bytes.subarray(from, to));
    yield part;
    part.fill(0x7b);
    from = to;
  }
}
