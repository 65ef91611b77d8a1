// A shorter input of the same cause: pieces are left out, large ones first, for as long as it still does the same.

export const shortened = async (
  input: Uint8Array,
  isSame: (input: Uint8Array) => Promise<boolean>,
): Promise<Uint8Array> => {
  let best = input;
  let tries = 0;
  for (let length = Math.ceil(best.length / 2); length >= 1; length = Math.floor(length / 2)) {
    for (let at = 0; at < best.length && tries < TRIES_MOST; ) {
      const without = Buffer.concat([best.subarray(0, at), best.subarray(at + length)]);
      tries += 1;
      if (await isSame(without)) best = without;
      else at += length;
    }
  }
  return best;
};

const TRIES_MOST = 2_000;
