// The lines of a file of any size, with a bound on one line, so that a damaged file cannot take the memory.

import { open } from 'node:fs/promises';

export type FileLine =
  | { readonly kind: 'line'; readonly text: string }
  /** The rest of the file after its last line feed. */
  | { readonly kind: 'unfinished'; readonly text: string }
  /** It was skipped. */
  | { readonly kind: 'too-long' };

export interface FileLinesOptions {
  readonly lineBytesMax: number;
}

export async function* fileLines(path: string, { lineBytesMax }: FileLinesOptions): AsyncGenerator<FileLine> {
  await using file = await open(path, 'r');
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let parts: Buffer[] = [];
  let partBytes = 0;
  let isSkipping = false;
  for (let length = await fill(file, chunk); length > 0; length = await fill(file, chunk)) {
    let from = 0;
    for (
      let end = chunk.indexOf(LINE_FEED, 0);
      end !== -1 && end < length;
      end = chunk.indexOf(LINE_FEED, from)
    ) {
      const rest = chunk.subarray(from, end);
      if (isSkipping || partBytes + rest.length > lineBytesMax) yield { kind: 'too-long' };
      else yield { kind: 'line', text: Buffer.concat([...parts, rest]).toString('utf8') };
      parts = [];
      partBytes = 0;
      isSkipping = false;
      from = end + 1;
    }
    if (isSkipping) continue;
    const tail = chunk.subarray(from, length);
    partBytes += tail.length;
    isSkipping = partBytes > lineBytesMax;
    if (isSkipping) parts = [];
    else if (tail.length > 0) parts.push(Buffer.from(tail));
  }
  if (isSkipping) yield { kind: 'too-long' };
  else if (partBytes > 0) yield { kind: 'unfinished', text: Buffer.concat(parts).toString('utf8') };
}

const fill = async (file: Awaited<ReturnType<typeof open>>, chunk: Buffer): Promise<number> =>
  (await file.read(chunk, 0, chunk.length)).bytesRead;

const LINE_FEED = 0x0a;
const CHUNK_BYTES = 1024 * 1024;
