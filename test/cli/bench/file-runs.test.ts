import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { madeUpProcess } from '../../support/made-up-process.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const runOf = async (args: readonly string[]) => {
  const { run, stdout, stderr } = madeUpProcess(['bench', ...args]);
  return { exit: await run(), stdout: stdout.text, stderr: stderr.text };
};

test.each([
  ['requests = 1\n[matrix]\nconcurrency = [1, "x"]\n', 'concurrency=x: --concurrency: "x" is not', 2],
  [
    'requests = 1\nout = "/nowhere"\n[matrix]\nconcurrency = [1, 2]\n',
    '--out /nowhere is the directory of one run',
    2,
  ],
  ['requests = 1\n[[runs]]\n[[runs]]\nurl = "h:2"\n', 'url=h:2: the URL is not one', 2],
  ['concurrency = 1\nrate = 2\n', 'cannot be combined', 2],
])('a file that cannot be run as a whole starts no run: %j', async (text, problem, code) => {
  using folder = temporaryDirectory();
  const file = join(folder.path, 'a.toml');
  writeFileSync(file, `url = "http://127.0.0.1:1"\n${text}`);
  const { exit, stderr } = await runOf([file]);
  expect(stderr).toContain(problem);
  expect(stderr).toContain('a.toml');
  expect(stderr).not.toContain('run 1 of');
  expect(exit).toBe(code);
});

test('the URL of the command line replaces that of the file', async () => {
  using folder = temporaryDirectory();
  const file = join(folder.path, 'a.toml');
  writeFileSync(file, 'url = "http://127.0.0.1:1"\nrequests = 1\n');
  const { stderr } = await runOf([file, 'ftp://h', '--home', folder.path]);
  expect(stderr).toContain('starts with http:// or https://');
  expect(stderr).not.toContain('127.0.0.1:1"');
});

test('a saved command has no password of its URL', async () => {
  using folder = temporaryDirectory();
  const file = join(folder.path, 'a.toml');
  const { exit, stderr } = await runOf(['http://u:pw123@h:1', '--requests', '5', '--save', file]);
  expect(exit).toBe(0);
  expect(readFileSync(file, 'utf8')).toBe('url = "http://h:1"\nrequests = "5"\n');
  expect(stderr).toContain('the URL with its password');
});

test.each([
  [['h:1', '--requests', '5'], 'http'],
  [['b.toml'], 'b.toml is a file of runs already'],
])('a command that cannot run is not saved: %j', async (args, problem) => {
  using folder = temporaryDirectory();
  const file = join(folder.path, 'a.toml');
  const { exit, stderr } = await runOf([...args, '--save', file]);
  expect(exit).toBe(2);
  expect(stderr).toContain(problem);
  expect(existsSync(file)).toBe(false);
});

test('a command is not saved under a name that no command reads', async () => {
  using folder = temporaryDirectory();
  const file = join(folder.path, 'a.txt');
  const { stderr } = await runOf(['http://h:1', '--requests', '5', '--save', file]);
  expect(stderr).toContain('ends in .toml, .yaml or .json');
  expect(existsSync(file)).toBe(false);
});
