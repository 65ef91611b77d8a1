import { describe, expect, it } from 'vitest';
import type { Gatherer } from '../../src/gather/gatherer.ts';
import { wasRestarted } from '../../src/gather/platform-gatherers.ts';
import { poll } from '../../src/gather/poll.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { runForTest } from './gatherer-run.ts';

describe('a gatherer that is restarted on a change', () => {
  it('reports at once what has changed, long before its interval', async () => {
    const clock = new VirtualClock();
    const changes = new Changes();
    const atMs: number[] = [];
    const reader = made(async session =>
      poll(session, 3_600_000, () => {
        atMs.push(clock.nowMs());
      }),
    );
    await using run = runForTest([wasRestarted(reader, changes.onChange)], clock);
    await clock.advance(100);
    changes.happen();
    await clock.advance(100);
    changes.happen();
    changes.happen();
    await clock.advance(100);
    expect(run.reported).toEqual([]);
    expect(atMs).toEqual([0, 100, 200]);
  });

  it('fails as before when the source fails, and listens to nothing any more', async () => {
    const changes = new Changes();
    const broken = made(() => Promise.reject(new Error('no such tool')));
    await using run = runForTest([wasRestarted(broken, changes.onChange)], new VirtualClock());
    expect(await run.waitUntil(reported => reported.kind === 'failure', 'from start')).toMatchObject({
      reason: 'no such tool',
    });
    expect(changes.listenerCount).toBe(0);
  });

  it('stays ended once it has found nothing on this machine', async () => {
    const changes = new Changes();
    let count = 0;
    const absent = made(async () => {
      count += 1;
    });
    const clock = new VirtualClock();
    await using _run = runForTest([wasRestarted(absent, changes.onChange)], clock);
    await clock.advance(1);
    changes.happen();
    await clock.advance(1);
    expect(count).toBe(1);
  });

  it('does not take a failure for a change while the old reading is being left', async () => {
    const clock = new VirtualClock();
    const changes = new Changes();
    let count = 0;
    const awkward = made(async ({ signal }) => {
      count += 1;
      await new Promise<void>((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
      });
    });
    await using run = runForTest([wasRestarted(awkward, changes.onChange)], clock);
    await clock.advance(10);
    changes.happen();
    await clock.advance(10);
    expect(count).toBe(2);
    expect(run.reported).toEqual([]);
  });
});

class Changes {
  readonly #listeners = new Set<() => void>();
  readonly onChange = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
  get listenerCount(): number {
    return this.#listeners.size;
  }
  happen(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

const made = (gather: Gatherer['gather']): Gatherer => ({
  name: 'made up',
  reports: [{ reading: 'identity', vendor: 'none' }],
  intervalMs: 1_000,
  gather,
});
