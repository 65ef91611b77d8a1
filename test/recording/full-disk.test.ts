// A disk that is full, as a file system of a few kilobytes in memory; where this process may mount one.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runTool } from '../../src/process/child.ts';
import { readRecording } from '../../src/recording/recording-reader.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { recordWorld } from './recorded-world.ts';

test('on a full disk a recording ends with the error, and what is there can be read', async context => {
  using folder = temporaryDirectory();
  const disk = join(folder.path, 'disk');
  mkdirSync(disk);
  const mounted = await tool('mount', ['-t', 'tmpfs', '-o', 'size=40k', 'tmpfs', disk]);
  if (mounted.kind !== 'exited' || mounted.code !== 0) return context.skip('no permission to mount a tmpfs');
  try {
    const path = join(disk, 'recording');
    await expect(recordWorld(path, { seconds: 60 })).rejects.toMatchObject({ code: 'ENOSPC' });
    const kinds: string[] = [];
    for await (const part of readRecording(path))
      kinds.push(part.kind === 'line' ? part.line.kind : part.reason);
    expect(kinds.slice(0, 2)).toEqual(['header', 'begin']);
    expect(kinds).toContain('ready');
    expect(kinds.at(-1)).toBe('the recording has no end: its writer was stopped');
  } finally {
    await tool('umount', [disk]);
  }
});

const tool = (command: string, args: readonly string[]) =>
  runTool(command, args, { env: process.env, signal: new AbortController().signal, timeoutMs: 10_000 });
