// A stream or a whole completion, corrupt in one place.

import { errorJson } from '../api/openai-json.ts';
import type { Expected } from '../failure.ts';
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
} from './corruption.ts';
import { chunked } from './framing.ts';
import type { ReplyBuilder, Wire } from './healthy-reply.ts';
import type { Ending, Reply } from './reply.ts';
import type { ReplySubject } from './reply-subject.ts';
import { closedAnswer, type StreamPlan } from './stream-plan.ts';

export const corruptStream = (
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

export const corruptBody = (
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
