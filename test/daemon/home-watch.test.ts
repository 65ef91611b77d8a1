import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock/system-clock.ts';
import { startDaemon } from '../../src/daemon/daemon.ts';
import { HOME_LOOK_MS, watchHome } from '../../src/daemon/home-watch.ts';
import { Notices } from '../../src/daemon/notices.ts';
import type { Notice, NoticeCode } from '../../src/wire/notice.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plimsoll-home-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a daemon whose files are taken away while it runs', () => {
  it('reports that its journal was removed, and works on', async () => {
    const raised = Promise.withResolvers<Notice>();
    await using daemon = await startDaemon(
      {
        home: join(folder, 'home'),
        env: process.env,
        http: { host: '127.0.0.1', port: 0 },
        name: undefined,
        mesh: { keyFile: undefined, listen: 'off', peers: [] },
        clock: {
          ...systemClock,
          sleep: (ms, signal) => systemClock.sleep(ms === HOME_LOOK_MS ? 50 : ms, signal),
        },
        platform: process.platform,
        root: '/',
        version: '0.0.0',
        dashboardDir: undefined,
        pid: process.pid,
        resources: () => ({ cpuSeconds: 0, residentBytes: 0 }),
        onNotice: notice => {
          if (notice.code === 'journal-gone') raised.resolve(notice);
        },
      },
      new AbortController().signal,
    );
    await daemon.whenFirstReadings(AbortSignal.timeout(30_000));
    for (const suffix of ['', '-wal', '-shm'])
      rmSync(join(folder, 'home', `journal.sqlite${suffix}`), { force: true });
    expect(await raised.promise).toMatchObject({
      path: join(folder, 'home', 'journal.sqlite'),
      change: 'gone',
      problem: expect.stringMatching(
        /^The journal .*journal\.sqlite was removed while the daemon is running/,
      ),
      advice: expect.stringContaining('restart the daemon: it starts a new journal'),
    });
    const before = daemon.state.origins[daemon.nodeId]?.seq ?? 0;
    writeFileSync(join(folder, 'home', 'config.toml'), 'tags = ["after"]\n');
    while ((daemon.state.origins[daemon.nodeId]?.seq ?? 0) === before)
      await systemClock.sleep(20, AbortSignal.timeout(30_000));
    expect((await fetch(`${daemon.url}/healthz`)).status).toBe(200);
    expect(daemon.notices.map(({ code }) => code)).toContain('journal-gone');
  });

  it('reports that another file is in the place of its journal, and takes that back when the file is back', async () => {
    await using look = await Looking.at(folder);
    writeFileSync(look.journal, 'mine');
    await look.begin();
    renameSync(look.journal, `${look.journal}.moved`);
    writeFileSync(look.journal, 'another');
    await look.until('journal-gone', 'replaced');
    renameSync(`${look.journal}.moved`, look.journal);
    await look.untilNothing();
  });

  it('reports that its home was moved away, with one notice and not two', async () => {
    await using look = await Looking.at(folder);
    writeFileSync(look.journal, 'mine');
    await look.begin();
    renameSync(look.home, `${look.home}-moved`);
    await look.until('home-gone', 'gone');
    await mkdir(look.home);
    await look.until('home-gone', 'replaced');
    rmSync(look.home, { recursive: true });
    renameSync(`${look.home}-moved`, look.home);
    await look.untilNothing();
  });

  it('misses no journal that was never on disk', async () => {
    await using look = await Looking.at(folder);
    await look.begin();
    await look.turn();
    await look.turn();
    expect(look.notices.all).toEqual([]);
  });
});

/** Looks at the home only when the test calls `turn()`: the clock does not advance in between. */
class Looking implements AsyncDisposable {
  readonly home: string;
  readonly journal: string;
  readonly notices: Notices = new Notices(() => undefined);
  readonly #stop = new AbortController();
  #asleep = Promise.withResolvers<() => void>();
  #work: Promise<void> = Promise.resolve();

  static async at(parent: string): Promise<Looking> {
    const looking = new Looking(join(parent, 'home'));
    await mkdir(looking.home);
    return looking;
  }

  private constructor(home: string) {
    this.home = home;
    this.journal = join(home, 'journal.sqlite');
  }

  /** What is there now is what was opened. */
  async begin(): Promise<void> {
    const { home, notices } = this;
    const clock = {
      nowMs: () => 0,
      wallMs: () => 0,
      sleep: (_durationMs: number, signal: AbortSignal): Promise<void> => {
        const woken = Promise.withResolvers<void>();
        signal.addEventListener('abort', () => woken.reject(signal.reason), { once: true });
        this.#asleep.resolve(() => woken.resolve());
        return woken.promise;
      },
    };
    this.#work = watchHome({ home, clock, notices }, this.#stop.signal);
    await this.#asleep.promise;
  }

  /** One look, to its end. */
  async turn(): Promise<void> {
    const wake = await this.#asleep.promise;
    this.#asleep = Promise.withResolvers();
    wake();
    await this.#asleep.promise;
  }

  async until(code: NoticeCode, change: string): Promise<void> {
    await this.turn();
    expect(this.notices.all).toMatchObject([{ code, change }]);
  }

  async untilNothing(): Promise<void> {
    await this.turn();
    expect(this.notices.all).toEqual([]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#work;
  }
}
