// Each path that a command reads, with a named pipe in its place that nobody writes: a reader that opened it would wait without end.

import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EXIT_CODES } from '../../src/cli/exit-codes.ts';
import { openInputFile, readInputFile, readInputTextSync } from '../../src/process/input-file.ts';
import { madeUpProcess } from '../support/made-up-process.ts';
import { socketFile } from '../support/socket-file.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const NOBODY = 'http://127.0.0.1:9';

const pipe = (folder: string, name: string): string => {
  const path = join(folder, name);
  execFileSync('mkfifo', [path]);
  return path;
};

/** A folder with a pipe of that name. */
const folderOf = (folder: string, name: string): string => {
  const path = join(folder, 'folder');
  mkdirSync(path);
  pipe(path, name);
  return path;
};

const bench = (...option: readonly string[]): readonly string[] => [
  'bench',
  NOBODY,
  '--requests',
  '1',
  ...option,
];

/** The words of a command that reads the pipe, or the folder with it. */
const COMMANDS: readonly (readonly [string, (folder: string) => readonly string[]])[] = [
  ['a data set', folder => bench('--dataset', pipe(folder, 'a.jsonl'))],
  ['a CSV data set', folder => bench('--dataset', pipe(folder, 'a.csv'))],
  ['a text of a folder', folder => bench('--dataset', folderOf(folder, 'a.txt'))],
  ['a trace', folder => bench('--trace', pipe(folder, 'a.jsonl'))],
  ['a system prompt', folder => bench('--system-prompt', pipe(folder, 'system.txt'))],
  ['tools', folder => bench('--tools', pipe(folder, 'tools.json'))],
  ['a schema', folder => bench('--response-schema', pipe(folder, 'schema.json'))],
  ['stages', folder => ['bench', NOBODY, '--stages', pipe(folder, 'stages.toml')]],
  ['lengths', folder => bench('--input-tokens', `file:${pipe(folder, 'lengths.json')}`)],
  ['headers', folder => bench('--header-file', pipe(folder, 'headers'))],
  ['an API key', folder => bench('--api-key-file', pipe(folder, 'key'))],
  ['a tokenizer', folder => bench('--tokenizer', folderOf(folder, 'tokenizer.json'))],
  ['a picture', folder => bench('--api', 'chat', '--image-folder', folderOf(folder, 'a.png'))],
  ['a shown data set', folder => ['dataset', 'show', pipe(folder, 'a.jsonl')]],
  ['a model', folder => ['headroom', pipe(folder, 'a.gguf')]],
  ['a config of a model', folder => ['headroom', folderOf(folder, 'config.json')]],
  ['results of another tool', folder => ['import', pipe(folder, 'result.json')]],
  ['a run', folder => ['report', folderOf(folder, 'config.json')]],
  ['a run to repeat', folder => ['rerun', folderOf(folder, 'config.json'), '--yes']],
  ['a recording', folder => ['up', '--no-open', '--http', '127.0.0.1:0', '--replay', pipe(folder, 'a.rec')]],
  [
    'a cluster key',
    folder => ['up', '--no-open', '--http', '127.0.0.1:0', '--cluster-key-file', pipe(folder, 'key')],
  ],
  ['the code of an agent', folder => ['agent', '--target', NOBODY, '--code-file', pipe(folder, 'code')]],
  ['a config', folder => ['config', 'check', pipe(folder, 'config.toml')]],
];

describe('a named pipe in the place of', () => {
  test.each(COMMANDS)('%s is refused at once, in words', async (_, args) => {
    using folder = temporaryDirectory();
    const made = madeUpProcess([...args(folder.path), '--home', join(folder.path, 'home')]);
    const code = await made.run();
    expect(code).not.toBe(EXIT_CODES.ok.code);
    expect(made.stderr.text + made.stdout.text).toMatch(
      /named pipe|no (tokenizer|recording)|not a regular file/,
    );
    expect(made.stderr.text).not.toContain('should not have happened');
  });
});

describe('an input file', () => {
  test('is neither a device nor a socket nor a folder', async () => {
    using folder = temporaryDirectory();
    await using socket = await socketFile(join(folder.path, 'socket'));
    const refusals = {
      '/dev/zero': 'it is a device',
      [socket.path]: 'it is a socket',
      [folder.path]: 'it is a folder',
    };
    for (const [path, problem] of Object.entries(refusals)) {
      await expect(openInputFile(path, 'dataset')).rejects.toThrow(problem);
      expect(() => readInputTextSync(path, 'dataset')).toThrow(problem);
    }
  });

  test('is read whole up to its limit, which a file of the kernel without a size has too', async () => {
    using folder = temporaryDirectory();
    const path = join(folder.path, 'key');
    writeFileSync(path, 'x'.repeat(65_536));
    expect((await readInputFile(path, 'secret')).length).toBe(65_536);
    writeFileSync(path, 'x'.repeat(65_537));
    await expect(readInputFile(path, 'secret')).rejects.toThrow('it is larger than 64 KiB');
    expect((await readInputFile('/proc/self/status', 'secret')).length).toBeGreaterThan(100);
  });

  test('is not read any further once somebody asks to stop', async () => {
    using folder = temporaryDirectory();
    const path = join(folder.path, 'key');
    writeFileSync(path, 'x');
    await expect(readInputFile(path, 'secret', AbortSignal.abort(new Error('stopped')))).rejects.toThrow(
      'stopped',
    );
  });
});
