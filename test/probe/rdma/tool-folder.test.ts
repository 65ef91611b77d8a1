import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { removeStaleFolders, toolFolder } from '../../../src/probe/rdma/tool-folder.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const NOW_MS = 1_800_000_000_000;
const HOUR_MS = 3_600_000;
const userId = process.getuid?.();

test('the folder of a tool is there only for one that needs files, and goes with its run', async () => {
  await using none = toolFolder();
  await none.write([]);
  expect(existsSync(none.path)).toBe(false);
  const some = toolFolder();
  await some.write([{ name: 'devices.json', text: '[]' }]);
  expect(statSync(some.path).mode & 0o777).toBe(0o700);
  expect(dirname(some.path)).toBe(dirname(none.path));
  expect(readdirSync(some.path)).toEqual(['devices.json']);
  await some[Symbol.asyncDispose]();
  expect(existsSync(some.path)).toBe(false);
});

test('empty folders that killed probes have left are removed after an hour, and nothing else', async () => {
  using folder = temporaryDirectory();
  const make = (name: string, ageMs: number, file?: string): void => {
    const path = join(folder.path, name);
    mkdirSync(path);
    if (file !== undefined) writeFileSync(join(path, file), '');
    const at = new Date(NOW_MS - ageMs);
    utimesSync(path, at, at);
  };
  make('plimsoll-rdma-old', 2 * HOUR_MS);
  make('plimsoll-rdma-older', 200 * HOUR_MS);
  make('plimsoll-rdma-young', HOUR_MS / 2);
  make('plimsoll-rdma-used', 2 * HOUR_MS, 'devices.json');
  make('plimsoll-bench-old', 2 * HOUR_MS);
  make('target', 2 * HOUR_MS);
  symlinkSync(join(folder.path, 'target'), join(folder.path, 'plimsoll-rdma-link'));
  writeFileSync(join(folder.path, 'plimsoll-rdma-file'), '');
  if (userId === 0) {
    make('plimsoll-rdma-foreign', 2 * HOUR_MS);
    chownSync(join(folder.path, 'plimsoll-rdma-foreign'), 65_534, 65_534);
  }
  const before = readdirSync(folder.path);
  const requested = { temporaryFolder: folder.path, nowWallMs: NOW_MS };
  expect(await removeStaleFolders({ ...requested, userId: undefined })).toBe(0);
  expect(await removeStaleFolders({ ...requested, userId })).toBe(2);
  expect(readdirSync(folder.path)).toEqual(
    before.filter(name => !/-(?:old|older)$/.test(name) || /bench/.test(name)),
  );
  expect(await removeStaleFolders({ ...requested, temporaryFolder: join(folder.path, 'none'), userId })).toBe(
    0,
  );
});
