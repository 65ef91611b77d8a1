import { chmod, chown, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openHome, resolveHome } from '../../src/config/home.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-home-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const sources = { option: undefined, env: {}, cwd: '/somewhere', homeDirectory: '/home/ada' };

describe('the home', () => {
  test('is --home, else PLIMSOLL_HOME, else ~/.plimsoll', () => {
    expect(resolveHome(sources)).toBe('/home/ada/.plimsoll');
    expect(resolveHome({ ...sources, env: { PLIMSOLL_HOME: '/data' } })).toBe('/data');
    expect(resolveHome({ ...sources, env: { PLIMSOLL_HOME: '' } })).toBe('/home/ada/.plimsoll');
    expect(resolveHome({ ...sources, option: 'here', env: { PLIMSOLL_HOME: '/data' } })).toBe(
      '/somewhere/here',
    );
  });

  test("is absolute, for any value of the user's own home", () => {
    expect(resolveHome({ ...sources, homeDirectory: 'ada' })).toBe('/somewhere/ada/.plimsoll');
    expect(resolveHome({ ...sources, homeDirectory: '' })).toBe('/somewhere/.plimsoll');
  });

  test('is created private, with the folders above it', async () => {
    const path = join(folder, 'deep', 'home');
    expect(await openHome(path)).toEqual({ path, notices: [] });
    expect((await stat(path)).mode & 0o777).toBe(0o700);
  });

  test('that others can look into is made private, and that is reported', async () => {
    const path = join(folder, 'open');
    await mkdir(path, { mode: 0o755 });
    const home = await openHome(path);
    expect(home.notices).toMatchObject([
      { code: 'home-was-open', path, problem: expect.stringContaining('0700') },
    ]);
    expect((await stat(path)).mode & 0o777).toBe(0o700);
    expect((await openHome(path)).notices).toEqual([]);
  });

  test('that anybody can write is refused and left as it is', async () => {
    const path = join(folder, 'shared');
    await mkdir(path);
    await chmod(path, 0o777);
    await expect(openHome(path)).rejects.toMatchObject({
      code: 'not-private',
      message: expect.stringContaining('chmod 700'),
    });
    expect((await stat(path)).mode & 0o777).toBe(0o777);
  });

  test('that belongs to another user is refused by root, and by its own user not', async () => {
    const path = join(folder, 'theirs');
    await mkdir(path, { mode: 0o700 });
    if (userInfo().uid === 0) await chown(path, 12_345, 12_345);
    const { uid } = await stat(path);
    await expect(openHome(path, { isRoot: true })).rejects.toMatchObject({
      code: 'of-another-user',
      message: expect.stringContaining(`belongs to the user ${uid}, and this is root`),
    });
    expect(await openHome(path, { isRoot: false })).toEqual({ path, notices: [] });
    if (userInfo().uid === 0) {
      await chown(path, 0, 0);
      expect(await openHome(path)).toEqual({ path, notices: [] });
    }
  });

  test('that is a link to nowhere is refused', async () => {
    const path = join(folder, 'link');
    await symlink(join(folder, 'gone', 'home'), path);
    await expect(openHome(path)).rejects.toMatchObject({ name: 'HomeError', code: 'unusable' });
  });

  test('that is a file, or is under one, is refused', async () => {
    const path = join(folder, 'file');
    await writeFile(path, '');
    await expect(openHome(path)).rejects.toMatchObject({ code: 'not-a-folder' });
    await expect(openHome(join(path, 'home'))).rejects.toMatchObject({ code: 'not-a-folder' });
  });

  test('that cannot be written is refused', async context => {
    if (userInfo().uid === 0) context.skip('root may write everywhere');
    const path = join(folder, 'locked');
    await mkdir(path, { mode: 0o500 });
    await expect(openHome(path)).rejects.toMatchObject({ code: 'not-writable' });
  });

  test('on a file system that cannot be written is refused with two lines', async context => {
    if ((await stat('/proc').catch(() => undefined)) === undefined) context.skip('no /proc here');
    await expect(openHome('/proc/plimsoll')).rejects.toMatchObject({
      name: 'HomeError',
      problem: expect.objectContaining({
        path: expect.stringMatching(/^\/proc\/plimsoll/),
        problem: expect.stringMatching(/^The home \/proc\/plimsoll /),
        advice: expect.stringMatching(/--home DIR\.$/),
      }),
    });
  });
});
