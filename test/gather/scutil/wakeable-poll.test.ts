import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../src/clock/virtual-clock.ts';
import { WakeablePoll } from '../../../src/gather/scutil/wakeable-poll.ts';

const started = (intervalMs: number, pauseMs: number) => {
  const clock = new VirtualClock();
  const ending = new AbortController();
  const readAtMs: number[] = [];
  const polling = new WakeablePoll({ intervalMs, pauseMs });
  const running = polling.run({ clock, signal: ending.signal }, async () => {
    readAtMs.push(clock.nowMs());
  });
  const stop = async (): Promise<void> => {
    ending.abort();
    await running;
  };
  return { clock, polling, readAtMs, stop };
};

describe('a poll that a hint can hurry', () => {
  it('reads at once and at the interval without a hint', async () => {
    const { clock, readAtMs, stop } = started(10_000, 500);
    await clock.advance(25_000);
    expect(readAtMs).toEqual([0, 10_000, 20_000]);
    await stop();
  });

  it('reads at once on a hint', async () => {
    const { clock, polling, readAtMs, stop } = started(10_000, 500);
    await clock.advance(3_000);
    polling.wake();
    await clock.advance(1);
    expect(readAtMs).toEqual([0, 3_000]);
    await stop();
  });

  it('reads no more often than the pause however many hints come', async () => {
    const { clock, polling, readAtMs, stop } = started(10_000, 500);
    for (let ms = 0; ms < 2_000; ms += 100) {
      polling.wake();
      await clock.advance(100);
    }
    expect(readAtMs).toEqual([0, 500, 1_000, 1_500, 2_000]);
    await stop();
  });
});
