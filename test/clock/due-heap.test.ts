import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DueHeap } from '../../src/clock/due-heap.ts';

test('items come in the order of their times, in any order of adding them', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(50)), fc.nat(50), (times, limit) => {
      const heap = new DueHeap<number>();
      for (const time of times) heap.add(time, time);
      heap.keep(time => time <= limit);
      const taken: number[] = [];
      for (let first = heap.first; first !== undefined; first = heap.first) {
        expect(heap.firstDue).toBe(first);
        taken.push(first);
        heap.removeFirst();
      }
      expect(taken).toEqual(times.filter(time => time <= limit).sort((a, b) => a - b));
      expect(heap.firstDue).toBe(Number.POSITIVE_INFINITY);
    }),
  );
});

test('an item that is postponed comes again', () => {
  const heap = new DueHeap<string>();
  heap.add('a', 1);
  heap.add('b', 2);
  heap.postponeFirst(3);
  expect([heap.first, heap.firstDue]).toEqual(['b', 2]);
  heap.removeFirst();
  expect([heap.first, heap.firstDue]).toEqual(['a', 3]);
});
