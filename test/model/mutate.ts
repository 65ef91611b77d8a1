// Damage as transfers, disks and enemies do it: bits, bytes, lengths at their limits, pieces lost, doubled and moved.

import type { SeededRandom } from '../../src/core/random.ts';

/** A new array; one to three damages. `others` lend pieces. */
export const mutated = (
  bytes: Uint8Array,
  others: readonly Uint8Array[],
  random: SeededRandom,
): Uint8Array => {
  let damaged = new Uint8Array(bytes);
  for (let left = 1 + random.below(3); left > 0; left -= 1) {
    if (damaged.length === 0) return damaged;
    const at = random.below(damaged.length);
    const length = 1 + random.below(Math.min(64, damaged.length - at));
    const piece = damaged.subarray(at, at + length);
    switch (random.below(8)) {
      case 0:
        damaged[at] = (damaged[at] ?? 0) ^ (1 << random.below(8));
        break;
      case 1:
        damaged[at] = random.below(256);
        break;
      case 2:
        write(damaged, at, LIMITS[random.below(LIMITS.length)] ?? 0n, random.below(2) === 0 ? 4 : 8);
        break;
      case 3:
        damaged = joined(damaged.subarray(0, at), damaged.subarray(at + length));
        break;
      case 4:
        damaged = joined(damaged.subarray(0, at), piece, damaged.subarray(at));
        break;
      case 5:
        damaged = damaged.slice(0, at);
        break;
      case 6: {
        const other = others[random.below(others.length)] ?? bytes;
        damaged = joined(damaged.subarray(0, at), other.subarray(random.below(other.length)));
        break;
      }
      default:
        damaged = joined(damaged.subarray(0, at), words(random), damaged.subarray(at + length));
    }
  }
  return damaged;
};

const write = (bytes: Uint8Array, at: number, value: bigint, width: number): void => {
  for (let index = 0; index < width && at + index < bytes.length; index += 1) {
    bytes[at + index] = Number((value >> BigInt(8 * index)) & 0xffn);
  }
};

/** JSON that is in the place of something else. */
const words = (random: SeededRandom): Uint8Array =>
  new TextEncoder().encode(WORDS[random.below(WORDS.length)] ?? '');

const joined = (...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.concat(parts));

const LIMITS: readonly bigint[] = [
  0n,
  1n,
  0x7fn,
  0xffffn,
  0x7fff_ffffn,
  0xffff_ffffn,
  0x1_0000_0000n,
  0x1f_ffff_ffff_ffffn,
  0x20_0000_0000_0000n,
  0x7fff_ffff_ffff_ffffn,
  0xffff_ffff_ffff_ffffn,
  1_000_000n,
  16_777_216n,
];
const WORDS: readonly string[] = [
  'null',
  'true',
  '-1',
  '0',
  '1e308',
  '9007199254740993',
  '1e-320',
  '""',
  '[]',
  '{}',
  '"constructor"',
  '"__proto__":{"x":1},',
  '[[[[[[[[[[[[[[[[',
  '{"a":{"a":{"a":',
  '\u0000',
  '\ud800',
  ',,',
  '4294967296',
];
