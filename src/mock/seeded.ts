// Randomness that is none: every draw is a function of the seed and of what is asked, so that the same request gets the
// same answer from every mock of the same seed, in whatever order requests come.

/** FNV-1a over UTF-16 units, then mixed; a long text counts by its head, its tail and its length. */
export const hashOf = (text: string, seed: number): number => {
  let hash = (0x811c9dc5 ^ seed) >>> 0;
  const head = Math.min(text.length, SAMPLED_CHARACTERS);
  for (let index = 0; index < head; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  for (let index = Math.max(head, text.length - SAMPLED_CHARACTERS); index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return mix(hash ^ text.length);
};

/** The n-th draw of a stream of draws, 0 ≤ draw < 1. */
export const draw = (hash: number, n: number): number => mix(hash + Math.imul(n + 1, 0x9e3779b9)) / 2 ** 32;

/** The finisher of MurmurHash3: every bit of the input moves every bit of the output. */
const mix = (value: number): number => {
  let mixed = value >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
};

const SAMPLED_CHARACTERS = 2_048;
