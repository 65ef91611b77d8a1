// The lines of a recording: a header, then for each snapshot the whole state as events, origin by origin, then batches
// of later events, and an end. Everything is a wire event, so reading it back applies the same checks as for a peer.

import { constants, crc32, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import * as v from 'valibot';
import { currentFacts, nodesIn } from '../core/entry-maps.ts';
import type { Event } from '../core/event.ts';
import { eventClass, factKey, isEventKind } from '../core/event-kinds.ts';
import { isNodeId, type NodeId } from '../core/ids.ts';
import { INPUT_LIMITS } from '../core/input/input-limits.ts';
import type { Infer } from '../core/schema.ts';
import type { State } from '../core/state.ts';
import { decodeFact, factFrom } from '../wire/event-schema.ts';
import { parseShallowJson } from '../wire/shallow-json.ts';

export const RECORDING_FORMAT = 'plimsoll recording';

export const RECORDING_VERSION = 1;

export interface RecordingHeader {
  readonly kind: 'header';
  readonly format: typeof RECORDING_FORMAT;
  readonly version: number;
  readonly plimsollVersion: string;
  /** Whose daemon was recorded. */
  readonly nodeId: NodeId;
  readonly areNamesKept: boolean;
}

/** The durable position of an origin, 0 if it has none, and its entries in state. */
export interface OriginLine {
  readonly kind: 'origin';
  readonly origin: NodeId;
  readonly epoch: number;
  readonly through: number;
  /** Since its newest durable event was received, ms. */
  readonly lastSeenMs: number;
  readonly events: readonly RecordedEvent[];
}

type DecodedLine =
  | { readonly kind: 'line'; readonly line: RecordingLine }
  | { readonly kind: 'refused'; readonly reason: string };

/** Never throws. */
export const decodeLine = (text: string): DecodedLine => {
  const value = parseShallowJson(text);
  const result = v.safeParse(lineSchema, value);
  if (result.success) return { kind: 'line', line: result.output };
  const [issue] = result.issues;
  return { kind: 'refused', reason: `${v.getDotPath(issue) ?? 'a line'}: ${issue.message}` };
};

/** As it is at `nowMs` on this process's clock; undefined if no peer could have sent it. */
export const eventOf = (recorded: RecordedEvent, nowMs: number): Event | undefined => {
  const { kind, key, payload, origin, epoch, seq, ageMs, waitedMs } = recorded;
  const decoded = decodeFact(kind, key, payload);
  if (decoded.kind !== 'known') return undefined;
  const head = { origin, epoch, seq, key, ageMs, receivedAtMs: nowMs - waitedMs };
  return { ...head, class: eventClass(decoded.fact.kind), ...decoded.fact };
};

/** Undefined for a kind that this version does not know: it cannot know what to hide in it. */
export const recordedEvent = (event: Event, nowMs: number): RecordedEvent | undefined => {
  if (event.kind === 'unknown' || !isEventKind(event.kind)) return undefined;
  const { origin, epoch, seq, kind, key, payload, ageMs, receivedAtMs } = event;
  const waitedMs = Math.round(Math.max(0, nowMs - receivedAtMs));
  return { origin, epoch, seq, kind, key, payload, ageMs: Math.round(ageMs), waitedMs };
};

/** Every node that state has an entry or a position of, ascending. */
export const originsOf = (state: State): readonly NodeId[] => {
  const { unknownKinds: _unread, refusedKinds: _refused, ...maps } = state;
  return [...new Set(Object.values(maps).flatMap(nodesIn))].sort();
};

/** Durable ones ascending by seq, then live ones in the same order. */
export const eventsOf = (state: State, origin: NodeId): readonly Event[] =>
  currentFacts(state, origin)
    .flatMap(({ kind, payload, entry: { epoch, seq, ageMs, receivedAtMs } }) => {
      const fact = factFrom(kind, payload);
      if (fact === undefined) return [];
      const head = { origin, epoch, seq, ageMs, receivedAtMs, class: eventClass(kind), key: factKey(fact) };
      return [{ ...head, ...fact }];
    })
    .sort((a, b) => (a.class === b.class ? a.seq - b.seq : a.class === 'durable' ? -1 : 1));

/** The sum of two, plus the time it is shown, still fits a number. */
const duration = v.pipe(v.number(), v.minValue(0), v.maxValue(Number.MAX_SAFE_INTEGER));

const position = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

const nodeId = v.custom<NodeId>(isNodeId, 'not a node id');

const event = v.object({
  origin: nodeId,
  epoch: position,
  seq: position,
  kind: v.pipe(v.string(), v.maxLength(64)),
  key: v.pipe(v.string(), v.maxLength(4_096)),
  payload: v.unknown(),
  /** At its receipt, ms. */
  ageMs: duration,
  /** Since its receipt, at the moment of the line, ms. */
  waitedMs: duration,
});

export type RecordedEvent = Infer<typeof event>;

const lineSchema = v.variant('kind', [
  v.object({
    kind: v.literal('header'),
    format: v.literal(RECORDING_FORMAT),
    version: position,
    plimsollVersion: v.pipe(v.string(), v.maxLength(64)),
    nodeId,
    areNamesKept: v.boolean(),
  }),
  v.object({ kind: v.literal('begin'), atMs: duration }),
  v.object({
    kind: v.literal('origin'),
    origin: nodeId,
    epoch: position,
    through: position,
    lastSeenMs: duration,
    events: v.array(event),
  }),
  v.object({ kind: v.literal('ready') }),
  v.object({ kind: v.literal('batch'), atMs: duration, events: v.array(event) }),
  v.object({ kind: v.literal('end'), atMs: duration }),
]);

export type RecordingLine = Infer<typeof lineSchema>;

// A recording on disk is a series of blocks: a zstd frame of lines, and before it a skippable frame (RFC 8878 §3.1.2)
// with its length and checksum. So `zstd -dc FILE` reads it like any other, while we can find the last complete block
// of a truncated file and the first invalid one of a damaged file. Each block is independent.
export const BLOCK_HEAD_BYTES = 16;

export const encodeBlock = (text: string): Uint8Array => {
  const frame = zstdCompressSync(Buffer.from(text, 'utf8'), {
    params: { [constants.ZSTD_c_compressionLevel]: COMPRESSION_LEVEL },
  });
  const head = Buffer.alloc(BLOCK_HEAD_BYTES);
  head.writeUInt32LE(SKIPPABLE_MAGIC, 0);
  head.writeUInt32LE(HEAD_CONTENT_BYTES, 4);
  head.writeUInt32LE(frame.length, 8);
  head.writeUInt32LE(crc32(frame), 12);
  return Buffer.concat([head, frame]);
};

type BlockHead =
  | { readonly kind: 'head'; readonly frameBytes: number; readonly checksum: number }
  | { readonly kind: 'wrong' };

export const decodeBlockHead = (bytes: Uint8Array): BlockHead => {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (head.length < BLOCK_HEAD_BYTES || head.readUInt32LE(0) !== SKIPPABLE_MAGIC) return { kind: 'wrong' };
  const frameBytes = head.readUInt32LE(8);
  if (head.readUInt32LE(4) !== HEAD_CONTENT_BYTES || frameBytes > INPUT_LIMITS.recording.bytesMax)
    return { kind: 'wrong' };
  return { kind: 'head', frameBytes, checksum: head.readUInt32LE(12) };
};

/** Undefined if the checksum, the frame or its size is wrong. */
export const decodeBlockText = (frame: Uint8Array, checksum: number): string | undefined => {
  if (crc32(frame) !== checksum) return undefined;
  try {
    const bytes = zstdDecompressSync(frame, { maxOutputLength: INPUT_LIMITS.recording.expandedBytesMax });
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
};

const SKIPPABLE_MAGIC = 0x184d2a50;
const HEAD_CONTENT_BYTES = 8;
/** Half the size of level 3 on event streams, and still one millisecond per block. */
const COMPRESSION_LEVEL = 12;
