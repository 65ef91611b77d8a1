// One frame of a mesh link. The first two bytes are version and type; records and live events follow as the
// exact bytes of their origin after a small binary head, everything else as JSON. Decoding never throws.

import { isNodeId, type NodeId } from '../core/ids.ts';
import { NOT_REPORTED } from '../core/schema.ts';
import type { Reported } from '../core/unknown.ts';
import { RECORD_BYTES_MAX } from './durable-record.ts';
import { ByteReader, ByteWriter } from './frame-bytes.ts';
import { parseShallowObject } from './shallow-json.ts';
import { isWhole, nodesOf, rowsOf, type VectorEntry, vectorOf } from './version-vector.ts';

export const MESH_PROTOCOL_VERSION = 1;
/**
 * The origin's raw public key, then its signature over the body: a record is verifiable whichever node relays
 * it.
 */
export const PROOF_BYTES = 96;
/** Limit for one live event's body. */
export const LIVE_BODY_BYTES_MAX = 65_536;
/** Records or live events per frame. */
export const ENTRIES_PER_FRAME_MAX = 8_192;

export interface WireRecord {
  /** When the frame was sent, ms. */
  readonly ageMs: number;
  readonly proof: Uint8Array;
  readonly body: Uint8Array;
}

export interface WireLive {
  readonly ageMs: number;
  readonly body: Uint8Array;
  /** As for a record. Needed by a node that relays it: on its origin's own link it proves nothing more. */
  readonly proof?: Uint8Array;
}

export type MeshMessage =
  | {
      readonly kind: 'hello';
      readonly plimsollVersion: Reported<string>;
      readonly vectors: readonly VectorEntry[];
      readonly live: readonly VectorEntry[];
      readonly neighboursVersion: number;
      readonly neighbours: readonly NodeId[];
    }
  /** "Send me what follows `through`, of this epoch or a newer one." */
  | { readonly kind: 'want'; readonly wants: readonly VectorEntry[] }
  | {
      readonly kind: 'records';
      readonly origin: NodeId;
      readonly epoch: number;
      /** All stored records above `after` up to the last one here: gaps were made by compaction. */
      readonly after: number;
      /**
       * How far the sender's records go: there is more to request past the last record here. A hint, never
       * applied.
       */
      readonly through: number;
      /**
       * Tip of the sender's record at `after`, if it has it: shows the receiver whether its own branch
       * continues here.
       */
      readonly afterTip?: number;
      readonly records: readonly WireRecord[];
    }
  /** Two records that the origin signed for one position. */
  | {
      readonly kind: 'fork';
      readonly origin: NodeId;
      readonly epoch: number;
      readonly records: readonly WireRecord[];
    }
  | { readonly kind: 'live'; readonly entries: readonly WireLive[] }
  | {
      readonly kind: 'digest';
      readonly vectors: readonly VectorEntry[];
      readonly live: readonly VectorEntry[];
      readonly neighboursVersion: number;
    }
  | {
      readonly kind: 'neighbours';
      readonly version: number;
      /** The version that the change is against; -1 for a whole list, all of it in `added`. */
      readonly base: number;
      readonly added: readonly NodeId[];
      readonly removed: readonly NodeId[];
    }
  | { readonly kind: 'ask-neighbours' };

type DecodedMessage =
  | { readonly kind: 'message'; readonly message: MeshMessage }
  | { readonly kind: 'other-version'; readonly version: number }
  /** A type of message that this version does not know: skipped. */
  | { readonly kind: 'unknown-type'; readonly type: number }
  | { readonly kind: 'malformed'; readonly reason: string };

export const encodeMeshMessage = (message: MeshMessage): Uint8Array => {
  const type = TYPES[message.kind];
  switch (message.kind) {
    case 'records':
      return encodeRecords(type, message);
    case 'fork':
      return encodeRecords(type, { ...message, after: 0, through: 0 });
    case 'live':
      return encodeLive(message.entries);
    default:
      return jsonFrame(type, jsonOf(message));
  }
};

/** Never throws. Bytes of records are views of the frame, not copies. */
export const decodeMeshMessage = (frame: Uint8Array): DecodedMessage => {
  const [version, type] = frame;
  if (version === undefined || type === undefined) return malformed('shorter than its header');
  if (version !== MESH_PROTOCOL_VERSION) return { kind: 'other-version', version };
  const body = frame.subarray(2);
  if (type === TYPES.records || type === TYPES.fork) return decodeRecords(type, body);
  if (type === TYPES.live) return decodeLive(body);
  const kind = JSON_KINDS.find(one => TYPES[one] === type);
  if (kind === undefined) return { kind: 'unknown-type', type };
  const message = messageOf(kind, parseShallowObject(body));
  return message === undefined ? malformed(`not a ${kind}`) : { kind: 'message', message };
};

/** Bytes that one more record adds to a frame. */
export const recordFrameBytes = (body: Uint8Array): number => 12 + PROOF_BYTES + body.length;
export const liveFrameBytes = ({ body, proof }: WireLive): number => 13 + (proof?.length ?? 0) + body.length;

type Message<K extends MeshMessage['kind']> = Extract<MeshMessage, { kind: K }>;
type JsonKind = Exclude<MeshMessage['kind'], 'records' | 'fork' | 'live'>;

const jsonFrame = (type: number, value: unknown): Uint8Array => {
  const text = Buffer.from(JSON.stringify(value), 'utf8');
  const frame = new Uint8Array(2 + text.length);
  frame[0] = MESH_PROTOCOL_VERSION;
  frame[1] = type;
  frame.set(text, 2);
  return frame;
};

const jsonOf = (message: Message<JsonKind>): unknown => {
  switch (message.kind) {
    case 'hello':
      return { ...message, vectors: rowsOf(message.vectors), live: rowsOf(message.live), kind: undefined };
    case 'digest':
      return { ...message, vectors: rowsOf(message.vectors), live: rowsOf(message.live), kind: undefined };
    case 'want':
      return { wants: rowsOf(message.wants) };
    case 'neighbours':
    case 'ask-neighbours':
      return { ...message, kind: undefined };
    default:
      return message satisfies never;
  }
};

const messageOf = (
  kind: JsonKind,
  value: { readonly [name: string]: unknown } | undefined,
): MeshMessage | undefined => {
  if (value === undefined) return undefined;
  switch (kind) {
    case 'hello': {
      const vectors = vectorOf(value['vectors']);
      const live = vectorOf(value['live']);
      const neighbours = nodesOf(value['neighbours']);
      const { neighboursVersion, plimsollVersion } = value;
      if (vectors === undefined || live === undefined || neighbours === undefined) return undefined;
      if (!isWhole(neighboursVersion)) return undefined;
      const isStated = typeof plimsollVersion === 'string' && plimsollVersion.length <= 64;
      const version = isStated ? plimsollVersion : NOT_REPORTED;
      return { kind, plimsollVersion: version, vectors, live, neighboursVersion, neighbours };
    }
    case 'digest': {
      const vectors = vectorOf(value['vectors']);
      const live = vectorOf(value['live']);
      const { neighboursVersion } = value;
      if (vectors === undefined || live === undefined || !isWhole(neighboursVersion)) return undefined;
      return { kind, vectors, live, neighboursVersion };
    }
    case 'want': {
      const wants = vectorOf(value['wants']);
      return wants === undefined ? undefined : { kind, wants };
    }
    case 'neighbours': {
      const added = nodesOf(value['added']);
      const removed = nodesOf(value['removed']);
      const { version, base } = value;
      if (added === undefined || removed === undefined || !isWhole(version)) return undefined;
      if (base !== -1 && !isWhole(base)) return undefined;
      return { kind, version, base, added, removed };
    }
    case 'ask-neighbours':
      return { kind };
    default:
      return kind satisfies never;
  }
};

const encodeRecords = (
  type: number,
  { origin, epoch, after, through, afterTip, records }: Omit<Message<'records'>, 'kind'>,
): Uint8Array => {
  const bytes = records.reduce((sum, { body }) => sum + recordFrameBytes(body), 2 + ORIGIN_BYTES + 32);
  const writer = new ByteWriter(bytes);
  writer.byte(MESH_PROTOCOL_VERSION);
  writer.byte(type);
  writer.bytes(Buffer.from(origin, 'latin1'));
  writer.number(epoch);
  writer.number(after);
  writer.number(through);
  writer.number(afterTip ?? 0);
  for (const { ageMs, proof, body } of records) {
    writer.number(ageMs);
    writer.bytes(proof);
    writer.length(body.length);
    writer.bytes(body);
  }
  return writer.written();
};

const decodeRecords = (type: number, bytes: Uint8Array): DecodedMessage => {
  const reader = new ByteReader(bytes);
  const origin = Buffer.from(reader.bytes(ORIGIN_BYTES)).toString('latin1');
  const epoch = reader.number();
  const after = reader.number();
  const through = reader.number();
  const afterTip = reader.number();
  const records: WireRecord[] = [];
  while (reader.hasMore && records.length < ENTRIES_PER_FRAME_MAX) {
    const ageMs = reader.number();
    const proof = reader.bytes(PROOF_BYTES);
    const bodyBytes = reader.length();
    if (bodyBytes > RECORD_BYTES_MAX) return malformed('a record is too large');
    records.push({ ageMs, proof, body: reader.bytes(bodyBytes) });
    if (!isAge(ageMs)) return malformed('an age is not a number');
  }
  if (!reader.isWhole || reader.hasMore) return malformed('records are cut off, or too many');
  if (!isNodeId(origin) || !isWhole(epoch) || !isWhole(after) || !isWhole(through) || !isWhole(afterTip))
    return malformed('records without a slot');
  if (type === TYPES.fork) return { kind: 'message', message: { kind: 'fork', origin, epoch, records } };
  const range = { origin, epoch, after, through, ...(afterTip === 0 ? {} : { afterTip }) };
  return { kind: 'message', message: { kind: 'records', ...range, records } };
};

const encodeLive = (entries: readonly WireLive[]): Uint8Array => {
  const writer = new ByteWriter(entries.reduce((sum, entry) => sum + liveFrameBytes(entry), 2));
  writer.byte(MESH_PROTOCOL_VERSION);
  writer.byte(TYPES.live);
  for (const { ageMs, proof, body } of entries) {
    writer.number(ageMs);
    writer.byte(proof === undefined ? 0 : 1);
    if (proof !== undefined) writer.bytes(proof);
    writer.length(body.length);
    writer.bytes(body);
  }
  return writer.written();
};

const decodeLive = (bytes: Uint8Array): DecodedMessage => {
  const reader = new ByteReader(bytes);
  const entries: WireLive[] = [];
  while (reader.hasMore && entries.length < ENTRIES_PER_FRAME_MAX) {
    const ageMs = reader.number();
    const [hasProof = 0] = reader.bytes(1);
    if (hasProof > 1) return malformed('a live event with an unknown part');
    const proof = hasProof === 1 ? reader.bytes(PROOF_BYTES) : undefined;
    const bodyBytes = reader.length();
    if (bodyBytes > LIVE_BODY_BYTES_MAX) return malformed('a live event is too large');
    const body = reader.bytes(bodyBytes);
    entries.push(proof === undefined ? { ageMs, body } : { ageMs, body, proof });
    if (!isAge(ageMs)) return malformed('an age is not a number');
  }
  if (!reader.isWhole || reader.hasMore) return malformed('live events are cut off, or too many');
  return { kind: 'message', message: { kind: 'live', entries } };
};

const malformed = (reason: string): DecodedMessage => ({ kind: 'malformed', reason });

/** Up to a century: a greater value is not an age. */
const isAge = (value: number): boolean => value >= 0 && value <= 3.2e12;

const ORIGIN_BYTES = 26;
const JSON_KINDS = ['hello', 'want', 'digest', 'neighbours', 'ask-neighbours'] as const;
const TYPES: { readonly [K in MeshMessage['kind']]: number } = {
  hello: 1,
  want: 2,
  records: 3,
  live: 4,
  digest: 5,
  neighbours: 6,
  'ask-neighbours': 7,
  fork: 8,
};
