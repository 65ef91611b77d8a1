import { describe, expect, it } from 'vitest';
import type { GatherSession } from '../../src/gather/gatherer.ts';
import { HintedPoll, poll } from '../../src/gather/poll.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

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

describe('a poll that a hint can hurry', () => {
  it('reads at once, and at the interval without a hint', async () => {
    const { clock, reads, stop } = hinted({ intervalMs: 10_000, pauseMs: 500 });
    await clock.advance(25_000);
    await stop();
    expect(reads).toEqual([
      [0, false],
      [10_000, false],
      [20_000, false],
    ]);
  });

  it('reads at once on a hint, and reports that there was one', async () => {
    const { clock, polling, reads, stop } = hinted({ intervalMs: 10_000, pauseMs: 500 });
    await clock.advance(3_000);
    polling.hint();
    await clock.advance(10_000);
    await stop();
    expect(reads).toEqual([
      [0, false],
      [3_000, true],
      [13_000, false],
    ]);
  });

  it('reads no more often than the pause however many hints come', async () => {
    const { clock, polling, reads, stop } = hinted({ intervalMs: 10_000, pauseMs: 500 });
    for (let ms = 0; ms < 2_000; ms += 100) {
      polling.hint();
      await clock.advance(100);
    }
    await stop();
    expect(reads.map(([atMs]) => atMs)).toEqual([0, 500, 1_000, 1_500, 2_000]);
  });

  it('waits for the rest of a burst of hints', async () => {
    const { clock, polling, reads, stop } = hinted({ intervalMs: 10_000, pauseMs: 1_000, burstMs: 100 });
    await clock.advance(5_000);
    for (let count = 0; count < 50; count++) {
      polling.hint();
      await clock.advance(1);
    }
    await clock.advance(1_000);
    await stop();
    expect(reads).toEqual([
      [0, false],
      [5_100, true],
    ]);
  });

  it('does not lose a hint that is given while it reads', async () => {
    const { clock, polling, reads, stop } = hinted({ intervalMs: 10_000, pauseMs: 500, readMs: 200 });
    await clock.advance(100);
    polling.hint();
    await clock.advance(5_000);
    await stop();
    expect(reads).toEqual([
      [0, false],
      [700, true],
    ]);
  });

  it.each([
    ['reads', 100, false],
    ['waits for a hint', 2_000, false],
    ['waits for the rest of a burst', 2_000, true],
  ])(
    'ends at once when it is no longer wanted while it %s, and leaves no sleeper',
    async (_, atMs, isHinted) => {
      const { clock, polling, reads, stop } = hinted({
        intervalMs: 10_000,
        pauseMs: 500,
        burstMs: 100,
        readMs: 200,
      });
      await clock.advance(atMs);
      if (isHinted) polling.hint();
      await clock.advance(1);
      await stop();
      expect(reads).toHaveLength(1);
      expect(clock.sleeperCount).toBe(0);
    },
  );
});

/** A poll whose reads take `readMs`, with when each began and whether it was hinted. */
const hinted = ({
  readMs = 0,
  ...options
}: {
  readonly intervalMs: number;
  readonly pauseMs: number;
  readonly burstMs?: number;
  readonly readMs?: number;
}) => {
  const { clock, ending } = setUp();
  const reads: [atMs: number, isHinted: boolean][] = [];
  const polling = new HintedPoll(options);
  const running = polling.run({ clock, signal: ending.signal }, async (signal, isHinted) => {
    reads.push([clock.nowMs(), isHinted]);
    if (readMs > 0) await clock.sleep(readMs, signal);
  });
  const stop = async (): Promise<void> => {
    ending.abort();
    await running;
  };
  return { clock, polling, reads, stop };
};

const setUp = () => {
  const clock = new VirtualClock();
  const ending = new AbortController();
  const session: GatherSession = {
    clock,
    signal: ending.signal,
    fallbackReason: () => undefined,
    emit: () => {},
    fail: () => {},
    absent: () => {},
  };
  return { clock, ending, session };
};
