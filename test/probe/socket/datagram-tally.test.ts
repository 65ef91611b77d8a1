import { expect, test } from 'vitest';
import { DatagramTally } from '../../../src/probe/socket/datagram-tally.ts';

const tallyOf = (...numbers: readonly number[]): DatagramTally => {
  const tally = new DatagramTally();
  for (const number of numbers) tally.add(number);
  return tally;
};

test('a datagram is reordered if a later one came before it, as in RFC 4737 §4.2.2', () => {
  expect(tallyOf(1, 2, 3, 4, 9, 5, 6, 7, 8, 10)).toMatchObject({ count: 10, reordered: 4 });
});

test('a lost one reorders nothing, and a duplicate counts once', () => {
  expect(tallyOf(0, 1, 3, 3, 4, 1)).toMatchObject({ count: 4, reordered: 0 });
});

test('numbers beyond the longest train are ignored', () => {
  expect(tallyOf(4_095, 4_096, 2 ** 32 - 1)).toMatchObject({ count: 1, reordered: 0 });
});
