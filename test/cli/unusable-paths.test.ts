// Folders, files and ports that a command is given and cannot use: refused in words, with what to do, never with a stack.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EXIT_CODES } from '../../src/cli/exit-codes.ts';
import { encodeSamplesEnd } from '../../src/wire/sample-line.ts';
import { runConfigToJson } from '../../src/wire/stored-json.ts';
import { madeUpProcess } from '../support/made-up-process.ts';
import { runConfig } from '../support/run-records.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const refusal = async (...args: readonly string[]) => {
  const { run, stderr } = madeUpProcess(args);
  const code = await run();
  expect(stderr.text).not.toMatch(/should not have happened|\bE[A-Z]{4,}\b|\.tmp/);
  return { code, text: stderr.text };
};

describe('a fleet', () => {
  test('is not made where the file system takes no folder, and the command does not hang', async () => {
    for (const path of ['/proc/plimsoll', '/proc/plimsoll/fleet']) {
      const { code, text } = await refusal('fleet', 'init', path);
      expect(code).toBe(EXIT_CODES.fleet.code);
      expect(text).toMatch(
        new RegExp(`^plimsoll: ${path} cannot be written: .+\n.*plimsoll fleet init DIR\n$`),
      );
    }
  });

  test('is not made in place of a file, nor beneath one, and the file stays as it was', async () => {
    using folder = temporaryDirectory();
    const file = join(folder.path, 'notes');
    writeFileSync(file, 'keep');
    const { code, text } = await refusal('fleet', 'init', file);
    expect([code, text]).toEqual([
      EXIT_CODES.fleet.code,
      `plimsoll: ${file} cannot be written: a file is in its place\nChoose a folder that you can write to: plimsoll fleet init DIR\n`,
    ]);
    expect((await refusal('fleet', 'init', join(file, 'fleet'))).text).toContain(
      'part of its path is a file',
    );
    expect(readFileSync(file, 'utf8')).toBe('keep');
  });
});

test.each(['/nonexistent', 'foo=5:1s'])('--stages %s reports that there is no such file', async given => {
  const { code, text } = await refusal('bench', 'http://127.0.0.1:9', '--stages', given);
  expect(code).toBe(EXIT_CODES.benchInput.code);
  expect(text).toContain(`--stages ${given}: there is no such file\n`);
});

test('a report that goes onto a folder, or where there is none, reports it', async () => {
  using folder = temporaryDirectory();
  const run = join(folder.path, 'run');
  mkdirSync(run);
  writeFileSync(join(run, 'config.json'), runConfigToJson(runConfig()));
  const samples = encodeSamplesEnd({ issued: 0, trackedIssued: 0, state: 'complete' });
  writeFileSync(join(run, 'samples.jsonl'), samples);
  const onto = await refusal('report', run, '--md', folder.path);
  expect(onto.text).toContain(`${folder.path} cannot be written: a folder is in its place\n`);
  const nowhere = await refusal('report', run, '--md', join(folder.path, 'none', 'page.md'));
  expect(nowhere.text).toContain('cannot be written: its folder does not exist');
});

test('an agent reports that its port is taken', async () => {
  using folder = temporaryDirectory();
  const other = createServer();
  await new Promise<void>(resolve => other.listen({ host: '::', port: 0 }, resolve));
  try {
    const address = other.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const target = ['--target', 'http://10.0.0.7:8000'];
    const { code, text } = await refusal('agent', '--home', folder.path, '--port', String(port), ...target);
    expect(code).toBe(EXIT_CODES.addressInUse.code);
    expect(text).toContain(`port ${port} is taken by another program\n`);
  } finally {
    other.close();
  }
});
