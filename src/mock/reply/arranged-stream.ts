// Replies in an unusual shape: events joined in a write, cut over several, cut inside a character, or corrupt. Built
// for each reply as one sequence of bytes that is then cut, so any shape can carry stamps.

import type { Expected } from '../failure.ts';
import type { MockSettings } from '../mock-settings.ts';
import type { StreamEvent } from './event-factory.ts';
import { chunked, lastChunk, STAMP_FIELD } from './framing.ts';
import type { Ending, Reply } from './reply.ts';
import type { StreamPlan } from './stream-plan.ts';

/** Whether each event is one write. */
export const isOrdinary = ({ eventsPerWrite, writesPerEvent, splitsUtf8 }: MockSettings): boolean =>
  eventsPerWrite === 1 && writesPerEvent === 1 && !splitsUtf8;

/** Bytes that belong together, before they are cut into writes. */
export interface ReplyPart {
  readonly bytes: Buffer;
  readonly atMs: number;
  readonly tokens: number;
  readonly chunks: number;
}

interface StreamShape {
  readonly settings: MockSettings;
  readonly wire: { readonly transfer: MockSettings['transfer'] };
  /** Whether the body ends as its transfer coding requires. */
  readonly hasEnd: boolean;
}

/** A stream before it is cut. */
export const streamParts = (
  plan: StreamPlan,
  head: string,
  { settings, wire, hasEnd }: StreamShape,
): readonly ReplyPart[] => {
  const isChunked = wire.transfer === 'chunked';
  const framed = (bytes: Buffer): Buffer => (isChunked ? chunked(bytes, settings) : bytes);
  const firstMs = settings.isHeadEarly ? 0 : (plan.atMs[0] ?? 0);
  const lastMs = plan.atMs[plan.content.length - 1] ?? firstMs;
  const opening = [Buffer.from(head), ...plan.opening.map(({ sse }) => framed(sse))];
  const closing = [
    ...plan.closing.map(({ sse }) => framed(sse)),
    ...(isChunked && hasEnd ? [lastChunk(settings)] : []),
  ];
  return [
    bare(Buffer.concat(opening), firstMs),
    ...joined(plan.content, plan.atMs, settings.eventsPerWrite).map(part => ({
      ...part,
      bytes: framed(part.bytes),
    })),
    ...(closing.length === 0 ? [] : [bare(Buffer.concat(closing), lastMs)]),
  ];
};

/** Bytes without content. */
export const bare = (bytes: Buffer, atMs: number): ReplyPart => ({ bytes, atMs, tokens: 0, chunks: 0 });

/** Several events are one write at the time of the last: like a server that buffers before it flushes. */
const joined = (events: readonly StreamEvent[], atMs: Float64Array, size: number): readonly ReplyPart[] => {
  const parts: ReplyPart[] = [];
  for (let start = 0; start < events.length; start += size) {
    const group = events.slice(start, start + size);
    parts.push({
      bytes: Buffer.concat(group.map(({ sse }) => sse)),
      atMs: atMs[start + group.length - 1] ?? 0,
      tokens: group.reduce((sum, { tokens }) => sum + tokens, 0),
      chunks: group.reduce((sum, { chunks }) => sum + chunks, 0),
    });
  }
  return parts;
};

interface Cutting {
  readonly writesPerEvent: number;
  readonly splitsUtf8: boolean;
  readonly apartMs: number;
  readonly ending: Ending;
  readonly expected: Expected;
}

export const cutParts = (parts: readonly ReplyPart[], cutting: Cutting): Reply => {
  const whole = Buffer.concat(parts.map(({ bytes }) => bytes));
  const pieces: Buffer[] = [];
  const atMs: number[] = [];
  const tokens: number[] = [];
  const chunks: number[] = [];
  let start = 0;
  for (const part of parts) {
    const ends = cutsOf(part.bytes, cutting);
    for (const [index, end] of ends.entries()) {
      const isLast = index === ends.length - 1;
      pieces.push(whole.subarray(start + (ends[index - 1] ?? 0), start + end));
      atMs.push(part.atMs + index * cutting.apartMs);
      tokens.push(isLast ? part.tokens : 0);
      chunks.push(isLast ? part.chunks : 0);
    }
    start += part.bytes.length;
  }
  const stampsAt = offsetsOf(whole, STAMP_FIELD).map(at => at + STAMP_FIELD.indexOf('0'));
  return {
    pieces,
    timeline: {
      atMs: Float64Array.from(ascending(atMs)),
      tokens: Uint32Array.from(tokens),
      chunks: Uint32Array.from(chunks),
    },
    ending: cutting.ending,
    apartMs: cutting.apartMs,
    stamps: stampsAt.length === 0 ? undefined : { kind: 'whole', whole, at: stampsAt },
    expected: cutting.expected,
    promptTokens: 0,
  };
};

/** Where the pieces of a part end. */
const cutsOf = (bytes: Buffer, { writesPerEvent, splitsUtf8 }: Cutting): readonly number[] => {
  const ends = new Set<number>();
  const count = Math.min(writesPerEvent, bytes.length);
  for (let index = 1; index <= count; index += 1) ends.add(Math.round((bytes.length * index) / count));
  if (splitsUtf8) {
    const lead = bytes.findIndex(byte => byte >= 0xc2);
    if (lead !== -1 && lead + 1 < bytes.length) ends.add(lead + 1);
  }
  return [...ends].sort((a, b) => a - b);
};

/** Cuts that take longer than a gap delay what follows. */
const ascending = (times: readonly number[]): readonly number[] => {
  let latest = 0;
  return times.map(time => {
    latest = Math.max(latest, time);
    return latest;
  });
};

const offsetsOf = (bytes: Buffer, text: string): readonly number[] => {
  const offsets: number[] = [];
  for (let at = bytes.indexOf(text); at !== -1; at = bytes.indexOf(text, at + 1)) offsets.push(at);
  return offsets;
};

export const CUT_APART_MS = 0.2;
