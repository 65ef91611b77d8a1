// Reading small files: what is there, what is not, what grows, what must not stop the process.

import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { directoryFiles } from '../../src/gather/directory-files.ts';
import { digitsIn, isUnreadable, textOr, trimmed } from '../../src/gather/machine-files.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

describe('files beneath a folder', () => {
  it('are read whole, now and later, from their root', async () => {
    using root = temporaryDirectory();
    mkdirSync(join(root.path, 'proc'));
    const text = 'line\n'.repeat(50_000);
    writeFileSync(join(root.path, 'proc/big'), text);
    const files = directoryFiles(root.path);
    expect(files.textNow('/proc/big')).toBe(text);
    expect(await files.text('/proc/big')).toBe(text);
    expect(files.namesNow('/proc')).toEqual(['big']);
  });

  it('have a bound', async () => {
    using root = temporaryDirectory();
    writeFileSync(join(root.path, 'huge'), Buffer.alloc(20 * 1024 * 1024, 'x'));
    const files = directoryFiles(root.path);
    expect(textOr(files.textNow('/huge'), '').length).toBeLessThan(5 * 1024 * 1024);
    expect(textOr(await files.text('/huge'), '').length).toBeLessThan(5 * 1024 * 1024);
  });

  it('that are missing or folders report it', async () => {
    using root = temporaryDirectory();
    mkdirSync(join(root.path, 'folder'));
    const files = directoryFiles(root.path);
    expect(files.textNow('/nothing')).toEqual({ kind: 'unreadable', code: 'ENOENT', reason: 'no /nothing' });
    expect(await files.text('/folder')).toMatchObject({ kind: 'unreadable', code: 'EISDIR' });
    expect(files.namesNow('/nothing')).toMatchObject({ code: 'ENOENT' });
    expect(files.linkNow('/folder')).toMatchObject({ kind: 'unreadable' });
  });

  it('that are pipes without a writer stop nobody', async () => {
    using root = temporaryDirectory();
    execFileSync('mkfifo', [join(root.path, 'pipe')]);
    const files = directoryFiles(root.path);
    expect(files.textNow('/pipe')).toBe('');
    expect(await files.text('/pipe')).toBe('');
  });

  it('give the text of a link, and nothing of one that leads nowhere', () => {
    using root = temporaryDirectory();
    symlinkSync('../../bus/pci/drivers/ice', join(root.path, 'driver'));
    const files = directoryFiles(root.path);
    expect(files.linkNow('/driver')).toBe('../../bus/pci/drivers/ice');
    expect(files.textNow('/driver')).toMatchObject({ code: 'ENOENT' });
  });

  it('kept open show what is in them now, and come back when they were away', async () => {
    using root = temporaryDirectory();
    using file = directoryFiles(root.path).keepOpen('/value');
    expect(isUnreadable(file.readNow())).toBe(true);
    writeFileSync(join(root.path, 'value'), '1\n');
    expect(file.readNow()).toBe('1\n');
    writeFileSync(join(root.path, 'value'), '22\n');
    expect(file.readNow()).toBe('22\n');
    expect(await Promise.all([file.read(), file.read()])).toEqual(['22\n', '22\n']);
  });

  it('kept open leave no descriptor behind, also when closed while read', async () => {
    using root = temporaryDirectory();
    writeFileSync(join(root.path, 'value'), 'x');
    const files = directoryFiles(root.path);
    const countNow = (): number => {
      const names = directoryFiles('/').namesNow('/proc/self/fd');
      return isUnreadable(names) ? 0 : names.length;
    };
    const before = countNow();
    for (let round = 0; round < 50; round++) {
      const file = files.keepOpen('/value');
      const reading = file.read();
      file[Symbol.dispose]();
      expect(await reading).toBe('x');
    }
    expect(countNow()).toBeLessThan(before + 25);
  });
});

describe('texts of the kernel', () => {
  it('are trimmed of the zero byte that ends a device tree string', () => {
    expect(trimmed('Jetson\0\n')).toBe('Jetson');
    expect(trimmed(' \n')).toEqual({ kind: 'unknown', reason: 'empty' });
    expect(trimmed({ kind: 'unreadable', code: 'EACCES', reason: 'permission denied: /x' })).toEqual({
      kind: 'unknown',
      reason: 'permission denied: /x',
      code: 'permission',
    });
  });

  it('are whole numbers only when they are nothing else', () => {
    expect(digitsIn('42')).toBe(42);
    for (const text of ['', '-1', '4.2', '1e3', '0x10', ' 1', '9223372036854771712', undefined]) {
      expect(digitsIn(text)).toBeUndefined();
    }
  });
});
