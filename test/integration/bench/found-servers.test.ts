// `plimsoll bench` without a URL, next to a server that config.toml names; and with a file of options instead.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { benchCommand } from '../../../src/cli/commands/bench.ts';
import { EXIT_CODES } from '../../../src/cli/exit-codes.ts';
import { runCommand } from '../../../src/cli/run-command.ts';
import { spawnMock } from '../../../src/mock/spawn-mock.ts';
import { madeUpProcess } from '../../support/made-up-process.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const startMock = () =>
  spawnMock({ ttftMs: 20, gapMs: 1, outputTokens: 5 }, { nodePath: process.execPath, env: process.env });

const homeWith = (folder: string, url: string): string => {
  const home = join(folder, 'home');
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, 'config.toml'), `[[endpoints]]\nurl = "${url}"\n`);
  return home;
};

test('lists the servers that it finds, and prints the command where nobody can choose', async () => {
  using folder = temporaryDirectory();
  await using mock = await startMock();
  const home = homeWith(folder.path, mock.url);
  const { run, stderr } = madeUpProcess(['bench', '--num-prompts', '2', '--home', home]);
  expect(await run()).toBe(EXIT_CODES.usage.code);
  expect(stderr.text).toMatch(new RegExp(`1 +${mock.url} +Plimsoll mock +mock-model`));
  expect(stderr.text).toContain(`Write: plimsoll bench ${mock.url} --requests 2 --home ${home}`);
});

test('loads the server that the person chooses', async () => {
  using folder = temporaryDirectory();
  await using mock = await startMock();
  const args = ['bench', '--requests', '2', '--events', 'off', '--home', homeWith(folder.path, mock.url)];
  const { run, stdout } = madeUpProcess(args, { isTerminal: true, input: '1\n' });
  expect(await run()).toBe(EXIT_CODES.ok.code);
  expect(stdout.text).toContain(mock.url);
  const wrong = madeUpProcess(args, { isTerminal: true, input: '99\n' });
  expect(await wrong.run()).toBe(EXIT_CODES.usage.code);
  expect(wrong.stderr.text).toContain('"99" is not in the list');
});

test('ends at Ctrl-C as any other command, without an error', async () => {
  using folder = temporaryDirectory();
  await using mock = await startMock();
  const given = madeUpProcess(['bench', '--home', homeWith(folder.path, mock.url)], { isTerminal: true });
  const code = await runCommand([benchCommand], {
    ...given.state,
    // Nobody answers before the signal, which ends standard input.
    inputLines: async function* () {
      given.stop('SIGINT');
      yield* [];
    },
  });
  expect(code).toBe(EXIT_CODES.interrupted.code);
  expect(given.stderr.text).not.toContain('URL is missing');
});

test('names the ports that it tried if there is none', async () => {
  using folder = temporaryDirectory();
  await using mock = await startMock();
  const home = homeWith(folder.path, mock.url);
  await mock[Symbol.asyncDispose]();
  const { run, stderr } = madeUpProcess(['bench', '--home', home]);
  expect(await run()).toBe(EXIT_CODES.usage.code);
  expect(stderr.text).toMatch(/ports 30000, 8080|servers found/);
});

test('a run from a file keeps the file with its comments', async () => {
  using folder = temporaryDirectory();
  await using mock = await startMock();
  const file = join(folder.path, 'night.toml');
  const text = `# every night\nurl = "${mock.url}"\nrequests = 2 # enough\n`;
  writeFileSync(file, text);
  const out = join(folder.path, 'out');
  const { run } = madeUpProcess(['bench', file, '--events', 'off', '--out', out]);
  expect(await run()).toBe(EXIT_CODES.ok.code);
  const report: unknown = JSON.parse(readFileSync(join(out, 'report.json'), 'utf8'));
  expect(report).toMatchObject({
    provenance: {
      call: { args: [mock.url, '--requests', '2', '--events', 'off'], file: { name: 'night.toml', text } },
    },
  });
});
