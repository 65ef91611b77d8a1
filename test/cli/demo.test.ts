import { existsSync } from 'node:fs';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { commandsFor } from '../../src/cli/commands.ts';
import { EXIT_CODES } from '../../src/cli/exit-codes.ts';
import { runCommand } from '../../src/cli/run-command.ts';
import { isUnknown } from '../../src/core/unknown.ts';
import { runAnswerSchema, runSeriesAnswerSchema, runsAnswerSchema } from '../../src/wire/api/run-answers.ts';
import { madeUpProcess } from '../support/made-up-process.ts';

describe('plimsoll demo', () => {
  test('serves a simulated cluster from a home of its own, which is gone afterwards', async () => {
    const demo = madeUpProcess(['demo', '--nodes', '3', '--no-bench', '--no-open', '--http', '127.0.0.1:0']);
    const running = demo.run();
    await demo.stdout.until(/Ctrl-C stops it/);
    const [, url = ''] = /^Dashboard: ([^#\s]+)$/m.exec(demo.stdout.text) ?? [];
    const [, home = ''] = /--home (\S+)$/m.exec(demo.stdout.text) ?? [];
    expect(demo.stdout.text).toContain('none of them is real');
    expect(existsSync(home)).toBe(true);
    expect(await (await fetch(`${url}healthz`)).text()).toContain('ok');
    demo.stop('SIGINT');
    expect(await running).toBe(EXIT_CODES.ok.code);
    expect(existsSync(home)).toBe(false);
    await expect(fetch(`${url}healthz`)).rejects.toThrow();
  });

  test('has a mesh of which doctor names every node', async () => {
    const demo = madeUpProcess(['demo', '--nodes', '3', '--no-bench', '--no-open', '--http', '127.0.0.1:0']);
    const running = demo.run();
    await demo.stdout.until(/Ctrl-C stops it/);
    const [, home = ''] = /--home (\S+)$/m.exec(demo.stdout.text) ?? [];
    const doctor = madeUpProcess(['doctor', '--home', home, '--json']);
    await doctor.run();
    const { checks }: { checks: { section: string; verdict: string; text: string }[] } = JSON.parse(
      doctor.stdout.text,
    );
    const mesh = checks.filter(({ section }) => section === 'mesh').map(({ text }) => text);
    expect(mesh[0]).toBe('it is simulated, in the memory of this daemon: 3 nodes');
    expect(mesh).toHaveLength(3);
    demo.stop('SIGINT');
    expect(await running).toBe(EXIT_CODES.ok.code);
  });

  test('has past runs whose figures agree with their samples and reports, which its daemon holds', async () => {
    const demo = madeUpProcess(['demo', '--nodes', '8', '--no-bench', '--no-open', '--http', '127.0.0.1:0']);
    const running = demo.run();
    await demo.stdout.until(/Ctrl-C stops it/);
    const [, url = ''] = /^Dashboard: ([^#\s]+)$/m.exec(demo.stdout.text) ?? [];
    const json = async (path: string): Promise<unknown> => await (await fetch(`${url}${path}`)).json();
    const past = async () =>
      v.parse(runsAnswerSchema, await json('api/runs')).runs.filter(({ run }) => isUnknown(run.sweep));
    await expect.poll(async () => (await past()).length, { timeout: 30_000 }).toBe(6);
    for (const { run } of await past()) {
      const { report } = v.parse(runAnswerSchema, await json(`api/runs/${run.runId}`));
      expect(isUnknown(run.figures) ? undefined : run.figures.counts).toEqual(report?.counts);
      const { series } = v.parse(runSeriesAnswerSchema, await json(`api/runs/${run.runId}/series`));
      expect(series.requestsPerSecond.length).toBeGreaterThan(30);
    }
    demo.stop('SIGINT');
    expect(await running).toBe(EXIT_CODES.ok.code);
  });

  test('without a folder for temporary files reports what to do', async () => {
    const demo = madeUpProcess(['demo', '--no-bench', '--no-open', '--http', '127.0.0.1:0']);
    const state = { ...demo.state, temporaryFolder: '/nonexistent' };
    expect(await runCommand(await commandsFor(state.args), state)).toBe(EXIT_CODES.homeUnusable.code);
    expect(demo.stderr.text).toMatch(/cannot create its home: ENOENT.*\n.*TMPDIR/);
  });

  test.each(['0', '1001', 'eight', '-3', '2.5', ''])(
    'with --nodes %j is refused with what to write',
    async count => {
      const demo = madeUpProcess(['demo', `--nodes=${count}`]);
      expect(await demo.run()).toBe(EXIT_CODES.usage.code);
      expect(demo.stderr.text).toContain('whole number from 1 to 1000');
      expect(demo.stderr.text.trimEnd().split('\n')).toHaveLength(2);
    },
  );
});

describe('plimsoll up --replay', () => {
  test.each([
    [['--replay', '/nonexistent'], 'recording', /cannot be read: ENOENT.*\n.*plimsoll record/],
    [['--replay', '/dev/null'], 'recording', /not a regular file.*\n.*plimsoll record/],
    [['--replay', 'x', '--speed', '0'], 'usage', /--speed.*\n.*--speed 10/],
    [['--replay', 'x', '--speed', 'fast'], 'usage', /--speed.*\n.*--speed 10/],
    [['--speed', '10'], 'usage', /--speed without --replay.*\n.*--replay FILE/],
    [['--replay', 'x', '--once'], 'usage', /--once and --replay.*\n/],
  ] as const)('%j is refused', async (args, exit, reported) => {
    const up = madeUpProcess(['up', '--no-open', '--http', '127.0.0.1:0', ...args]);
    expect(await up.run()).toBe(EXIT_CODES[exit].code);
    expect(up.stderr.text).toMatch(reported);
    expect(up.stderr.text.trimEnd().split('\n')).toHaveLength(2);
  });
});

describe('plimsoll record', () => {
  test('without a daemon reports how to start one', async () => {
    const record = madeUpProcess(['record', '/nonexistent/file', '--home', '/nonexistent/home']);
    expect(await record.run()).toBe(EXIT_CODES.noDaemon.code);
    expect(record.stderr.text).toContain('plimsoll up');
  });

  test.each(['0s', '169h', 'long'])('with --duration %s is refused', async duration => {
    const record = madeUpProcess(['record', 'file', `--duration=${duration}`]);
    expect(await record.run()).toBe(EXIT_CODES.usage.code);
  });
});
