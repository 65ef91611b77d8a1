import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { spawnMock } from '../../../src/mock/spawn-mock.ts';
import { isLongRun } from '../../support/counts.ts';
import { madeUpProcess } from '../../support/made-up-process.ts';
import { PROGRAM } from '../../support/program.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { benchHere, exitName, readReport } from './bench-here.ts';
import { spawnBench } from './bench-process.ts';

const startMock = (outputTokens: number) =>
  spawnMock({ ttftMs: 20, gapMs: 5, outputTokens }, { nodePath: process.execPath, env: process.env });

const watch = (home: string, run: readonly string[], isTerminal: boolean) =>
  madeUpProcess(['watch', ...run, '--home', home], { isTerminal, columns: 100, rows: 60 });

describe('plimsoll watch', { timeout: 120_000 }, () => {
  test('shows a run that goes on as its own terminal does, and then its report', async () => {
    using folder = temporaryDirectory();
    const home = join(folder.path, 'home');
    await using mock = await startMock(10);
    const watching = watch(home, [], true);
    const watched: Promise<number>[] = [];
    const run = await benchHere(folder.path, [mock.url, '--duration', '3s', '--concurrency', '4'], {
      isTerminal: true,
      during: async ({ stdout }) => {
        await stdout.until(/TTFT/);
        watched.push(watching.run());
        await watching.stdout.until(/TTFT/);
      },
    });
    expect(run.exit).toBe('ok');
    expect(await Promise.all(watched)).toEqual([0]);
    for (const text of [run.stdout, watching.stdout.text]) {
      expect(text).toContain('4 at a time');
      expect(text).toMatch(/█/);
      expect(text).toMatch(/TTFT, logarithmic/);
      expect(text).toContain('busiest thread');
      // The terminal is given back before the report is printed on it.
      const back = text.lastIndexOf('\u001b[?1049l');
      expect(back).toBeGreaterThan(text.lastIndexOf('\u001b[?1049h'));
      expect(text.indexOf('TTFT p50')).toBeGreaterThan(back);
    }
    expect(watching.stdout.text).toContain('The run has ended');
    // Nothing is left of it among the live ones.
    expect(readdirSync(join(home, 'live-runs'))).toEqual([]);
  });

  test('shows the time of the run and not its own when it comes late, and leaves the other clock alone', async ({
    skip,
  }) => {
    if (!isLongRun) skip('one more run: in the long run');
    using folder = temporaryDirectory();
    const home = join(folder.path, 'home');
    await using mock = await startMock(10);
    const watching = watch(home, [], false);
    const watched: Promise<number>[] = [];
    const run = await benchHere(folder.path, [mock.url, '--duration', '6s', '--concurrency', '4'], {
      during: async ({ stdout }) => {
        await stdout.until(/^0:03 measuring/m);
        watched.push(watching.run());
        await watching.stdout.until(/measuring/);
      },
    });
    expect(await Promise.all(watched)).toEqual([0]);
    const clocks = (text: string): readonly number[] =>
      [...text.matchAll(/^0:(\d\d) measuring/gm)].map(([, seconds]) => Number(seconds));
    expect(clocks(watching.stdout.text)[0]).toBeGreaterThanOrEqual(3);
    const own = clocks(run.stdout);
    expect(own).toEqual(own.toSorted((a, b) => a - b));
  });

  test('of a run that has ended shows its report, by id, by directory, or as the newest', async () => {
    using folder = temporaryDirectory();
    const home = join(folder.path, 'home');
    await using mock = await startMock(3);
    const ran = madeUpProcess(['bench', mock.url, '--requests', '4', '--home', home, '--quiet']);
    expect(await ran.run()).toBe(0);
    const [id = ''] = readdirSync(join(home, 'runs'));
    const directory = join(home, 'runs', id);
    expect(readReport(directory).run.id).toBe(id);
    for (const run of [[], [id], [directory]]) {
      const watching = watch(home, run, false);
      expect(await watching.run()).toBe(0);
      expect(watching.stdout.text).toContain('ended');
      expect(watching.stdout.text).toContain(`Run ${id}`);
    }
  });

  test('reports that there is no run, and clears away what a killed one left', async () => {
    using folder = temporaryDirectory();
    const none = watch(folder.path, [], false);
    expect(exitName(await none.run())).toBe('usage');
    expect(none.stderr.text).toMatch(/there is no run to watch\nStart one/);
    const live = join(folder.path, 'live-runs');
    mkdirSync(live);
    const leftover = {
      schema: 'plimsoll.live-run/1',
      runId: 'gone',
      pid: 2 ** 22,
      directory: join(folder.path, 'gone'),
      snapshotsEndpoint: 'ipc:///nowhere',
      startedAt: '2026-01-01T00:00:00.000Z',
      samplesMax: null,
      durationMs: 1_000,
    };
    writeFileSync(join(live, 'gone.json'), JSON.stringify(leftover));
    writeFileSync(join(live, 'torn.json'), '{"schema":');
    const wrong = watch(folder.path, ['gone'], false);
    expect(exitName(await wrong.run())).toBe('usage');
    expect(wrong.stderr.text).toContain('there is no run "gone"');
    expect(readdirSync(live)).toEqual(['torn.json']);
  });

  test('ends on Ctrl-C without ending the run, and one that never reads holds nobody back', async context => {
    if (!isLongRun) context.skip('a run that outlives its viewers: in npm run test:long');
    if (process.platform !== 'linux') context.skip('children are found in /proc, which only Linux has');
    using folder = temporaryDirectory();
    await using mock = await startMock(10);
    await using run = spawnBench(folder.path, [mock.url, '--duration', '4s', '--concurrency', '4']);
    await run.until(/measuring · \d+ issued · [1-9]/);
    const watchers = [0, 1].map(() =>
      spawn(process.execPath, [PROGRAM, 'watch', '--home', run.home], {
        stdio: ['ignore', 'pipe', 'inherit'],
      }),
    );
    const [leaver, sleeper] = watchers;
    if (leaver === undefined || sleeper === undefined) throw new Error('no watchers');
    await Promise.all(watchers.map(({ stdout }) => new Promise(resolve => stdout?.once('data', resolve))));
    sleeper.kill('SIGSTOP');
    leaver.kill('SIGINT');
    expect(await new Promise(resolve => leaver.once('exit', resolve))).toBe(0);
    expect(exitName(await run.ended)).toBe('ok');
    expect(readReport(run.directory)).toMatchObject({ complete: true, droppedEvents: 0 });
    sleeper.kill('SIGKILL');
    await new Promise(resolve => sleeper.once('close', resolve));
  });
});
