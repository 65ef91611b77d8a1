import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../src/clock/virtual-clock.ts';
import { Hint } from '../../../src/gather/ip/hint.ts';

describe('a hint of a change', () => {
  it('is taken a tenth of a second after it was given, with all that came meanwhile', async () => {
    const { clock, hint, takenAtMs } = setUp();
    const taking = takenAtMs(10_000);
    await clock.advance(5_000);
    for (let count = 0; count < 50; count++) {
      hint.give();
      await clock.advance(1);
    }
    await clock.advance(10_000);
    expect(await taking).toEqual({ isHinted: true, atMs: 5_100 });
  });

  it('that never comes lets its taker go at the interval', async () => {
    const { clock, takenAtMs } = setUp();
    const taking = takenAtMs(10_000);
    await clock.advance(20_000);
    expect(await taking).toEqual({ isHinted: false, atMs: 10_000 });
  });

  it('is taken at most once a second from a link that flaps', async () => {
    const { clock, hint, takenAtMs } = setUp();
    hint.give();
    const taking = takenAtMs(10_000);
    await clock.advance(2_000);
    expect(await taking).toEqual({ isHinted: true, atMs: 1_000 });
  });

  it('given while its taker is busy is not lost', async () => {
    const { clock, hint, takenAtMs } = setUp();
    const first = takenAtMs(10_000);
    hint.give();
    await clock.advance(5_000);
    await first;
    hint.give();
    const second = takenAtMs(10_000);
    await clock.advance(5_000);
    expect((await second).isHinted).toBe(true);
  });

  it('waited for ends with the reason of an abort, at any stage', async () => {
    const { clock, hint } = setUp();
    const ending = new AbortController();
    const idle = hint.taken(10_000, ending.signal);
    idle.catch(() => {});
    await clock.advance(1);
    ending.abort(new Error('over'));
    await expect(idle).rejects.toThrow('over');
    const other = new AbortController();
    hint.give();
    const bursting = hint.taken(10_000, other.signal);
    bursting.catch(() => {});
    await clock.advance(1);
    other.abort(new Error('over too'));
    await expect(bursting).rejects.toThrow('over too');
    expect(clock.sleeperCount).toBe(0);
  });
});

const setUp = () => {
  const clock = new VirtualClock();
  const hint = new Hint(clock);
  const takenAtMs = async (timeoutMs: number): Promise<{ isHinted: boolean; atMs: number }> => {
    const isHinted = await hint.taken(timeoutMs, new AbortController().signal);
    return { isHinted, atMs: clock.nowMs() };
  };
  return { clock, hint, takenAtMs };
};
