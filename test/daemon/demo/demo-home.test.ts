import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDemoHome } from '../../../src/daemon/demo/demo-home.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const nodeKeyPem = 'a key';

test('the home of a demo that runs is left alone, that of one that is gone is removed', async () => {
  using folder = temporaryDirectory();
  const options = { temporaryFolder: folder.path, nodeKeyPem };
  const left = join(folder.path, 'plimsoll-demo-left');
  mkdirSync(left);
  writeFileSync(join(left, 'demo.lock'), ''); // its owner was killed
  await using first = await openDemoHome(options);
  await using second = await openDemoHome(options);
  expect(
    readdirSync(folder.path)
      .map(name => join(folder.path, name))
      .toSorted(),
  ).toEqual([first.path, second.path].toSorted());
});

test('a folder that no demo has locked is not touched, under any name', async () => {
  using folder = temporaryDirectory();
  const other = join(folder.path, 'plimsoll-demo-of-mine');
  mkdirSync(other);
  await using home = await openDemoHome({ temporaryFolder: folder.path, nodeKeyPem });
  expect(home.path).not.toBe(other);
  expect(readdirSync(folder.path)).toContain('plimsoll-demo-of-mine');
});

test('its home goes with it', async () => {
  using folder = temporaryDirectory();
  await (await openDemoHome({ temporaryFolder: folder.path, nodeKeyPem }))[Symbol.asyncDispose]();
  expect(readdirSync(folder.path)).toEqual([]);
});
