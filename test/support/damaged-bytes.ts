// A file of lines as a broken disk, a broken tool or a broken download leaves it: the same for each format, from a seed.

import type { SeededRandom } from '../../src/core/random.ts';

/**
 * By the round: an end that is missing, a flipped bit, a value of another type, bytes that are no UTF-8, a zero byte, or a line
 * that does not end.
 */
export const damagedBytes = (good: Buffer, round: number, random: SeededRandom): Buffer => {
  const at = random.below(good.length);
  const put = (bytes: Buffer): Buffer => Buffer.concat([good.subarray(0, at), bytes, good.subarray(at)]);
  switch (DAMAGES[round % DAMAGES.length]) {
    case 'cut':
      return good.subarray(0, at);
    case 'bit': {
      const bytes = Buffer.from(good);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
      return bytes;
    }
    case 'type': {
      const text = good.toString('utf8');
      const values = [...text.matchAll(/\d+|"[^"\n]*"/g)];
      const value = values[random.below(values.length)];
      const [from, length] = [value?.index ?? 0, value?.[0].length ?? 0];
      const wrong = WRONG[random.below(WRONG.length)] ?? '';
      return Buffer.from(text.slice(0, from) + wrong + text.slice(from + length));
    }
    case 'utf-8':
      return put(Buffer.from([0xff, 0xfe, 0xc3]));
    case 'zero':
      return put(Buffer.alloc(1 + random.below(3)));
    default:
      return put(Buffer.alloc(LINE_BYTES, 'x'));
  }
};

const DAMAGES = ['cut', 'bit', 'type', 'utf-8', 'zero', 'line'] as const;
const WRONG: readonly string[] = ['null', '"x"', '-1', '1e999', '[]', '{}', '', '1.5'];
const LINE_BYTES = 200_000;
