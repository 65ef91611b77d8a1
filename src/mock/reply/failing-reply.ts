// Builds the reply of each failure of the table: healthy bytes, corrupt in one place.

import { errorJson } from '../api/openai-json.ts';
import { type FaultCase, STREAM, WHOLE } from '../cases/fault-case.ts';
import type { Expected } from '../failure.ts';
import { replyHead, smallReply } from '../reply-head.ts';
import { bare, type ReplyPart, streamParts } from './arranged-stream.ts';
import {
  asReply,
  CHUNKED,
  CLOSE,
  CUT_CHUNK,
  compressed,
  endingOf,
  endlessly,
  type FailingRequest,
  RESET,
  slowly,
  typeOf,
} from './corruption.ts';
import { chunked } from './framing.ts';
import type { ReplyBuilder, Wire } from './healthy-reply.ts';
import type { Ending, Reply } from './reply.ts';
import type { ReplySubject } from './reply-subject.ts';
import { closedAnswer, type StreamPlan } from './stream-plan.ts';

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

// A stream or a whole completion, corrupt in one place.
const corruptStream = (
  builder: ReplyBuilder,
  { failure, subject, wire }: FailingRequest,
  expected: Expected,
): Reply => {
  const { settings } = builder;
  const events = builder.events(subject, wire);
  const plan = builder.plan(subject, wire);
  const half: StreamPlan = {
    ...plan,
    content: plan.content.slice(0, Math.ceil(plan.content.length / 2)),
    closing: [],
  };
  const closing = events.closing(closedAnswer(subject));
  const nothing = events.closing(closedAnswer(withoutAnswer(subject)));
  const done = events.done();
  const end = done.length > 0 ? done : nothing.slice(-1);
  const error = errorJson('the engine died', 'internal_server_error', 500);
  const parts = (
    chosen: StreamPlan,
    hasEnd: boolean,
    as: Wire = wire,
    lengthOf = chosen,
  ): readonly ReplyPart[] =>
    streamParts(chosen, builder.streamHead(as, lengthOf, subject), { settings, wire: as, hasEnd });
  const whole = (chosen: StreamPlan): Reply => asReply(parts(chosen, true), endingOf(wire), expected);
  const withMiddle = (data: string): Reply =>
    whole({
      ...plan,
      content: insertedInTheMiddle(plan.content, events.of(data)),
      atMs: doubledInTheMiddle(plan.atMs),
    });
  switch (failure.name) {
    case 'reset-after-headers':
      return asReply(parts({ ...plan, opening: [], content: [], closing: [] }, false), RESET, expected);
    case 'reset-mid-stream':
      return asReply(parts(half, false), RESET, expected);
    case 'truncated-content-length':
      return asReply(parts(half, false, { ...wire, transfer: 'content-length' }, plan), CLOSE, expected);
    case 'truncated-no-last-chunk':
      return asReply(parts(half, false, CHUNKED), CLOSE, expected);
    case 'truncated-mid-chunk':
      return asReply([...parts(half, false, CHUNKED), bare(CUT_CHUNK, lastMs(half))], CLOSE, expected);
    case 'truncated-last-event': {
      const finish = closing[0]?.sse.toString() ?? '';
      return whole({ ...plan, closing: [events.raw(finish.slice(0, -CUT_BYTES))] });
    }
    case 'truncated-no-done':
      return whole({ ...plan, closing: [] });
    case 'malformed-event':
      return withMiddle('{"id":"chatcmpl-mock","choices":[{"delta":{"content":');
    case 'malformed-shape':
      return withMiddle('42');
    case 'error-frame':
      return whole({ ...half, closing: [events.of(error), ...done] });
    case 'error-frame-first':
      return whole({ ...plan, opening: [], content: [], closing: [events.of(error), ...done] });
    case 'error-event':
      return whole({ ...half, closing: [events.of(error, 'error'), ...done] });
    case 'empty-done':
      return whole({ ...plan, opening: [], content: [], closing: end });
    case 'empty-role-only':
      return whole({ ...plan, content: [], closing: [...nothing, ...done] });
    case 'stall-after-headers':
      return asReply(
        parts({ ...plan, opening: [], content: [], closing: [] }, false),
        { kind: 'silence' },
        expected,
      );
    case 'stall-mid-stream':
      return asReply(parts(half, false), { kind: 'silence' }, expected);
    case 'endless':
      return asReply(parts({ ...plan, closing: [] }, false, CHUNKED), endlessly(settings.gapMs), expected);
    case 'gzip': {
      const text = Buffer.concat([...plan.opening, ...plan.content, ...plan.closing].map(({ sse }) => sse));
      return compressed(builder, text, { subject, wire, expected, atMs: lastMs(plan) });
    }
    default:
      return slowly(parts(plan, true), wire, expected);
  }
};

const corruptBody = (
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
      return whole(builder.plainBody(withoutAnswer(subject)));
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
      return cutOff(CLOSE); // truncated in one of the ways that only a stream can distinguish
  }
};

const withoutAnswer = (subject: ReplySubject): ReplySubject => ({
  ...subject,
  outputTokens: 0,
  reasoningTokens: 0,
  toolCalls: 0,
});

const insertedInTheMiddle = <T>(items: readonly T[], item: T): readonly T[] => {
  const middle = items.length >> 1;
  return [...items.slice(0, middle), item, ...items.slice(middle)];
};

/** The middle time twice: the inserted piece takes it, and the rest keep theirs. */
const doubledInTheMiddle = (times: Float64Array): Float64Array => {
  const middle = times.length >> 1;
  return Float64Array.from(insertedInTheMiddle([...times], times[middle] ?? 0));
};

const lastMs = ({ content, atMs }: StreamPlan): number => atMs[content.length - 1] ?? 0;

const WHITE_SPACE_CHUNK = Buffer.from('1\r\n \r\n');

/** Of the finish event: its empty line, and what closes its JSON. */
const CUT_BYTES = 8;
