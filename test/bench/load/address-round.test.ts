import { expect, test } from 'vitest';
import { AddressRound } from '../../../src/bench/load/address-round.ts';

const taken = (round: AddressRound, count: number, nowNs = 0): readonly number[] =>
  Array.from({ length: count }, () => round.take(nowNs));

test('each address has its turn, and each thread begins with another', () => {
  expect(taken(new AddressRound(['a', 'b', 'c'], 0), 4)).toEqual([0, 1, 2, 0]);
  expect(taken(new AddressRound(['a', 'b', 'c'], 4), 4)).toEqual([1, 2, 0, 1]);
});

test('one that refused is left out for ten seconds, and then tried again', () => {
  const round = new AddressRound(['a', 'b', 'c'], 0);
  round.failed(1, 0);
  expect(taken(round, 4, 1)).toEqual([0, 2, 0, 2]);
  expect(taken(round, 3, 10e9)).toEqual([0, 1, 2]);
  expect([...round.dead]).toEqual(['b']);
});

test('if all refuse, each is tried in turn', () => {
  const round = new AddressRound(['a', 'b'], 0);
  round.failed(0, 0);
  round.failed(1, 0);
  expect(taken(round, 3, 1)).toEqual([0, 1, 0]);
});

test('a target with one address has no number for it', () => {
  expect(new AddressRound([], 3).take(0)).toBe(-1);
});
