// Several gatherers: one that fails, hangs or has nothing to report never affects another.

import { describe, expect, it } from 'vitest';
import type { ReadingKind } from '../../src/core/node/reading.ts';
import { type Gatherer, type GatherSession, sourceFailed } from '../../src/gather/gatherer.ts';
import { poll } from '../../src/gather/poll.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { runForTest } from './gatherer-run.ts';

describe('a gatherer that fails', () => {
  it('is reported as a failure of every kind it has, with its reason', async () => {
    const clock = new VirtualClock();
    const broken = gatherer('broken', ['memory', 'system'], () => Promise.reject(new Error('no such file')));
    await using run = runForTest([broken], clock);
    await clock.advance(0);
    expect(run.reported).toEqual([
      { kind: 'failure', about: 'memory', source: 'broken', reason: 'no such file' },
      { kind: 'failure', about: 'system', source: 'broken', reason: 'no such file' },
    ]);
  });

  it('is reported with the code of what it throws, if that has one', async () => {
    const clock = new VirtualClock();
    const barred = gatherer('barred', ['memory'], () =>
      Promise.reject(sourceFailed('only root may read it', 'permission')),
    );
    await using run = runForTest([barred], clock);
    await clock.advance(0);
    expect(run.reported).toMatchObject([
      { kind: 'failure', reason: 'only root may read it', code: 'permission' },
    ]);
  });

  it('is started again after 1, 2, 4, 8, 16 and then always 30 seconds', async () => {
    const clock = new VirtualClock();
    const startedAtMs: number[] = [];
    const broken = gatherer('broken', ['memory'], () => {
      startedAtMs.push(clock.nowMs());
      return Promise.reject(new Error('no'));
    });
    await using _ = runForTest([broken], clock);
    await clock.advance(130_000);
    expect(startedAtMs).toEqual([0, 1_000, 3_000, 7_000, 15_000, 31_000, 61_000, 91_000, 121_000]);
  });

  it('is started again soon when it had worked for a while', async () => {
    const clock = new VirtualClock();
    const startedAtMs: number[] = [];
    const flaky = gatherer('flaky', ['disk'], async session => {
      startedAtMs.push(clock.nowMs());
      session.emit('test', { kind: 'disk', value: { volumes: [] } });
      await clock.sleep(startedAtMs.length < 4 ? 10 : 100_000, session.signal);
      throw new Error('broke');
    });
    await using _ = runForTest([flaky], clock);
    await clock.advance(110_000);
    const [, , , fourth = 0, fifth = 0] = startedAtMs;
    expect(fourth).toBe(7_030);
    expect(fifth - fourth).toBe(101_000);
  });

  it('may throw what is no error', async () => {
    const clock = new VirtualClock();
    const odd = gatherer('odd', ['memory'], () => Promise.reject('a text'));
    await using run = runForTest([odd], clock);
    await clock.advance(0);
    expect(run.reported).toMatchObject([{ kind: 'failure', reason: 'a text' }]);
  });

  it('may throw before it returns a promise', async () => {
    const clock = new VirtualClock();
    const rash = gatherer('rash', ['memory'], () => {
      throw new Error('at once');
    });
    await using run = runForTest([rash], clock);
    await clock.advance(0);
    expect(run.reported).toMatchObject([{ kind: 'failure', reason: 'at once' }]);
  });

  it('does not delay another, and neither does one that hangs', async () => {
    const clock = new VirtualClock();
    const broken = gatherer('broken', ['memory'], () => Promise.reject(new Error('no')));
    const hanging = gatherer('hanging', ['system'], session => clock.sleep(1e9, session.signal));
    const steady = gatherer('steady', ['disk'], session =>
      poll(session, 1_000, () => session.emit('test', { kind: 'disk', value: { volumes: [] } })),
    );
    await using run = runForTest([hanging, broken, steady], clock);
    await clock.advance(10_000);
    expect(run.reported.filter(({ kind }) => kind === 'reading')).toHaveLength(11);
  });
});

describe('a gatherer that has nothing to report', () => {
  it('reports it once and is not started again', async () => {
    const clock = new VirtualClock();
    let startCount = 0;
    const nothing = gatherer('nothing', ['thunderbolt'], async session => {
      startCount += 1;
      session.absent({ reading: 'thunderbolt', vendor: 'none' }, 'test', 'no controller');
    });
    await using run = runForTest([nothing], clock);
    await clock.advance(600_000);
    expect(startCount).toBe(1);
    expect(run.reported).toEqual([
      { kind: 'absence', about: 'thunderbolt', source: 'test', reason: 'no controller' },
    ]);
  });
});

describe('stopping', () => {
  it('ends gatherers that work, wait and back off, and lets nothing through afterwards', async () => {
    const clock = new VirtualClock();
    let late: (() => void) | undefined;
    const broken = gatherer('broken', ['memory'], () => Promise.reject(new Error('no')));
    const waiting = gatherer('waiting', ['disk'], async session => {
      late = () => session.emit('test', { kind: 'disk', value: { volumes: [] } });
      await clock.sleep(1e9, session.signal);
    });
    const run = runForTest([broken, waiting], clock);
    await clock.advance(10);
    const reportedCount = run.reported.length;
    await run[Symbol.asyncDispose]();
    late?.();
    expect(run.reported.length).toBe(reportedCount);
    expect(clock.sleeperCount).toBe(0);
  });
});

const gatherer = (
  name: string,
  kinds: readonly ReadingKind[],
  gather: (session: GatherSession) => Promise<void>,
): Gatherer => ({
  name,
  reports: kinds.map(reading => ({ reading, vendor: 'none' })),
  intervalMs: 1_000,
  gather,
});
