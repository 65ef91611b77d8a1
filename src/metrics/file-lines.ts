// The lines of a file of any size, with a limit on one line, so that a damaged file cannot exhaust the memory.

import type { FileHandle } from 'node:fs/promises';
import { openInputFile } from '../process/input-file.ts';

export type FileLine =
  | { readonly kind: 'line'; readonly text: string }
  /** The rest of the file after its last line feed. */
  | { readonly kind: 'unfinished'; readonly text: string }
  /** It was skipped. */
  | { readonly kind: 'too-long' };

interface FileLinesOptions {
  readonly lineBytesMax: number;
}

export type FileBlock =
  /** Whole lines, each with its line feed; valid until the next block is requested. */
  | { readonly kind: 'lines'; readonly bytes: Buffer }
  /** The rest of the file after its last line feed. */
  | { readonly kind: 'unfinished'; readonly bytes: Buffer }
  /** A line that was skipped. */
  | { readonly kind: 'too-long' };

/**
 * Many lines at a time, for callers that cannot process them one by one. A line within a block exceeds the limit by
 * at most a block.
 */
export async function* fileBlocks(
  path: string,
  { lineBytesMax }: FileLinesOptions,
): AsyncGenerator<FileBlock, void, void> {
  await using file = await openInputFile(path, 'runLines');
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let parts: Buffer[] = [];
  let partBytes = 0;
  let isSkipping = false;
  for (let length = await fill(file, chunk); length > 0; length = await fill(file, chunk)) {
    let from = 0;
    const last = chunk.subarray(0, length).lastIndexOf(LINE_FEED);
    if (last !== -1 && (isSkipping || partBytes > 0)) {
      from = chunk.indexOf(LINE_FEED) + 1;
      if (isSkipping || partBytes + from - 1 > lineBytesMax) yield { kind: 'too-long' };
      else yield { kind: 'lines', bytes: Buffer.concat([...parts, chunk.subarray(0, from)]) };
      parts = [];
      partBytes = 0;
      isSkipping = false;
    }
    if (last >= from) yield { kind: 'lines', bytes: chunk.subarray(from, last + 1) };
    if (isSkipping) continue;
    const tail = chunk.subarray(last + 1, length);
    partBytes += tail.length;
    isSkipping = partBytes > lineBytesMax;
    if (isSkipping) parts = [];
    else if (tail.length > 0) parts.push(Buffer.from(tail));
  }
  if (isSkipping) yield { kind: 'too-long' };
  else if (partBytes > 0) yield { kind: 'unfinished', bytes: Buffer.concat(parts) };
}

export async function* fileLines(path: string, options: FileLinesOptions): AsyncGenerator<FileLine> {
  for await (const block of fileBlocks(path, options)) {
    if (block.kind === 'too-long') yield block;
    else if (block.kind === 'unfinished') yield { kind: 'unfinished', text: block.bytes.toString('utf8') };
    else yield* linesOf(block.bytes, options.lineBytesMax);
  }
}

function* linesOf(bytes: Buffer, lineBytesMax: number): Generator<FileLine, void, void> {
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(LINE_FEED, from);
    if (end - from > lineBytesMax) yield { kind: 'too-long' };
    else yield { kind: 'line', text: bytes.toString('utf8', from, end) };
    from = end + 1;
  }
}

const fill = async (file: FileHandle, chunk: Buffer): Promise<number> =>
  (await file.read(chunk, 0, chunk.length)).bytesRead;

const LINE_FEED = 0x0a;
const CHUNK_BYTES = 1024 * 1024;
