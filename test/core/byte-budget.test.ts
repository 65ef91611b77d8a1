import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type BudgetShare, ByteBudget } from '../../src/core/byte-budget.ts';

test('never holds more than its bound, and never makes one give up that holds less than another', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(9), fc.nat(60)), { maxLength: 200 }), changes => {
      const budget = new ByteBudget(100);
      const bytesOf = new Map<number, number>();
      const shares = new Map<number, BudgetShare>();
      for (const [who, bytes] of changes) {
        const share =
          shares.get(who) ??
          budget.share(() => {
            expect(bytesOf.get(who)).toBe(Math.max(...bytesOf.values()));
            bytesOf.delete(who);
            shares.delete(who);
          });
        shares.set(who, share);
        bytesOf.set(who, bytes);
        share.resize(bytes);
        const sum = [...bytesOf.values()].reduce((total, one) => total + one, 0);
        expect(budget.bytes).toBe(sum);
        expect(budget.bytes).toBeLessThanOrEqual(100);
      }
      for (const share of shares.values()) share.release();
      expect(budget.bytes).toBe(0);
    }),
  );
});

test('counts who gave up, and holds nothing for one that was released', () => {
  const budget = new ByteBudget(10);
  const gone: string[] = [];
  const one = budget.share(() => gone.push('one'));
  const other = budget.share(() => gone.push('other'));
  one.resize(9);
  other.resize(8);
  expect(gone).toEqual(['one']);
  expect([budget.bytes, budget.evicted]).toEqual([8, 1]);
  one.resize(5);
  expect(budget.bytes).toBe(8);
});
