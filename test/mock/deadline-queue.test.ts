import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DeadlineQueue } from '../../src/mock/deadline-queue.ts';

const nowMs = (): number => performance.now();

/** Serves each item at its deadlines, one after another, and resolves with the order in which they came. */
const serve = (
  deadlines: readonly (readonly number[])[],
): Promise<readonly { readonly item: number; readonly dueMs: number; readonly lateMs: number }[]> =>
  new Promise(resolve => {
    const served: { item: number; dueMs: number; lateMs: number }[] = [];
    const startMs = nowMs();
    let open = deadlines.length;
    const queue = new DeadlineQueue(nowMs);
    for (const [item, offsets] of deadlines.entries()) {
      let next = 0;
      const onDue = (servedMs: number): number | undefined => {
        const dueMs = offsets[next] ?? 0;
        served.push({ item, dueMs, lateMs: servedMs - startMs - dueMs });
        next += 1;
        if (next < offsets.length) return startMs + (offsets[next] ?? 0);
        open -= 1;
        if (open === 0) setImmediate(() => resolve(served));
        return undefined;
      };
      queue.add({ onDue }, startMs + (offsets[0] ?? 0));
    }
  });

test('everything is served once for each of its deadlines, never early, and earlier deadlines first', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 5 }), {
        minLength: 1,
        maxLength: 40,
      }),
      async lists => {
        const deadlines = lists.map(list => [...list].sort((a, b) => a - b));
        const served = await serve(deadlines);
        for (const [item, offsets] of deadlines.entries())
          expect(served.filter(one => one.item === item).map(({ dueMs }) => dueMs)).toEqual(offsets);
        expect(Math.min(...served.map(({ lateMs }) => lateMs))).toBeGreaterThanOrEqual(0);
      },
    ),
    { numRuns: 20 },
  );
});

test('deadlines that have passed are served in their order', async () => {
  const served = await serve([[-5], [-7], [-6], [-9], [-8]]);
  expect(served.map(({ dueMs }) => dueMs)).toEqual([-9, -8, -7, -6, -5]);
});

test('an earlier deadline that comes later is not overslept', async () => {
  const order: string[] = [];
  const queue = new DeadlineQueue(nowMs);
  const once = (name: string, done: () => void) => ({
    onDue: () => {
      order.push(name);
      done();
      return undefined;
    },
  });
  await new Promise<void>(resolve => {
    queue.add(
      once('hour', () => undefined),
      nowMs() + 3_600_000,
    );
    queue.add(once('soon', resolve), nowMs() + 5);
  });
  expect(order).toEqual(['soon']);
  expect(queue.length).toBe(1);
  queue.clear();
  expect(queue.length).toBe(0);
});
