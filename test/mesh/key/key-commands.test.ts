import { execFileSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { madeUpProcess } from '../../support/made-up-process.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const key = async (home: string, args: readonly string[], input = '') => {
  const process = madeUpProcess(['key', ...args, '--home', home], { input });
  const code = await process.run();
  return { code, stdout: process.stdout.text, stderr: process.stderr.text };
};

test('new makes a private key in a private home, prints its id and never the key', async () => {
  using folder = temporaryDirectory();
  const home = join(folder.path, 'home');
  const made = await key(home, ['new']);
  expect(made).toMatchObject({ code: 0, stderr: '' });
  expect(made.stdout).toContain('uses it at once');
  expect(made.stdout).not.toContain('plimsoll-key-1-');
  expect(statSync(join(home, 'cluster-key')).mode & 0o777).toBe(0o600);
  expect(statSync(home).mode & 0o777).toBe(0o700);
});

test('new never replaces a key', async () => {
  using folder = temporaryDirectory();
  await key(folder.path, ['new']);
  const before = readFileSync(join(folder.path, 'cluster-key'), 'utf8');
  const again = await key(folder.path, ['new']);
  expect(again.code).toBe(9);
  expect(again.stderr).toContain('was not changed');
  expect(readFileSync(join(folder.path, 'cluster-key'), 'utf8')).toBe(before);
});

test('new --out writes to a file of that name alone', async () => {
  using folder = temporaryDirectory();
  const out = join(folder.path, 'cluster.key');
  expect((await key(join(folder.path, 'home'), ['new', '--out', out])).code).toBe(0);
  expect(statSync(out).mode & 0o777).toBe(0o600);
  expect((await key(join(folder.path, 'home'), ['show'])).code).toBe(9);
  expect((await key(folder.path, ['new', '--out', join(folder.path, 'no', 'key')])).code).toBe(9);
});

test('what show prints, import takes on another machine', async () => {
  using folder = temporaryDirectory();
  const [one, other] = [join(folder.path, 'one'), join(folder.path, 'other')];
  await key(one, ['new']);
  const shown = await key(one, ['show']);
  expect((await key(other, ['import', '-'], shown.stdout)).code).toBe(0);
  expect(await key(other, ['show'])).toEqual(shown);
  const again = await key(other, ['import', '-'], shown.stdout);
  expect(again.code).toBe(0);
  expect(again.stdout).toContain('already');
});

test('the line of show --join feeds the key by standard input and is one line of any shell', async () => {
  using folder = temporaryDirectory();
  await key(folder.path, ['new']);
  const { stdout: text } = await key(folder.path, ['show']);
  const { stdout: line, stderr } = await key(folder.path, ['show', '--join']);
  expect(line.trimEnd().split('\n')).toHaveLength(1);
  expect(line).toMatch(/\| plimsoll key import -\n$/);
  expect(stderr).toContain('It contains the key');
  const fed = execFileSync('sh', ['-s'], { input: line.replace('plimsoll key import -', 'cat') });
  expect(fed.toString()).toBe(text);
});

test('import takes another key only in place of the existing one on request', async () => {
  using folder = temporaryDirectory();
  const [one, other] = [join(folder.path, 'one'), join(folder.path, 'other')];
  await key(one, ['new']);
  await key(other, ['new']);
  const file = join(one, 'cluster-key');
  const refused = await key(other, ['import', file]);
  expect(refused.code).toBe(9);
  expect(refused.stderr).toContain('--replace');
  expect((await key(other, ['import', file, '--replace'])).code).toBe(0);
  expect((await key(other, ['show'])).stdout).toBe(readFileSync(file, 'utf8'));
});

test('import of anything else reports what is wrong, and not what it was', async () => {
  using folder = temporaryDirectory();
  for (const input of ['', 'secret-of-somebody', 'plimsoll-key-1-abc', 'x'.repeat(100_000)]) {
    const refused = await key(folder.path, ['import', '-'], input);
    expect(refused.code).toBe(9);
    expect(refused.stderr).not.toContain('secret-of-somebody');
    expect(refused.stderr.length).toBeLessThan(400);
  }
  expect((await key(folder.path, ['import', join(folder.path, 'nothing')])).code).toBe(9);
  expect((await key(folder.path, ['import'])).code).toBe(2);
});

test('import of a file without a key reports that, for any length, and where keys come from', async () => {
  using folder = temporaryDirectory();
  const file = join(folder.path, 'accounts');
  for (const text of [
    '',
    'one line',
    'one line\nanother',
    'root:x:0:0::/root\n'.repeat(5),
    'x\n'.repeat(5_000),
  ]) {
    writeFileSync(file, text);
    for (const how of [[], ['--replace'], ['--rotate']]) {
      const refused = await key(folder.path, ['import', file, ...how]);
      expect(refused.code).toBe(9);
      const [problem, advice] = refused.stderr.split('\n');
      expect(problem).toContain(`${file} has no cluster key: `);
      expect(advice).toContain('Give the file that has the cluster key');
      expect(refused.stderr).not.toContain('--replace');
    }
  }
  expect((await key(folder.path, ['import', folder.path])).stderr).toContain('it is a folder');
});

test('a damaged key in the home is reported, and replaced only on request', async () => {
  using folder = temporaryDirectory();
  writeFileSync(join(folder.path, 'cluster-key'), 'half a k');
  expect((await key(folder.path, ['show'])).code).toBe(9);
  expect((await key(folder.path, ['new'])).code).toBe(9);
  using elsewhere = temporaryDirectory();
  await key(elsewhere.path, ['new']);
  const { stdout: text } = await key(elsewhere.path, ['show']);
  expect((await key(folder.path, ['import', '-'], text)).code).toBe(9);
  expect((await key(folder.path, ['import', '--replace', '-'], text)).code).toBe(0);
});

test('rotate makes a new key and keeps the one before until drop-old', async () => {
  using folder = temporaryDirectory();
  const [one, other] = [join(folder.path, 'one'), join(folder.path, 'other')];
  await key(one, ['new']);
  const { stdout: first } = await key(one, ['show']);
  await key(other, ['import', '-'], first);
  const rotated = await key(one, ['rotate']);
  expect(rotated).toMatchObject({ code: 0, stderr: '' });
  expect(rotated.stdout).toContain('key drop-old');
  expect(rotated.stdout).not.toContain('plimsoll-key-1-');
  const { stdout: second, stderr } = await key(one, ['show']);
  expect(second).not.toBe(first);
  expect(stderr).toContain('still accepted');
  expect(readFileSync(join(one, 'cluster-key'), 'utf8')).toBe(second + first);
  expect((await key(one, ['show', '--join'])).stdout).toMatch(/\| plimsoll key import --rotate -\n$/);

  const refused = await key(other, ['import', '-'], second);
  expect(refused.code).toBe(9);
  expect(refused.stderr).toContain('--rotate');
  expect((await key(other, ['import', '--rotate', '--replace', '-'], second)).code).toBe(2);
  expect((await key(other, ['import', '--rotate', '-'], second)).code).toBe(0);
  expect(readFileSync(join(other, 'cluster-key'), 'utf8')).toBe(second + first);
  expect((await key(other, ['import', '--rotate', '-'], second)).stdout).toContain('already');

  for (const home of [one, other]) expect((await key(home, ['drop-old'])).code).toBe(0);
  expect(readFileSync(join(other, 'cluster-key'), 'utf8')).toBe(second);
  expect(statSync(join(other, 'cluster-key')).mode & 0o777).toBe(0o600);
  expect((await key(one, ['drop-old'])).stdout).toContain('nothing to drop');
});

test('a third key waits until the first is dropped', async () => {
  using folder = temporaryDirectory();
  await key(folder.path, ['new']);
  await key(folder.path, ['rotate']);
  const before = readFileSync(join(folder.path, 'cluster-key'), 'utf8');
  using elsewhere = temporaryDirectory();
  await key(elsewhere.path, ['new']);
  const { stdout: third } = await key(elsewhere.path, ['show']);
  for (const refused of [
    await key(folder.path, ['rotate']),
    await key(folder.path, ['import', '--rotate', '-'], third),
  ]) {
    expect(refused.code).toBe(9);
    expect(refused.stderr).toContain('key drop-old');
  }
  expect(readFileSync(join(folder.path, 'cluster-key'), 'utf8')).toBe(before);
  writeFileSync(join(folder.path, 'cluster-key'), before + third);
  expect((await key(folder.path, ['show'])).stderr).toContain('more than two');
});

test('rotate and drop-old need a key', async () => {
  using folder = temporaryDirectory();
  for (const name of ['rotate', 'drop-old']) {
    const refused = await key(folder.path, [name]);
    expect(refused.code).toBe(9);
    expect(refused.stderr).toContain('plimsoll key new');
  }
});
