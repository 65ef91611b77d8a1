import fc from 'fast-check';
import { expect, test } from 'vitest';
import { InFlightSlots } from '../../../src/bench/load/in-flight-slots.ts';

test('an arrival waits from its time until a place was free, whenever it is sent', () => {
  const slots = new InFlightSlots(1);
  expect(slots.take(100)).toBe(0);
  expect(slots.free).toBe(0);
  slots.release(350);
  expect(slots.take(200)).toBe(150);
  slots.release(360);
  expect(slots.take(900)).toBe(0);
});

test('what is held back is what a queue of that many servers makes wait', () => {
  const jobs = fc.array(fc.record({ gap: fc.nat(50), service: fc.integer({ min: 1, max: 200 }) }), {
    maxLength: 80,
  });
  fc.assert(
    fc.property(jobs, fc.integer({ min: 1, max: 5 }), (given, count) => {
      const slots = new InFlightSlots(count);
      const ends: number[] = [];
      // Kiefer and Wolfowitz: the time until each server is free, one after the other.
      const servers = Array<number>(count).fill(0);
      let dueNs = 0;
      for (const { gap, service } of given) {
        dueNs += gap;
        const [freeNs = 0] = servers.toSorted((a, b) => a - b);
        const startNs = Math.max(dueNs, freeNs);
        servers[servers.indexOf(freeNs)] = startNs + service;
        ends.sort((a, b) => a - b);
        while (ends.length > 0 && ((ends[0] ?? 0) <= dueNs || slots.free === 0))
          slots.release(ends.shift() ?? 0);
        expect(slots.take(dueNs)).toBe(startNs - dueNs);
        ends.push(startNs + service);
      }
    }),
  );
});
