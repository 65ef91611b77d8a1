// Reads a recording block by block. A truncated or damaged file ends with a reason, after everything before; a file
// that is not a recording is refused at once.

import type { FileHandle } from 'node:fs/promises';
import { INPUT_LIMITS } from '../core/input/input-limits.ts';
import { errorMessage, type Problem, ProblemError } from '../core/problem.ts';
import { linesIn } from '../core/text/lines-in.ts';
import { openInputFile } from '../process/input-file.ts';
import {
  BLOCK_HEAD_BYTES,
  decodeBlockHead,
  decodeBlockText,
  decodeLine,
  RECORDING_VERSION,
  type RecordingHeader,
  type RecordingLine,
} from './recording-line.ts';

export class RecordingError extends ProblemError<Problem<'unreadable' | 'no-recording' | 'newer'>> {
  override readonly name = 'RecordingError';
}

export type RecordingPart =
  | { readonly kind: 'line'; readonly line: RecordingLine }
  /** Nothing follows. `reason` is one sentence. */
  | { readonly kind: 'broken'; readonly reason: string };

/** @throws RecordingError if the file cannot be read, is not a recording, or is of a newer version. */
export const readHeader = async (path: string): Promise<RecordingHeader> => {
  for await (const part of readRecording(path)) {
    if (part.kind === 'line' && part.line.kind === 'header') return part.line;
    break;
  }
  throw noRecording(path);
};

/** Its lines, the header first. @throws RecordingError as `readHeader`. */
export async function* readRecording(path: string): AsyncGenerator<RecordingPart, void, void> {
  const file = await opened(path);
  try {
    let isFirst = true;
    for await (const part of partsOf(file)) {
      if (isFirst) checkHeader(path, part);
      isFirst = false;
      yield part;
    }
    if (isFirst) throw noRecording(path);
  } finally {
    await file.close();
  }
}

async function* partsOf(file: FileHandle): AsyncGenerator<RecordingPart, void, void> {
  let at = 0;
  let hasEnded = false;
  let textBytes = 0;
  for (;;) {
    const headBytes = await bytesAt(file, at, BLOCK_HEAD_BYTES);
    if (headBytes.length === 0) {
      if (!hasEnded) yield broken('the recording has no end: its writer was stopped');
      return;
    }
    if (headBytes.length < BLOCK_HEAD_BYTES) return yield broken(cutOff(at));
    const head = decodeBlockHead(headBytes);
    if (head.kind === 'wrong') return yield broken(damaged(at));
    const frame = await bytesAt(file, at + BLOCK_HEAD_BYTES, head.frameBytes);
    if (frame.length < head.frameBytes) return yield broken(cutOff(at));
    const text = decodeBlockText(frame, head.checksum);
    if (text === undefined) return yield broken(damaged(at));
    textBytes += text.length;
    if (textBytes > INPUT_LIMITS.recording.expandedBytesMax + at * EXPANSION_MAX)
      return yield broken(`${damaged(at)}: it expands to more than ${EXPANSION_MAX} times its size`);
    for (const { text: one } of linesIn(text)) {
      const decoded = decodeLine(one);
      if (decoded.kind === 'refused') return yield broken(`${damaged(at)} (${decoded.reason})`);
      hasEnded = decoded.line.kind === 'end';
      yield decoded;
    }
    at += BLOCK_HEAD_BYTES + head.frameBytes;
  }
}

const checkHeader = (path: string, part: RecordingPart): void => {
  if (part.kind === 'broken' || part.line.kind !== 'header') throw noRecording(path);
  const { version, plimsollVersion } = part.line;
  if (version <= RECORDING_VERSION) return;
  throw new RecordingError({
    code: 'newer',
    problem: `${path} is a recording of version ${version}, made by Plimsoll ${plimsollVersion}`,
    advice: `This Plimsoll reads up to version ${RECORDING_VERSION}: update it.`,
  });
};

const opened = async (path: string): Promise<FileHandle> => {
  try {
    return await openInputFile(path, 'recording');
  } catch (error) {
    const reason = errorMessage(error);
    throw new RecordingError(
      {
        code: 'unreadable',
        problem: `the recording cannot be read: ${reason}`,
        advice: 'Choose a file that plimsoll record has written.',
      },
      { cause: error },
    );
  }
};

const bytesAt = async (file: FileHandle, position: number, length: number): Promise<Uint8Array> => {
  const buffer = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(buffer, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
};

/** Events of a quiet cluster are compressed to a fortieth. */
const EXPANSION_MAX = 128;

const broken = (reason: string): RecordingPart => ({ kind: 'broken', reason });
const cutOff = (at: number): string => `the recording is cut off at byte ${at}`;
const damaged = (at: number): string => `the recording is damaged at byte ${at}`;

const noRecording = (path: string): RecordingError =>
  new RecordingError({
    code: 'no-recording',
    problem: `${path} is not a recording, or its start is damaged`,
    advice: 'Choose a file that plimsoll record has written.',
  });
