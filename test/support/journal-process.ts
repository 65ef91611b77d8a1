// Starts journal-writer.ts as a real process and reads its output, line by line.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

type WriterLine =
  | { readonly kind: 'opening' }
  | { readonly kind: 'opened'; readonly startNumber: number; readonly ownEpoch: number }
  | { readonly kind: 'acknowledged'; readonly seq: number }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string };

interface Writer extends AsyncDisposable {
  readonly lines: AsyncIterable<WriterLine>;
  kill(): void;
}

export const startWriter = (
  path: string,
  options: { readonly uid?: number; readonly rounds?: number } = {},
): Writer => {
  const rounds = options.rounds === undefined ? [] : [String(options.rounds)];
  const child = spawn(process.execPath, [WRITER, path, ...rounds], {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
  });
  const ended = once(child, 'close');
  return {
    lines: parseLines(child),
    kill: () => child.kill('SIGKILL'),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
};

export const FILLER: string = fileURLToPath(new URL('./journal-filler.ts', import.meta.url));

async function* parseLines({ stdout }: ChildProcess): AsyncIterable<WriterLine> {
  if (stdout === null) return;
  for await (const line of createInterface({ input: stdout })) {
    // A line that the kill cut off was never promised.
    if (line.endsWith('}')) yield JSON.parse(line);
  }
}

const WRITER = fileURLToPath(new URL('./journal-writer.ts', import.meta.url));
