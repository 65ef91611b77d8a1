// Standard input of a process, as a command takes it: whole, by lines, or as it is typed.

import type { Readable } from 'node:stream';
import { LineQueue } from '../process/line-queue.ts';

export type InputLine = { readonly kind: 'line'; readonly text: string } | { readonly kind: 'too-long' };

export const readInput = async (
  stream: NodeJS.ReadStream,
  bytesMax: number,
  stop: AbortSignal,
): Promise<string> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const end = (): void => void stream.destroy();
  stop.addEventListener('abort', end, { once: true });
  try {
    for await (const chunk of stream) {
      const part = Buffer.from(chunk);
      chunks.push(part);
      bytes += part.length;
      if (bytes > bytesMax) break;
    }
  } catch (error) {
    stop.throwIfAborted();
    throw error;
  } finally {
    stop.removeEventListener('abort', end);
  }
  stop.throwIfAborted();
  return Buffer.concat(chunks).toString('utf8', 0, bytesMax + 1);
};

export async function* inputLines(
  stream: Readable,
  bytesMax: number,
  stop: AbortSignal,
): AsyncGenerator<InputLine, void, void> {
  const queue = new LineQueue(bytesMax);
  const end = (): void => queue.close();
  stream.on('data', chunk => {
    if (!queue.add(Buffer.from(chunk))) stream.pause();
  });
  for (const event of ['end', 'close', 'error']) stream.once(event, end);
  stop.addEventListener('abort', end, { once: true });
  try {
    for (;;) {
      const line = await queue.next(Number.POSITIVE_INFINITY);
      if (line.kind === 'end' || line.kind === 'silent' || stop.aborted) return;
      if (queue.isEmpty && stream.isPaused()) stream.resume();
      yield line;
      if (line.kind === 'too-long') return;
    }
  } finally {
    stop.removeEventListener('abort', end);
    stream.destroy();
  }
}

export async function* typedText(
  stream: NodeJS.ReadStream,
  until: AbortSignal,
): AsyncGenerator<string, void, void> {
  if (!stream.isTTY || until.aborted) return;
  const end = (): void => void stream.destroy();
  until.addEventListener('abort', end, { once: true });
  stream.setRawMode(true);
  stream.setEncoding('utf8');
  try {
    for await (const text of stream) yield String(text);
  } catch (error) {
    if (!until.aborted) throw error;
  } finally {
    until.removeEventListener('abort', end);
    // A terminal that has gone cannot be set, and need not be.
    if (!stream.destroyed) stream.setRawMode(false);
    stream.destroy();
  }
}
