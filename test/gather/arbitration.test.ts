// Two sources of the same reading: the better one is used while it is current, the other one replaces it otherwise.

import { describe, expect, it } from 'vitest';
import type { Reading } from '../../src/core/node/reading.ts';
import { type Unknown, unknown } from '../../src/core/unknown.ts';
import { SILENCE_CHECK_MS, SILENT_MS_MIN } from '../../src/gather/arbitration.ts';
import type { GatheredKind, Gatherer, GatherSession } from '../../src/gather/gatherer.ts';
import { poll } from '../../src/gather/poll.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { type ReportedState, runForTest } from './gatherer-run.ts';

describe('the better of two sources', () => {
  it('is used alone while it is current, and the other one is not even started', async () => {
    const { better, worse, run, clock } = start();
    await using _ = run;
    await clock.advance(3_000);
    expect(sourcesOf(run.reported)).toEqual(['better', 'better', 'better', 'better']);
    expect([better.starts, worse.starts]).toEqual([1, 0]);
  });

  it('is replaced at once when it fails, by one that reports it', async () => {
    const { better, worse, run, clock } = start();
    await using _ = run;
    await clock.advance(1_500);
    better.breakDown('lost its sensor');
    await clock.advance(600);
    expect(sourcesOf(run.reported)).toEqual(['better', 'better', 'worse, instead of better']);
    expect(worse.fallbackReason).toEqual(unknown('lost its sensor'));
    expect(run.reported.filter(({ kind }) => kind !== 'reading')).toEqual([]);
  });

  it('is used again as soon as it reports again, and the other one stops', async () => {
    const { better, worse, run, clock } = start();
    await using _ = run;
    better.breakDown('lost its sensor');
    await clock.advance(900);
    better.repair();
    await clock.advance(100);
    const from = run.reported.length;
    await clock.advance(2_000);
    expect(sourcesOf(run.reported.slice(from - 1))).toEqual(['better', 'better', 'better']);
    expect(worse.isRunning).toBe(false);
    better.breakDown('lost it again');
    await clock.advance(1);
    expect(worse.starts).toBe(2);
  });

  it('is replaced when it falls silent, and used again when it reports', async () => {
    const { better, run, clock } = start();
    await using _ = run;
    await clock.advance(500);
    better.silence();
    await clock.advance(SILENT_MS_MIN - 501);
    expect(sourcesOf(run.reported)).toEqual(['better']);
    await clock.advance(SILENCE_CHECK_MS);
    expect(sourcesOf(run.reported).at(-1)).toBe('worse, instead of better');
    better.repair();
    await clock.advance(1_000);
    expect(sourcesOf(run.reported).at(-1)).toBe('better');
  });

  it('is not called silent before two and a half of its intervals', async () => {
    const { run, clock } = start({ intervalMs: 30_000 });
    await using _ = run;
    await clock.advance(300_000);
    expect(new Set(sourcesOf(run.reported))).toEqual(new Set(['better']));
  });

  it('that cannot have one reading for a while is replaced for as long', async () => {
    const { better, run, clock } = start();
    await using _ = run;
    await clock.advance(500);
    better.cannot('asked too soon');
    await clock.advance(1_000);
    expect(sourcesOf(run.reported).at(-1)).toBe('worse, instead of better');
    better.repair();
    await clock.advance(1_000);
    expect(sourcesOf(run.reported).at(-1)).toBe('better');
  });

  it('that has nothing on this machine leaves the word to the other, which has nothing to explain', async () => {
    const { run, clock } = start({ better: 'absent' });
    await using _ = run;
    await clock.advance(1_000);
    expect(run.reported).toMatchObject([{ source: 'worse' }, { source: 'worse' }]);
  });
});

describe('two sources of which neither reports', () => {
  it('fail with the reasons of both', async () => {
    const { better, worse, run, clock } = start();
    await using _ = run;
    worse.breakDown('is not installed');
    better.breakDown('lost its sensor');
    await clock.advance(1);
    expect(run.reported).toEqual([
      {
        kind: 'failure',
        about: 'memory',
        source: 'better',
        reason: 'better: lost its sensor; worse: is not installed',
      },
    ]);
  });

  it('fail with the one reason that both have', async () => {
    const { better, worse, run, clock } = start();
    await using _ = run;
    worse.breakDown('no driver');
    better.breakDown('no driver');
    await clock.advance(1);
    expect(run.reported).toMatchObject([{ source: 'better', reason: 'no driver' }]);
  });

  it('fail with the reason of the one that ought to be there', async () => {
    const { worse, run, clock } = start({ better: 'absent' });
    await using _ = run;
    worse.breakDown('no driver');
    await clock.advance(1);
    expect(run.reported).toMatchObject([{ kind: 'failure', source: 'worse', reason: 'no driver' }]);
  });

  it('report once that there is nothing, and are over', async () => {
    const { run, clock } = start({ better: 'absent', worse: 'absent' });
    await using _ = run;
    await clock.advance(1);
    expect(run.reported).toEqual([
      { kind: 'absence', about: 'memory', source: 'worse', reason: 'worse has nothing' },
    ]);
    await run.ended;
    expect(clock.sleeperCount).toBe(0);
  });

  it('fail with the reason of the better one where the other ends without a word', async () => {
    const { better, run, clock } = start({ worse: 'mute' });
    await using _ = run;
    better.breakDown('lost its sensor');
    await clock.advance(1);
    expect(run.reported).toMatchObject([{ kind: 'failure', source: 'better', reason: 'lost its sensor' }]);
  });

  it('are not taken for failed when the last one only falls silent', async () => {
    const { worse, run, clock } = start({ better: 'absent' });
    await using _ = run;
    await clock.advance(500);
    worse.silence();
    await clock.advance(60_000);
    expect(run.reported).toMatchObject([{ kind: 'reading', source: 'worse' }]);
  });

  it('get another chance: one that failed before is a stand-in the next time', async () => {
    const { better, worse, run, clock } = start();
    await using _ = run;
    worse.breakDown('no');
    better.breakDown('no');
    await clock.advance(500);
    worse.repair();
    better.repair();
    await clock.advance(3_000);
    expect(sourcesOf(run.reported).at(-1)).toBe('better');
    await clock.advance(60_000);
    const from = run.reported.length;
    better.breakDown('lost it again');
    await clock.advance(1);
    expect(run.reported.slice(from)).toMatchObject([{ source: 'worse, instead of better' }]);
  });

  it('are both tried again, each with its own patience', async () => {
    const { better, worse, run, clock } = start();
    await using _ = run;
    worse.breakDown('no');
    better.breakDown('no');
    await clock.advance(7_500);
    expect([better.starts, worse.starts]).toEqual([4, 4]);
    worse.repair();
    await clock.advance(8_000);
    expect(sourcesOf(run.reported).at(-1)).toBe('worse, instead of better');
  });
});

describe('a source of several readings', () => {
  it('is a stand-in only where it is needed', async () => {
    const clock = new VirtualClock();
    const better = new Source('better', { kinds: ['memory'] });
    const both = new Source('both', { kinds: ['memory', 'disk'] });
    await using run = runForTest([better.gatherer, both.gatherer], clock);
    await clock.advance(0);
    expect(run.reported.map(({ source }) => source)).toEqual(['better', 'both']);
    better.breakDown('gone');
    await clock.advance(1_000);
    expect(new Set(sourcesOf(run.reported, 'memory'))).toEqual(
      new Set(['better', 'both, instead of better']),
    );
    expect(new Set(sourcesOf(run.reported, 'disk'))).toEqual(new Set(['both']));
  });

  it('does not complain where a better one is received', async () => {
    const clock = new VirtualClock();
    const better = new Source('better', { kinds: ['memory'] });
    const both = new Source('both', { kinds: ['memory', 'disk'] });
    await using run = runForTest([better.gatherer, both.gatherer], clock);
    await clock.advance(100);
    both.cannot('not now');
    await clock.advance(1_000);
    expect(run.reported.filter(({ kind }) => kind === 'failure')).toMatchObject([{ about: 'disk' }]);
  });

  it('that reports what it does not declare is broken', async () => {
    const clock = new VirtualClock();
    const source = new Source('memory', { kinds: ['memory'], emits: ['disk'] });
    await using run = runForTest([source.gatherer], clock);
    await clock.advance(0);
    expect(run.reported).toMatchObject([
      { kind: 'failure', about: 'memory', reason: 'memory does not declare that it reports "disk"' },
    ]);
  });
});

describe('stopping', () => {
  it('ends the one that works and the one that waits', async () => {
    const { worse, run, clock } = start();
    await clock.advance(100);
    await run[Symbol.asyncDispose]();
    expect(worse.starts).toBe(0);
    expect(clock.sleeperCount).toBe(0);
  });
});

type TestKind = 'memory' | 'disk';

interface SourceOptions {
  readonly kinds: readonly TestKind[];
  readonly emits?: readonly TestKind[];
  readonly intervalMs?: number;
  /** Ends at once, with or without saying that there is nothing. */
  readonly nothing?: 'absent' | 'mute' | undefined;
}

/** A source that reports at its interval, and can be made to break down, to go silent and to continue. */
class Source {
  starts = 0;
  isRunning = false;
  fallbackReason: Unknown | undefined;
  readonly gatherer: Gatherer;
  #state: 'well' | 'silent' | { readonly isThrown: boolean; readonly reason: string } = 'well';
  #upset = Promise.withResolvers<void>();

  constructor(name: string, { kinds, emits = kinds, intervalMs = 1_000, nothing }: SourceOptions) {
    const reports: readonly GatheredKind[] = kinds.map(reading => ({ reading, vendor: 'none' }));
    this.gatherer = {
      name,
      reports,
      intervalMs,
      gather: async session => {
        this.starts += 1;
        if (nothing === 'absent') {
          for (const kind of reports) session.absent(kind, name, `${name} has nothing`);
        }
        if (nothing !== undefined) return;
        this.isRunning = true;
        try {
          await this.#work(session, name, { reports, emits, intervalMs });
        } finally {
          this.isRunning = false;
        }
      },
    };
  }

  breakDown(reason: string): void {
    this.#state = { isThrown: true, reason };
    this.#upset.resolve();
  }

  /** Fails at each reading, and goes on. */
  cannot(reason: string): void {
    this.#state = { isThrown: false, reason };
  }

  silence(): void {
    this.#state = 'silent';
  }

  repair(): void {
    this.#state = 'well';
    this.#upset = Promise.withResolvers();
  }

  async #work(
    session: GatherSession,
    name: string,
    {
      reports,
      emits,
      intervalMs,
    }: {
      readonly reports: readonly GatheredKind[];
      readonly emits: readonly TestKind[];
      readonly intervalMs: number;
    },
  ): Promise<void> {
    const look = (): void => {
      const state = this.#state;
      this.fallbackReason = session.fallbackReason();
      if (state === 'silent') return;
      if (state === 'well') for (const kind of emits) session.emit(name, readingOf(kind));
      else if (state.isThrown) throw new Error(state.reason);
      else for (const kind of reports) session.fail(kind, name, state.reason);
    };
    await Promise.race([poll(session, intervalMs, look), this.#upset.promise.then(look)]);
  }
}

const readingOf = (kind: TestKind): Reading =>
  kind === 'disk'
    ? { kind, value: { volumes: [] } }
    : {
        kind,
        value: {
          totalBytes: 1,
          availableBytes: 1,
          swapTotalBytes: 0,
          swapUsedBytes: 0,
          pressure: { level: 'normal', stalledShare: 0 },
          container: { kind: 'none' },
        },
      };

const start = ({
  better: betterIs,
  worse: worseIs,
  intervalMs = 1_000,
}: {
  readonly better?: 'absent';
  readonly worse?: 'absent' | 'mute';
  readonly intervalMs?: number;
} = {}) => {
  const clock = new VirtualClock();
  const kinds = ['memory'] as const;
  const better = new Source('better', { kinds, intervalMs, nothing: betterIs });
  const worse = new Source('worse', { kinds, intervalMs, nothing: worseIs });
  return { better, worse, clock, run: runForTest([better.gatherer, worse.gatherer], clock) };
};

/** The source of each reading, in order. */
const sourcesOf = (reported: readonly ReportedState[], kind?: TestKind): readonly string[] =>
  reported.flatMap(entry =>
    entry.kind === 'reading' && (kind === undefined || entry.reading.kind === kind) ? [entry.source] : [],
  );
