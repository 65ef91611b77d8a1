import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CaptureFiles } from '../../../src/bench/capture/capture-files.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

test('what cannot be written is refused with the reason, and the next write tries again', () => {
  using directory = temporaryDirectory();
  const folder = join(directory.path, 'capture');
  mkdirSync(folder);
  const options = { folder, fileBytesMax: 10, totalBytesMax: 1_000 };
  using files = new CaptureFiles(options);
  expect(files.append('line one\n', 1)).toBe(true);
  rmSync(folder, { recursive: true });
  expect(files.append('line two\n', 1)).toBe(false);
  expect(files.problem).toBe('its folder does not exist, or accepts no new files');
  mkdirSync(folder);
  expect(files.append('line three\n', 1)).toBe(true);
  expect(files.problem).toBeUndefined();
  expect(readFileSync(join(folder, '000002.jsonl'), 'utf8')).toBe('line three\n');
});

test('an existing file is never written to', () => {
  using directory = temporaryDirectory();
  const options = { folder: directory.path, fileBytesMax: 10, totalBytesMax: 1_000 };
  {
    using first = new CaptureFiles(options);
    first.append('mine\n', 1);
  }
  using second = new CaptureFiles(options);
  expect(second.problem).toBe('a file is in its place');
  expect(readFileSync(join(directory.path, '000001.jsonl'), 'utf8')).toBe('mine\n');
});

test('a file that a person moved away does not stop the removal of the oldest', () => {
  using directory = temporaryDirectory();
  using files = new CaptureFiles({ folder: directory.path, fileBytesMax: 10, totalBytesMax: 30 });
  files.append('line one\n', 1);
  rmSync(join(directory.path, '000001.jsonl'));
  for (let line = 2; line <= 6; line += 1) expect(files.append(`line ${line}..\n`, 1)).toBe(true);
  expect(files.problem).toBeUndefined();
  expect(files.figures.bytes).toBeLessThanOrEqual(30);
  expect(readdirSync(directory.path)).toHaveLength(files.figures.files);
});

test('a total that is smaller than a file is kept to, with at least half of it left', () => {
  using directory = temporaryDirectory();
  using files = new CaptureFiles({ folder: directory.path, fileBytesMax: 1_000, totalBytesMax: 100 });
  for (let line = 0; line < 30; line += 1) {
    files.append('ten bytes\n', 1);
    expect(files.figures.bytes).toBeLessThanOrEqual(100);
    if (line >= 10) expect(files.figures.bytes).toBeGreaterThanOrEqual(50);
  }
});
