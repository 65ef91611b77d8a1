// The script of a survey on the shells that are here: what it replies, and that it ends.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { REMOTE_SCRIPT } from '../../../src/cli/survey/remote-script.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const wordsOf = (shell: string): readonly string[] => shell.split(' ');
const SHELLS: readonly string[] = ['dash', 'bash', 'bash --posix', 'busybox sh'];
const here = SHELLS.filter(shell => spawnSync(wordsOf(shell)[0] ?? '', ['-c', ':']).error === undefined);
const MARK = 'mark-of-this-test';

/** What the script replies to requests, all of them at once. */
const replies = ([shell = '', ...options]: readonly string[], requests: readonly (readonly string[])[]) => {
  const folder = temporaryDirectory();
  const file = join(folder.path, 'script');
  // From a file: without waiting for its ready line, a shell may have read requests as part of the script.
  writeFileSync(file, REMOTE_SCRIPT);
  const words = requests.map(([verb = '', ...rest]) => `${[verb, rest.length, ...rest].join('\n')}\n`);
  const { stdout, status } = spawnSync(shell, [...options, file], {
    input: `${MARK}\n${words.join('')}`,
    encoding: 'utf8',
  });
  folder[Symbol.dispose]();
  const [ready = '', ...parts] = stdout.split(new RegExp(`\\n${MARK} `));
  return { ready, parts, status };
};

describe.each(here)('%s', name => {
  const shell = wordsOf(name);
  test('replies with files, folders, links and tools, or the reason', () => {
    using folder = temporaryDirectory();
    const at = (name: string): string => join(folder.path, name);
    writeFileSync(at('text'), 'one\ntwo');
    mkdirSync(at('inner'));
    symlinkSync('inner', at('link'));
    const { ready, parts, status } = replies(shell, [
      ['file', '100', at('text')],
      ['file', '3', at('text')],
      ['file', '100', at('nothing')],
      ['file', '100', at('inner')],
      ['names', folder.path],
      ['link', at('link')],
      ['real', at('link')],
      ['kind', at('text')],
      ['kind', at('inner')],
      ['run', '5', 'sh', '-c', 'echo out; echo "an error" >&2; exit 3'],
      ['run', '5', 'no-such-tool'],
      ['run', '1', 'sleep', '30'],
    ]);
    expect(ready).toBe('\nplimsoll-survey-1 Linux\none\ntwo');
    expect(parts).toEqual([
      'ok\none',
      'ok\n',
      'ENOENT\n',
      'EISDIR\ninner\nlink\ntext\n',
      'ok\ninner\n',
      `ok\n${at('inner')}\n`,
      'ok\n',
      'file\n',
      'folder\nout\n',
      'out\nan error\n\n3',
      'end\n',
      'out\n\nmissing',
      'end\n',
      'out\n\n143',
      'end\n',
    ]);
    expect(status).toBe(0);
  });

  test('takes no word of a request for code', () => {
    using folder = temporaryDirectory();
    const strange = [
      '$(touch pwned)',
      '`touch pwned`',
      '; touch pwned',
      '"; touch pwned; "',
      "'; touch pwned; '",
      '-n',
      '*',
      '\\',
    ];
    for (const name of strange) writeFileSync(join(folder.path, name), name);
    const requests = strange.flatMap(name => [
      ['file', '100', join(folder.path, name)],
      ['run', '5', 'printf', '%s', name],
      ['names', name],
      ['kind', `${folder.path}/${name}`],
    ]);
    const { parts, ready } = replies(shell, requests);
    const text = [ready, ...parts].join('\n');
    for (const name of strange) expect(text.split(name).length).toBeGreaterThan(2);
    expect(readdirSync(folder.path).sort()).toEqual([...strange].sort());
    expect(existsSync('/pwned')).toBe(false);
  });
});
