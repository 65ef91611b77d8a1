// Common parts of the failures: raw bytes, valid HTTP or not, and the ways to end.

import { gzipSync } from 'node:zlib';
import type { FaultCase } from '../cases/fault-case.ts';
import type { Expected, Failure } from '../failure.ts';
import { bare, cutParts, type ReplyPart } from './arranged-stream.ts';
import { type ReplyBuilder, STREAM_TYPES, type Wire } from './healthy-reply.ts';
import type { Ending, Reply } from './reply.ts';
import type { ReplySubject } from './reply-subject.ts';

export interface FailingRequest {
  readonly failure: Failure | FaultCase;
  readonly subject: ReplySubject;
  readonly wire: Wire;
  /** Whether its connection has carried a request before. */
  readonly isReused: boolean;
}

export const asReply = (parts: readonly ReplyPart[], ending: Ending, expected: Expected): Reply =>
  cutParts(parts, { writesPerEvent: 1, splitsUtf8: false, apartMs: 0, ending, expected });

export const slowly = (parts: readonly ReplyPart[], wire: Wire, expected: Expected): Reply =>
  cutParts(parts, {
    writesPerEvent: Number.POSITIVE_INFINITY,
    splitsUtf8: false,
    apartMs: SLOW_BYTE_MS,
    ending: endingOf(wire),
    expected,
  });

export const compressed = (
  builder: ReplyBuilder,
  body: Buffer,
  {
    subject,
    wire,
    expected,
    atMs,
  }: {
    readonly subject: ReplySubject;
    readonly wire: Wire;
    readonly expected: Expected;
    readonly atMs: number;
  },
): Reply => {
  const bytes = gzipSync(body);
  const head = builder
    .head({ ...wire, transfer: 'content-length' }, typeOf(subject), bytes.length)
    .replace('\r\n', '\r\ncontent-encoding: gzip\r\n');
  const part: ReplyPart = { bytes, atMs, tokens: subject.outputTokens, chunks: 1 };
  return asReply([bare(Buffer.from(head), 0), part], endingOf(wire), expected);
};

export const endingOf = ({ closes }: Wire): Ending => (closes ? CLOSE : { kind: 'keep-alive' });

export const endlessly = (gapMs: number): Ending => ({ kind: 'repeat', everyMs: Math.max(1, gapMs) });

export const typeOf = ({ isStreaming, api }: ReplySubject): string =>
  isStreaming ? (STREAM_TYPES[api.framing].split(';')[0] ?? '') : 'application/json';

export const CLOSE: Ending = { kind: 'close' };

export const RESET: Ending = { kind: 'reset', afterMs: 20 };

export const CHUNKED: Wire = { transfer: 'chunked', closes: false };

/** A chunk that promises 255 bytes and has eight. */
export const CUT_CHUNK: Buffer = Buffer.from('ff\r\ndata: {"');

const SLOW_BYTE_MS = 0.02;
