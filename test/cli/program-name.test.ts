import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { Command } from '../../src/cli/command.ts';
import { programName } from '../../src/cli/program-name.ts';
import { madeUpProcess } from '../support/made-up-process.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

describe('the name of the command', () => {
  const checkout = { root: '/src/plimsoll/', isCheckout: true, script: '/src/plimsoll/bin/plimsoll.js' };

  test('is what a person types where it runs', () => {
    expect(programName({ ...checkout, cwd: '/src/plimsoll' })).toBe('./plimsoll');
    expect(programName({ ...checkout, cwd: '/src' })).toBe('./plimsoll/plimsoll');
    expect(programName({ ...checkout, cwd: '/home/me' })).toBe('/src/plimsoll/plimsoll');
    expect(programName({ ...checkout, root: '/my src/', script: '/my src/bin/plimsoll.js', cwd: '/' })).toBe(
      "'./my src/plimsoll'",
    );
  });

  test('is plimsoll where it is installed, also as a link to a checkout', () => {
    expect(programName({ ...checkout, isCheckout: false, cwd: '/src/plimsoll' })).toBe('plimsoll');
    expect(programName({ ...checkout, script: '/usr/local/bin/plimsoll', cwd: '/home/me' })).toBe('plimsoll');
  });

  test('is in all that a person reads: help, advice, and what to try next', async () => {
    const of = async (...args: string[]) => {
      const made = madeUpProcess(args, { program: './plimsoll' });
      await made.run();
      return made.stdout.text + made.stderr.text;
    };
    expect(await of('up', '--help')).toContain('./plimsoll up --http 0.0.0.0:4180');
    expect(await of('--help')).toContain('./plimsoll COMMAND');
    expect(await of('statsu')).toContain('Did you mean: ./plimsoll status');
    expect(await of('watch', '--home', '/nowhere-at-all')).toContain('./plimsoll bench http://');
    expect(await of('up', '--help')).not.toMatch(/(?<!\/)\bplimsoll (up|status)/);
  });

  test('is in a text with colours too, and leaves room for it in the lines of help', async () => {
    const program = '/a/folder/with/a/long/path/plimsoll';
    const made = madeUpProcess(['bench', '--help', 'all'], { program });
    await made.run();
    const long = made.stdout.text
      .split('\n')
      .filter(line => line.length > 80 && !line.includes(`  ${program}`));
    expect(long).toEqual([]);
    const command: Command = {
      ...{ name: 'status', summary: '', description: '', arguments: [], options: [], examples: [] },
      run: async (_, { stdout }) => {
        await stdout.write('\u001b[1mplimsoll up\u001b[0m, or plimsoll top\n\u001b[Hplimsoll up');
        await stdout.write('\u001b[2mplimsoll up\u001b[0m');
        return 0;
      },
    };
    const coloured = madeUpProcess(['status'], { program: './plimsoll' });
    await coloured.run([command]);
    expect(coloured.stdout.text).toBe(
      '\u001b[1mplimsoll up\u001b[0m, or plimsoll top\n\u001b[Hplimsoll up\u001b[2m./plimsoll up\u001b[0m',
    );
  });

  test('works as it is written: ./plimsoll, from any folder', async () => {
    using folder = temporaryDirectory();
    const launcher = join(repositoryRoot, 'plimsoll');
    const { stdout } = await promisify(execFile)(launcher, ['--version'], { cwd: folder.path });
    expect(stdout.trim()).toMatch(/^\d+\.\d+\.\d+$/);
  });
});

describe('where to listen', () => {
  test.for(['up', 'demo'])(
    '%s refuses --http and --port together, and a port that is none',
    async command => {
      const both = madeUpProcess([command, '--http', '4190', '--port', '4190']);
      expect(await both.run()).toBe(2);
      expect(both.stderr.text).toContain('--http and --port cannot be combined');
      const none = madeUpProcess([command, '--port', '70000']);
      expect(await none.run()).toBe(2);
    },
  );

  test.for([
    ['--http', '0'],
    ['--port', '0'],
    ['--http', '127.0.0.1:0'],
  ])('mock understands %s %s', async args => {
    const mock = madeUpProcess(['mock', ...args]);
    const ended = mock.run();
    await mock.stdout.until(/at http:\/\/127\.0\.0\.1:\d+/);
    mock.stop('SIGINT');
    expect(await ended).toBe(0);
  });

  test.for([
    ['--http', '0'],
    ['--port', '0'],
  ])('up understands %s %s', async args => {
    using folder = temporaryDirectory();
    const up = madeUpProcess(['up', ...args, '--home', folder.path, '--no-open', '--probes', 'off'], {
      program: './plimsoll',
    });
    const ended = up.run();
    await up.stdout.until(/Dashboard: http:\/\/127\.0\.0\.1:\d+/);
    const [, url = ''] = /Dashboard: (http:\/\/127\.0\.0\.1:\d+)/.exec(up.stdout.text) ?? [];
    const reported = await (await fetch(`${url}/api/daemon`)).json();
    expect(reported, 'what the page writes before its commands').toMatchObject({ program: './plimsoll' });
    up.stop('SIGINT');
    expect(await ended).toBe(0);
  });
});
