import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nodeId } from '../../src/core/ids.ts';
import { INPUT_LIMITS } from '../../src/core/input/input-limits.ts';
import { runTool } from '../../src/process/child.ts';
import { encodeBlock, type RecordingHeader } from '../../src/recording/recording-line.ts';
import {
  RecordingError,
  type RecordingPart,
  readHeader,
  readRecording,
} from '../../src/recording/recording-reader.ts';
import { RecordingWriter } from '../../src/recording/recording-writer.ts';
import { longCount } from '../support/counts.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { recordingText, recordWorld } from './recorded-world.ts';

const partsOf = async (path: string): Promise<readonly RecordingPart[]> => {
  const parts: RecordingPart[] = [];
  for await (const part of readRecording(path)) parts.push(part);
  return parts;
};

/** 2,000 damaged recordings are read whole, each in some 15 ms. */
const DAMAGES_MS_MAX = longCount(30_000, 240_000);

describe('a recording', () => {
  test('is read as it was written', async () => {
    using folder = temporaryDirectory();
    const path = join(folder.path, 'whole');
    await recordWorld(path);
    const parts = await partsOf(path);
    const kinds = parts.map(part => (part.kind === 'line' ? part.line.kind : part.kind));
    expect(kinds.slice(0, 2)).toEqual(['header', 'begin']);
    expect(kinds.filter(kind => kind === 'origin')).toHaveLength(8);
    expect(kinds.filter(kind => kind === 'batch')).toHaveLength(20);
    expect(kinds.at(-1)).toBe('end');
  });

  test('is what any zstd unpacks', async context => {
    using folder = temporaryDirectory();
    const path = join(folder.path, 'whole');
    await recordWorld(path);
    const unpacked = await runTool('zstd', ['-dc', path], {
      env: process.env,
      signal: new AbortController().signal,
      timeoutMs: 10_000,
      outputBytesMax: 16 * 1024 * 1024,
    });
    if (unpacked.kind === 'missing') return context.skip('no zstd on this system');
    expect(unpacked).toMatchObject({ kind: 'exited', code: 0 });
    if (unpacked.kind === 'exited') expect(unpacked.stdout.trimEnd()).toBe(await recordingText(path));
  });

  test(
    'that is cut off anywhere keeps everything before, and reports it',
    async () => {
      using folder = temporaryDirectory();
      const path = join(folder.path, 'whole');
      await recordWorld(path);
      const bytes = readFileSync(path);
      const whole = await partsOf(path);
      const cut = join(folder.path, 'cut');
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 0, max: bytes.length - 1 }), async length => {
          writeFileSync(cut, bytes.subarray(0, length));
          const parts = await partsOrError(cut);
          if (parts instanceof RecordingError) {
            expect(parts.code).toBe('no-recording');
            expect(length).toBeLessThan(firstBlockBytes(bytes));
            return;
          }
          expect(parts.at(-1)?.kind).toBe('broken');
          expect(parts.slice(0, -1)).toEqual(whole.slice(0, parts.length - 1));
        }),
        { numRuns: longCount(20, 2_000) },
      );
    },
    DAMAGES_MS_MAX,
  );

  test(
    'with any byte changed keeps everything before, and reports where',
    async () => {
      using folder = temporaryDirectory();
      const path = join(folder.path, 'whole');
      await recordWorld(path);
      const bytes = readFileSync(path);
      const whole = await partsOf(path);
      const wrong = join(folder.path, 'wrong');
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 0, max: bytes.length - 1 }),
          fc.integer({ min: 1, max: 255 }),
          async (at, change) => {
            const changed = Buffer.from(bytes);
            changed[at] = (changed[at] ?? 0) ^ change;
            writeFileSync(wrong, changed);
            const parts = await partsOrError(wrong);
            if (parts instanceof RecordingError) {
              expect(at).toBeLessThan(firstBlockBytes(bytes));
              return;
            }
            expect(parts.at(-1)).toMatchObject({ kind: 'broken', reason: expect.stringMatching(/byte \d+/) });
            expect(parts.slice(0, -1)).toEqual(whole.slice(0, parts.length - 1));
          },
        ),
        { numRuns: longCount(20, 2_000) },
      );
    },
    DAMAGES_MS_MAX,
  );

  test('without an end is played to where it stops, and that is reported', async () => {
    using folder = temporaryDirectory();
    const path = join(folder.path, 'endless');
    writeFileSync(path, encodeBlock(`${HEADER_TEXT}\n`));
    expect((await partsOf(path)).at(-1)).toEqual({
      kind: 'broken',
      reason: 'the recording has no end: its writer was stopped',
    });
  });

  test.each([
    ['nothing', Buffer.alloc(0)],
    ['text', Buffer.from('not a recording at all\n')],
    ['zeros', Buffer.alloc(4_096)],
    ['a block of something else', Buffer.from(encodeBlock('{"kind":"batch","atMs":0,"events":[]}\n'))],
    ['a block of no JSON', Buffer.from(encodeBlock('hello\n'))],
  ])('that is %s is refused with what to do', async (_name, bytes) => {
    using folder = temporaryDirectory();
    const path = join(folder.path, 'file');
    writeFileSync(path, bytes);
    await expect(readHeader(path)).rejects.toThrow(
      /is not a recording, .*\. Choose a file that plimsoll record/,
    );
  });

  test('that is a folder, or not there, is refused', async () => {
    using folder = temporaryDirectory();
    await expect(readHeader(folder.path)).rejects.toThrow(RecordingError);
    await expect(readHeader(join(folder.path, 'missing'))).rejects.toThrow(/cannot be read/);
  });

  test('of a newer version is refused aloud', async () => {
    using folder = temporaryDirectory();
    const path = join(folder.path, 'newer');
    writeFileSync(path, encodeBlock(`${HEADER_TEXT.replace('"version":1', '"version":2')}\n`));
    await expect(readHeader(path)).rejects.toThrow(/version 2, made by Plimsoll 9\.9\.9\. .*update/);
  });

  test('whose block unpacks to more than the bound counts as damaged there', async () => {
    using folder = temporaryDirectory();
    const path = join(folder.path, 'bomb');
    const bomb = encodeBlock(' '.repeat(INPUT_LIMITS.recording.expandedBytesMax + 1));
    expect(bomb.length).toBeLessThan(100_000);
    writeFileSync(path, Buffer.concat([encodeBlock(`${HEADER_TEXT}\n`), bomb]));
    const parts = await partsOf(path);
    expect(parts.map(({ kind }) => kind)).toEqual(['line', 'broken']);
  });
});

describe('the writer of a recording', () => {
  test('never writes over a file', async () => {
    using folder = temporaryDirectory();
    const path = join(folder.path, 'there');
    writeFileSync(path, 'mine');
    await expect(RecordingWriter.create(path)).rejects.toMatchObject({ code: 'EEXIST' });
    expect(readFileSync(path, 'utf8')).toBe('mine');
  });

  test('stops at its bound with whole blocks only', async () => {
    using folder = temporaryDirectory();
    const path = join(folder.path, 'bounded');
    {
      await using writer = await RecordingWriter.create(path, 2_000);
      await writer.write(HEADER, 0);
      for (let atMs = 0; !writer.isFull; atMs += 5_000) await writer.write({ kind: 'begin', atMs }, atMs);
      expect(writer.bytes).toBeLessThanOrEqual(2_000);
    }
    expect(readFileSync(path).length).toBeLessThanOrEqual(2_000);
    const kinds = (await partsOf(path)).map(({ kind }) => kind);
    expect(kinds.slice(0, -1).every(kind => kind === 'line')).toBe(true);
  });

  test('has on disk what is older than five seconds, also when nobody ends it', async () => {
    using folder = temporaryDirectory();
    const path = join(folder.path, 'killed');
    const writer = await RecordingWriter.create(path);
    await writer.write(HEADER, 0);
    for (let atMs = 0; atMs <= 11_000; atMs += 1_000) await writer.write({ kind: 'begin', atMs }, atMs);
    const text = await recordingText(path);
    expect(text).toContain('"atMs":5000');
    await writer[Symbol.asyncDispose]();
  });
});

const partsOrError = async (path: string): Promise<readonly RecordingPart[] | RecordingError> => {
  try {
    return await partsOf(path);
  } catch (error) {
    if (error instanceof RecordingError) return error;
    throw error;
  }
};

const firstBlockBytes = (bytes: Buffer): number => 16 + bytes.readUInt32LE(8);

const HEADER: RecordingHeader = {
  kind: 'header',
  format: 'plimsoll recording',
  version: 1,
  plimsollVersion: '9.9.9',
  nodeId: nodeId('a'.repeat(26)),
  areNamesKept: true,
};
const HEADER_TEXT = JSON.stringify(HEADER);
