import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  clusterKeyText,
  deriveSecret,
  makeClusterKey,
  parseClusterKey,
} from '../../../src/mesh/key/cluster-key.ts';
import {
  clusterKeyPath,
  createClusterKeyFile,
  readClusterKey,
  replaceClusterKeyFile,
} from '../../../src/mesh/key/key-file.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

test('a key reads back from its text, also in capitals, without dashes and with spaces around it', () => {
  for (let count = 0; count < 200; count += 1) {
    const key = makeClusterKey();
    const text = clusterKeyText(key);
    expect(text).toMatch(/^plimsoll-key-1-([a-z2-7]{12}-){4}[a-z2-7]{12}$/);
    const bare = `plimsoll-key-1-${text.slice(15).replaceAll('-', '')}`;
    for (const written of [text, ` ${text.toUpperCase()}\r\n`, bare])
      expect(parseClusterKey(written)).toEqual({ kind: 'key', key });
  }
});

test('no two keys are equal, and ids reveal nothing of the secret', () => {
  const keys = Array.from({ length: 100 }, makeClusterKey);
  expect(new Set(keys.map(clusterKeyText)).size).toBe(100);
  for (const { id, secret } of keys) {
    expect(id).toMatch(/^[0-9a-f]{16}$/);
    expect(secret.length).toBe(32);
    expect(Buffer.from(secret).toString('hex')).not.toContain(id);
  }
});

test('each purpose has a secret of its own', () => {
  const key = makeClusterKey();
  const secrets = (['psk', 'proof', 'beacon'] as const).map(purpose =>
    Buffer.from(deriveSecret(key, purpose)).toString('hex'),
  );
  expect(new Set([...secrets, Buffer.from(key.secret).toString('hex')]).size).toBe(4);
});

test('one wrong character, wherever it is, is found', () => {
  const text = clusterKeyText(makeClusterKey());
  for (let at = 15; at < text.length; at += 1) {
    if (text[at] === '-') continue;
    const wrong = `${text.slice(0, at)}${text[at] === 'a' ? 'b' : 'a'}${text.slice(at + 1)}`;
    expect(parseClusterKey(wrong).kind).toBe('wrong');
  }
});

test('an invalid key is refused with a reason that does not repeat it', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.string().map(text => `plimsoll-key-1-${text}`),
      ),
      text => {
        const parsed = parseClusterKey(text);
        expect(parsed.kind).toBe('wrong');
      },
    ),
  );
  const text = clusterKeyText(makeClusterKey());
  const problemOf = (written: string): string => {
    const parsed = parseClusterKey(written);
    return parsed.kind === 'wrong' ? parsed.problem : 'none';
  };
  expect(problemOf('')).toBe('it is empty');
  expect(problemOf(text.replace('key-1', 'key-2'))).toContain('newer');
  expect(problemOf(`${text} ${text}`)).toContain('more than one');
  expect(problemOf('x'.repeat(5_000))).toContain('too long');
  expect(problemOf(text.slice(0, 40))).toContain('instead of 60');
});

test('a file of a key is private, is never replaced by making one, and reads back', async () => {
  using folder = temporaryDirectory();
  const path = clusterKeyPath(folder.path);
  const [key, other] = [makeClusterKey(), makeClusterKey()];
  expect(await readClusterKey(path)).toEqual({ kind: 'missing' });
  expect(await createClusterKeyFile(path, key)).toBe(true);
  expect(await createClusterKeyFile(path, other)).toBe(false);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(await readClusterKey(path)).toEqual({ kind: 'key', key, notices: [] });
  await replaceClusterKeyFile(path, other);
  expect(await readClusterKey(path)).toMatchObject({ key: other });
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('a file that others could read is closed to them, and that is reported', async () => {
  using folder = temporaryDirectory();
  const path = clusterKeyPath(folder.path);
  await createClusterKeyFile(path, makeClusterKey());
  chmodSync(path, 0o644);
  const file = await readClusterKey(path);
  expect(file).toMatchObject({ notices: [{ code: 'key-was-readable', path }] });
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('a secret that is mounted for one group alone, as Kubernetes does, is as private as it can be', async context => {
  using folder = temporaryDirectory();
  const mount = (...args: readonly string[]): void => {
    execFileSync('mount', [...args, folder.path], { stdio: 'pipe' });
  };
  try {
    mount('-t', 'tmpfs', 'plimsoll');
  } catch {
    return context.skip('this user cannot mount');
  }
  try {
    const path = clusterKeyPath(folder.path);
    await createClusterKeyFile(path, makeClusterKey());
    chmodSync(path, 0o440);
    mount('-o', 'remount,ro');
    expect(await readClusterKey(path)).toMatchObject({ kind: 'key', notices: [] });
    mount('-o', 'remount,rw');
    chmodSync(path, 0o444);
    mount('-o', 'remount,ro');
    expect(await readClusterKey(path)).toMatchObject({ notices: [{ code: 'key-stays-readable' }] });
  } finally {
    execFileSync('umount', [folder.path]);
  }
});

test('a file without a key is reported with its path, never read without bound, and left as it is', async () => {
  using folder = temporaryDirectory();
  const path = join(folder.path, 'big');
  writeFileSync(path, 'x'.repeat(10_000_000));
  expect(await readClusterKey(path)).toMatchObject({ kind: 'wrong', problem: expect.stringContaining(path) });
  mkdirSync(join(folder.path, 'folder'));
  expect((await readClusterKey(join(folder.path, 'folder'))).kind).toBe('wrong');
  symlinkSync(join(folder.path, 'nowhere'), join(folder.path, 'link'));
  expect((await readClusterKey(join(folder.path, 'link'))).kind).toBe('missing');
  expect(statSync(path).size).toBe(10_000_000);
});
