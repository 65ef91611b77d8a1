import { expect, test } from 'vitest';
import { KeptPrefixes } from '../../src/mock/kept-prefixes.ts';

const words = (count: number, mark: string): string =>
  Array.from({ length: count }, (_, index) => `${mark}${index}`).join(' ');

test('a start is held to its last word among the newest prompts, and in whole blocks of 64 words of any earlier one', () => {
  const kept = new KeptPrefixes();
  const start = words(200, 'a');
  expect(kept.take(start, 'words')).toBe(0);
  expect(kept.take(`${words(150, 'a')} other ${words(20, 'b')}`, 'words')).toBe(150);
  for (let index = 0; index < 40; index += 1) kept.take(words(100, `c${index}-`), 'words');
  expect(kept.take(`${words(150, 'a')} another`, 'words')).toBe(128);
  expect(kept.take(`${words(63, 'a')} x ${words(200, 'a')}`, 'words')).toBe(63);
  expect(kept.take(`x ${start}`, 'words')).toBe(0);
});
