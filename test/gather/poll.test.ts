import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../src/clock/virtual-clock.ts';
import type { GatherSession } from '../../src/gather/gatherer.ts';
import { poll } from '../../src/gather/poll.ts';

describe('a poll', () => {
  it('reads at once and then at every interval, without drift', async () => {
    const { clock, session, ending } = setUp();
    const readAtMs: number[] = [];
    const polling = poll(session, 1_000, async () => {
      readAtMs.push(clock.nowMs());
      await clock.sleep(300, session.signal);
    });
    await clock.advance(3_500);
    ending.abort();
    await polling;
    expect(readAtMs).toEqual([0, 1_000, 2_000, 3_000]);
  });

  it('skips the beats that a slow reading takes, and keeps to its beat', async () => {
    const { clock, session, ending } = setUp();
    const readAtMs: number[] = [];
    const polling = poll(session, 1_000, async () => {
      readAtMs.push(clock.nowMs());
      if (readAtMs.length === 1) await clock.sleep(2_500, session.signal);
    });
    await clock.advance(5_500);
    ending.abort();
    await polling;
    expect(readAtMs).toEqual([0, 3_000, 4_000, 5_000]);
  });

  it('never reads twice at once', async () => {
    const { clock, session, ending } = setUp();
    let open = 0;
    let openMost = 0;
    const polling = poll(session, 100, async () => {
      openMost = Math.max(openMost, ++open);
      await clock.sleep(1_000, session.signal);
      open -= 1;
    });
    await clock.advance(5_000);
    ending.abort();
    await polling.catch(() => {});
    expect(openMost).toBe(1);
  });

  it('ends with what a reading throws', async () => {
    const { clock, session } = setUp();
    let count = 0;
    const polling = poll(session, 1_000, () => {
      count += 1;
      if (count === 3) throw new Error('the source is gone');
    });
    polling.catch(() => {});
    await clock.advance(10_000);
    await expect(polling).rejects.toThrow('the source is gone');
    expect(count).toBe(3);
  });

  it('ends quietly when its session does, while it waits or before it began', async () => {
    const { clock, session, ending } = setUp();
    let count = 0;
    const polling = poll(session, 1_000, () => {
      count += 1;
    });
    await clock.advance(500);
    ending.abort();
    await polling;
    await poll(session, 1_000, () => {
      count += 1;
    });
    expect(count).toBe(1);
    expect(clock.sleeperCount).toBe(0);
  });
});

const setUp = () => {
  const clock = new VirtualClock();
  const ending = new AbortController();
  const session: GatherSession = {
    clock,
    signal: ending.signal,
    emit: () => {},
    fail: () => {},
    absent: () => {},
  };
  return { clock, ending, session };
};
