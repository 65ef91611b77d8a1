// A whole completion, maimed in one place.

import { errorJson } from '../api/openai-json.ts';
import type { Expected } from '../failures.ts';
import { bare } from './arranged-stream.ts';
import type { ReplyBuilder } from './healthy-reply.ts';
import { chunked } from './http-chunk.ts';
import type { FailingRequest } from './maiming.ts';
import {
  asReply,
  CHUNKED,
  CLOSE,
  CUT_CHUNK,
  compressed,
  endingOf,
  endlessly,
  RESET,
  slowly,
} from './maiming.ts';
import type { Ending, Reply } from './reply.ts';

export const maimedBody = (
  builder: ReplyBuilder,
  { failure, subject, wire }: FailingRequest,
  expected: Expected,
): Reply => {
  const reply = builder.plain(subject, wire);
  const atMs = reply.timeline.atMs[0] ?? 0;
  const body = Buffer.from(builder.plainBody(subject));
  const half = body.subarray(0, body.length >> 1);
  const cutOff = (ending: Ending): Reply =>
    asReply([bare(Buffer.from(builder.plainHead(wire, body.length)), 0), bare(half, atMs)], ending, expected);
  const whole = (text: string | Buffer): Reply =>
    asReply(
      [
        bare(Buffer.from(builder.plainHead(wire, Buffer.byteLength(text))), 0),
        bare(builder.framed(Buffer.from(text), wire), atMs),
      ],
      endingOf(wire),
      expected,
    );
  const chunkedHead = bare(Buffer.from(builder.head(CHUNKED, 'application/json', undefined)), 0);
  const { settings } = builder;
  switch (failure.name) {
    case 'reset-after-headers':
      return asReply([bare(Buffer.from(builder.plainHead(wire, body.length)), 0)], RESET, expected);
    case 'reset-mid-stream':
      return cutOff(RESET);
    case 'truncated-no-last-chunk':
      return asReply([chunkedHead, bare(chunked(half, settings), atMs)], CLOSE, expected);
    case 'truncated-mid-chunk':
      return asReply([chunkedHead, bare(CUT_CHUNK, atMs)], CLOSE, expected);
    case 'malformed-event':
      return whole(half);
    case 'malformed-shape':
      return whole('42');
    case 'error-frame':
    case 'error-frame-first':
    case 'error-event':
      return whole(errorJson('the engine died', 'internal_server_error', 500));
    case 'empty-done':
    case 'empty-role-only':
      return whole(builder.plainBody({ ...subject, outputTokens: 0, reasoningTokens: 0, toolCalls: 0 }));
    case 'stall-after-headers':
      return asReply(
        [bare(Buffer.from(builder.plainHead(wire, body.length)), 0)],
        { kind: 'silence' },
        expected,
      );
    case 'stall-mid-stream':
      return cutOff({ kind: 'silence' });
    case 'endless':
      return asReply([chunkedHead, bare(WHITE_SPACE_CHUNK, atMs)], endlessly(settings.gapMs), expected);
    case 'gzip':
      return compressed(builder, body, { subject, wire, expected, atMs });
    case 'slow-bytes':
      return slowly(
        reply.pieces.map(bytes => ({ bytes, atMs, tokens: subject.outputTokens, chunks: 1 })),
        wire,
        expected,
      );
    default:
      return cutOff(CLOSE); // truncated in one of the ways that only a stream tells apart
  }
};

const WHITE_SPACE_CHUNK = Buffer.from('1\r\n \r\n');
