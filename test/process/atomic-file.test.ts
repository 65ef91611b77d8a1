import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFileAtomic, writeFileAtomic } from '../../src/process/atomic-file.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-atomic-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('an atomic file', () => {
  test('is private, complete, and leaves nothing next to it', async () => {
    const path = join(folder, 'token');
    await writeFileAtomic(path, 'first');
    await writeFileAtomic(path, 'second');
    expect(await readFile(path, 'utf8')).toBe('second');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['token']);
  });

  test('takes the mode it is given, with any umask', async () => {
    const path = join(folder, 'readable');
    await writeFileAtomic(path, 'text', { mode: 0o644 });
    expect((await stat(path)).mode & 0o777).toBe(0o644);
  });

  test('leaves the old content and nothing else when it cannot take its place', async () => {
    const path = join(folder, 'taken');
    await mkdir(path);
    await writeFile(join(path, 'inside'), 'kept');
    await expect(writeFileAtomic(path, 'text')).rejects.toThrow();
    expect(await readdir(folder)).toEqual(['taken']);
    expect(await readFile(join(path, 'inside'), 'utf8')).toBe('kept');
  });

  test('is created by exactly one of many at once, and never half', async () => {
    const path = join(folder, 'key');
    const texts = Array.from({ length: 20 }, (_, index) => `key ${index} `.repeat(1_000));
    const created = await Promise.all(texts.map(text => createFileAtomic(path, text)));
    expect(created.filter(Boolean)).toHaveLength(1);
    expect(await readFile(path, 'utf8')).toBe(texts[created.indexOf(true)]);
    expect(await readdir(folder)).toEqual(['key']);
  });
});
