import { chmodSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { distrustOf, ownUserId, trustedSearchPath } from '../../src/native/library-search.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const made = (folder: string, name: string, mode: number): string => {
  const path = join(realpathSync(folder), name);
  mkdirSync(path);
  chmodSync(path, mode);
  return path;
};

describe('a library', () => {
  test('in a private folder under /tmp is trusted: nobody else can change it', () => {
    using folder = temporaryDirectory();
    const library = join(made(folder.path, 'lib', 0o755), 'libx.so');
    writeFileSync(library, '', { mode: 0o644 });
    expect(distrustOf(library, ownUserId())).toBeUndefined();
  });

  test('under a sticky folder of everybody is not trusted when another user owns what is there', () => {
    using folder = temporaryDirectory();
    const library = join(made(folder.path, 'lib', 0o755), 'libx.so');
    writeFileSync(library, '');
    const owner = ownUserId() ?? 0;
    // Seen from another user who is not root, this user is the stranger; root's own folders are never strange.
    if (owner === 0) expect(distrustOf(library, 12_345)).toBeUndefined();
    else expect(distrustOf(library, owner + 1)).toContain('belongs to another user');
  });

  test('under a folder that everybody may write is refused, also by way of a link', () => {
    using folder = temporaryDirectory();
    const open = made(folder.path, 'open', 0o777);
    mkdirSync(join(open, 'lib'));
    writeFileSync(join(open, 'lib/libx.so'), '');
    symlinkSync(join(open, 'lib'), join(folder.path, 'link'));
    const reason = `is inside ${open}, which any user can write to`;
    expect(distrustOf(join(open, 'lib/libx.so'), ownUserId())).toBe(reason);
    expect(distrustOf(join(folder.path, 'link/libx.so'), ownUserId())).toBe(reason);
  });

  test('that everybody may write is refused in any folder', () => {
    using folder = temporaryDirectory();
    const library = join(folder.path, 'libx.so');
    writeFileSync(library, '');
    chmodSync(library, 0o666);
    expect(distrustOf(library, ownUserId())).toBe('can be written by any user');
  });

  test('of a relative path, or that is not there, is refused', () => {
    expect(distrustOf('lib/libx.so', 0)).toBe('is not an absolute path');
    expect(distrustOf('/nowhere/libx.so', 0)).toBe('cannot be inspected (ENOENT)');
  });
});

describe('the search path of the loader', () => {
  test('loses relative, missing, sticky and open folders, and keeps the order of the others', () => {
    using folder = temporaryDirectory();
    const [first, second] = [made(folder.path, 'b', 0o755), made(folder.path, 'a', 0o700)];
    const open = made(folder.path, 'open', 0o777);
    const sticky = made(folder.path, 'sticky', 0o1777);
    const path = [first, '', 'lib', open, sticky, '/nowhere', second].join(':');
    expect(trustedSearchPath(path, ownUserId())).toBe(`${first}:${second}`);
    expect(trustedSearchPath(undefined, ownUserId())).toBeUndefined();
    expect(trustedSearchPath(':', ownUserId())).toBeUndefined();
  });
});
