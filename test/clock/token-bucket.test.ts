import { describe, expect, test } from 'vitest';
import { AddressBuckets, TokenBucket } from '../../src/clock/token-bucket.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

describe('a token bucket', () => {
  test('gives its burst at once and then so much a second, never more than the burst', async () => {
    const clock = new VirtualClock();
    const bucket = new TokenBucket(clock, { burst: 2, perSecond: 4 });
    expect([bucket.take(), bucket.take(), bucket.take()]).toEqual([true, true, false]);
    await clock.advance(249);
    expect(bucket.has()).toBe(false);
    await clock.advance(1);
    expect([bucket.has(), bucket.take(), bucket.take()]).toEqual([true, true, false]);
    await clock.advance(3_600_000);
    expect([bucket.take(), bucket.take(), bucket.take()]).toEqual([true, true, false]);
  });

  test('takes the whole cost or nothing', async () => {
    const clock = new VirtualClock();
    const bucket = new TokenBucket(clock, { burst: 10, perSecond: 1 });
    expect([bucket.take(11), bucket.take(8), bucket.take(3), bucket.take(2)]).toEqual([
      false,
      true,
      false,
      true,
    ]);
    await clock.advance(3_000);
    expect([bucket.has(4), bucket.has(3)]).toEqual([false, true]);
  });
});

test('buckets of addresses are apart, and kept for a bounded number of them', () => {
  const buckets = new AddressBuckets(new VirtualClock(), { burst: 1, perSecond: 0 }, 2);
  const take = (address: string): boolean => buckets.of(address).take();
  expect([take('a'), take('b'), take('a')]).toEqual([true, true, false]);
  expect(take('c')).toBe(true);
  // 'b' was quiet longest and is forgotten; 'a' is still known.
  expect([take('a'), take('b')]).toEqual([false, true]);
});
