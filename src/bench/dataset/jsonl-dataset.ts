// Reads a JSONL data set into memory, bounded, and says of the first line that is wrong where it stands and how it begins.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { errorCode } from '../../core/problem.ts';
import { fileReason } from '../../process/disk-reason.ts';
import { BenchError } from '../bench-error.ts';
import type { Dataset, Prompt } from './prompt.ts';
import { readRow } from './read-row.ts';

export interface JsonlOptions {
  /** Absolute. */
  readonly path: string;
  /** As the person wrote it: how messages call it. */
  readonly shownPath: string;
  readonly column: string | undefined;
  readonly signal: AbortSignal;
}

/** @throws BenchError `input` when the file cannot be read, has a bad line, no prompt or too much of anything. */
export const readJsonlDataset = async (options: JsonlOptions): Promise<Dataset> => {
  const { shownPath, column, signal } = options;
  const prompts: Prompt[] = [];
  const hash = createHash('sha256');
  let fileBytes = 0;
  let line = 0;
  const read = (chunk: Buffer): void => {
    hash.update(chunk);
    fileBytes += chunk.length;
  };
  for await (const bytes of linesOf(options, read)) {
    signal.throwIfAborted();
    line += 1;
    const text = decoded(bytes, line, shownPath);
    if (text.trim() === '') continue;
    const row = readRow(text, column);
    if (row.kind === 'wrong') {
      throw input(`${shownPath}:${line}: ${row.problem}. It begins: ${startOf(text)}`, row.advice);
    }
    if (prompts.length === PROMPTS_MAX) {
      throw input(
        `${shownPath} has more than ${PROMPTS_MAX} prompts`,
        `Shorten it: head -n ${PROMPTS_MAX} ${shownPath}`,
      );
    }
    prompts.push(row.value);
  }
  if (prompts.length === 0)
    throw input(`${shownPath} has no prompt`, 'Write lines such as {"prompt": "Why is the sky blue?"}.');
  const count = prompts.length === 1 ? '1 prompt' : `${prompts.length} prompts`;
  const file = { sha256: hash.digest('hex'), bytes: fileBytes };
  return { description: `${basename(shownPath)}: ${count}`, prompts, file };
};

async function* linesOf(
  { path, shownPath, signal }: JsonlOptions,
  onRead: (chunk: Buffer) => void,
): AsyncGenerator<Buffer, void, void> {
  let rest: Buffer[] = [];
  let restBytes = 0;
  let bytesRead = 0;
  let line = 1;
  const check = (bytes: number): void => {
    if (bytes <= LINE_BYTES_MAX) return;
    throw input(
      `${shownPath}:${line}: this line is longer than ${LINE_BYTES_MAX / MEBIBYTE} MiB`,
      'Is it a JSONL file, one JSON object on each line? A shorter prompt is needed.',
    );
  };
  const stream = createReadStream(path, { highWaterMark: READ_BYTES, signal });
  try {
    for await (const read of stream) {
      const chunk: Buffer = read;
      bytesRead += chunk.length;
      onRead(chunk);
      if (bytesRead > FILE_BYTES_MAX) {
        throw input(
          `${shownPath} is larger than ${FILE_BYTES_MAX / MEBIBYTE} MiB`,
          'Use fewer of its lines.',
        );
      }
      let from = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
        check(restBytes + end - from);
        yield restBytes === 0
          ? chunk.subarray(from, end)
          : Buffer.concat([...rest, chunk.subarray(from, end)]);
        rest = [];
        restBytes = 0;
        from = end + 1;
        line += 1;
      }
      if (from === chunk.length) continue;
      rest.push(chunk.subarray(from));
      restBytes += chunk.length - from;
      check(restBytes);
    }
  } catch (error) {
    if (error instanceof BenchError || signal.aborted) throw error;
    throw unreadable(shownPath, error);
  }
  if (restBytes > 0) yield Buffer.concat(rest);
}

/** Not UTF-8 is said rather than sent as something else than what the file holds. */
const decoded = (bytes: Buffer, line: number, shownPath: string): string => {
  try {
    // A byte order mark is dropped by the decoder.
    return UTF_8.decode(bytes);
  } catch {
    throw input(`${shownPath}:${line}: this line is not UTF-8`, 'Save the file as UTF-8.');
  }
};

const startOf = (text: string): string => {
  const trimmed = text.trim();
  return JSON.stringify(trimmed.length > START_SHOWN ? `${trimmed.slice(0, START_SHOWN)}…` : trimmed);
};

const unreadable = (shownPath: string, cause: unknown): BenchError => {
  const code = errorCode(cause);
  const advice =
    code === 'ENOENT'
      ? 'Check the path; it is relative to the current folder.'
      : code === 'EACCES'
        ? 'Change its permissions so that you can read it.'
        : 'Give a JSONL file with --dataset FILE.';
  const reason = fileReason(cause);
  return new BenchError(
    { code: 'input', problem: `${shownPath} cannot be read: ${reason}`, advice },
    { cause },
  );
};

const input = (problem: string, advice: string): BenchError =>
  new BenchError({ code: 'input', problem, advice });

const UTF_8 = new TextDecoder('utf-8', { fatal: true });
const NEWLINE = 0x0a;
const MEBIBYTE = 1024 * 1024;
const READ_BYTES = 256 * 1024;
export const LINE_BYTES_MAX: number = 8 * MEBIBYTE;
/** In memory a file takes up to seven times its size while it is read. */
export const FILE_BYTES_MAX: number = 256 * MEBIBYTE;
export const PROMPTS_MAX = 1_000_000;
const START_SHOWN = 60;
