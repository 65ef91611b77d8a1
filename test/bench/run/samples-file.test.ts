import { readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openSamplesFile } from '../../../src/bench/run/samples-file.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const never = new AbortController().signal;
const line = (text: string): Uint8Array => Buffer.from(`${text}\n`);

describe('samples.jsonl', () => {
  test('holds every line in order, and belongs to its owner alone', async () => {
    using folder = temporaryDirectory();
    const path = join(folder.path, 'samples.jsonl');
    const file = await openSamplesFile(path);
    const lines = Array.from({ length: 2_000 }, (_, index) => `line ${index}`);
    for (const [index, text] of lines.entries()) {
      file.append(line(text));
      // Some come while others are being written.
      if (index % 100 === 0) await new Promise(resolve => setImmediate(resolve));
    }
    await file.close(never);
    await file.close(never);
    expect(readFileSync(path, 'utf8')).toBe(`${lines.join('\n')}\n`);
    expect(file.problem).toBeUndefined();
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('counts what comes after its end as missing', async () => {
    using folder = temporaryDirectory();
    const file = await openSamplesFile(join(folder.path, 'samples.jsonl'));
    await file.close(never);
    file.append(line('late'));
    expect(file.problem).toContain('5 bytes are missing');
  });

  test('takes only so much for a disk that does not keep up', async () => {
    using folder = temporaryDirectory();
    await using file = await openSamplesFile(join(folder.path, 'samples.jsonl'));
    const piece = new Uint8Array(32 * 1024 * 1024).fill(0x20);
    for (let count = 0; count < 3; count += 1) file.append(piece);
    expect(file.problem).toContain(`${piece.length} bytes are missing`);
  });

  test('is never written through what somebody put in its place', async () => {
    using folder = temporaryDirectory();
    const path = join(folder.path, 'samples.jsonl');
    symlinkSync(join(folder.path, 'elsewhere'), path);
    await expect(openSamplesFile(path)).rejects.toMatchObject({ code: 'EEXIST' });
  });
});
