// Builds the reply of each failure of the table: healthy bytes, corrupt in one place.

import { errorJson } from '../api/openai-json.ts';
import { STREAM, WHOLE } from '../cases/case-body.ts';
import type { FaultCase } from '../cases/fault-case.ts';
import type { Expected } from '../failure.ts';
import { replyHead, smallReply } from '../http/reply-head.ts';
import { bare, type ReplyPart } from './arranged-stream.ts';
import { corruptBody, corruptStream } from './corrupt-reply.ts';
import { asReply, CHUNKED, CLOSE, endingOf, type FailingRequest, typeOf } from './corruption.ts';
import type { ReplyBuilder, Wire } from './healthy-reply.ts';
import type { Ending, Reply } from './reply.ts';
import type { ReplySubject } from './reply-subject.ts';

export const failingReply = (builder: ReplyBuilder, request: FailingRequest): Reply => {
  const { failure, subject } = request;
  const expected = subject.isStreaming ? failure.streaming : failure.plain;
  if ('reply' in failure) return ofCase(failure, subject, expected);
  const built =
    beforeTheBody(builder, request, expected) ??
    (subject.isStreaming
      ? corruptStream(builder, request, expected)
      : corruptBody(builder, request, expected));
  return { ...built, expected, promptTokens: subject.promptTokens };
};

/** A case of the catalogue, byte for byte. */
const ofCase = ({ reply }: FaultCase, subject: ReplySubject, expected: Expected): Reply => {
  const { isStreaming, promptTokens } = subject;
  const body = isStreaming ? STREAM : WHOLE;
  const { writes, ending } = reply({ isStreaming, body, type: typeOf(subject) });
  const parts = writes.map(({ bytes, atMs }) => bare(bytes, atMs));
  return { ...asReply(parts, ending, expected), promptTokens };
};

/** Failures that look the same for every request. */
const beforeTheBody = (
  builder: ReplyBuilder,
  { failure, subject, wire, isReused }: FailingRequest,
  expected: Expected,
): Reply | undefined => {
  const once = (bytes: Buffer | string, ending: Ending = endingOf(wire)): Reply =>
    asReply([bare(Buffer.from(bytes), 0)], ending, expected);
  const [, code] = /^http-(\d+)$/.exec(failure.name) ?? [];
  if (code !== undefined) {
    const headers = code === '429' ? ([['retry-after', '1']] as const) : [];
    const body = errorJson(`the mock was configured to answer ${code}`, 'mock_error', Number(code));
    return once(smallReply(Number(code), body, { closes: wire.closes, headers }));
  }
  switch (failure.name) {
    case 'redirect':
      return once(smallReply(307, '{}', { closes: wire.closes, headers: [['location', '/v1/elsewhere']] }));
    case 'no-content':
      return once(replyHead({ status: 204, headers: [], closes: wire.closes }));
    case 'html':
      return once(smallReply(200, '<!doctype html><p>Welcome!', { closes: wire.closes, type: 'text/html' }));
    case 'empty-body':
      return once(builder.head({ ...wire, transfer: 'content-length' }, typeOf(subject), 0));
    case 'close-before-headers':
      return asReply([], CLOSE, expected);
    case 'reset-before-headers':
      return asReply([], { kind: 'reset', afterMs: 0 }, expected);
    case 'silent':
      return asReply([], { kind: 'silence' }, expected);
    case 'stale-connection':
      return isReused ? asReply([], CLOSE, expected) : healthy(builder, subject, wire);
    case 'chatter-on-idle': {
      const { pieces, timeline } = healthy(builder, subject, { ...wire, closes: false });
      // In one write with the reply's end: a 408 that arrives after the next request would be its answer.
      const parts = partsOf(pieces, timeline);
      const chatter = smallReply(408, '', { closes: true });
      return asReply(
        parts.map((part, index) =>
          index === parts.length - 1 ? { ...part, bytes: Buffer.concat([part.bytes, chatter]) } : part,
        ),
        CLOSE,
        expected,
      );
    }
    case 'not-http':
      return once('SSH-2.0-mock\r\nthis is another service\r\n', CLOSE);
    case 'header-too-large': {
      const filler = [['x-filler', 'x'.repeat(HEAD_BYTES_TOO_MANY)]] as const;
      return once(smallReply(200, '{}', { closes: wire.closes, headers: filler }));
    }
    case 'two-lengths':
      return once(
        smallReply(200, '{"choices":[]}', { closes: wire.closes, headers: [['content-length', '99']] }),
      );
    case 'switching-protocols':
      return once('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n', {
        kind: 'silence',
      });
    case 'bad-chunk-size':
      return once(`${builder.head(CHUNKED, typeOf(subject), undefined)}zz\r\n{}\r\n0\r\n\r\n`, CLOSE);
    default:
      return undefined;
  }
};

const healthy = (builder: ReplyBuilder, subject: ReplySubject, wire: Wire): Reply =>
  subject.isStreaming ? builder.stream(subject, wire) : builder.plain(subject, wire);

const partsOf = (
  pieces: Reply['pieces'],
  { atMs, tokens, chunks }: Reply['timeline'],
): readonly ReplyPart[] =>
  pieces.map((bytes, index) => ({
    bytes,
    atMs: atMs[index] ?? 0,
    tokens: tokens[index] ?? 0,
    chunks: chunks[index] ?? 0,
  }));

/** Four times what our own client accepts. */
const HEAD_BYTES_TOO_MANY = 262_144;
