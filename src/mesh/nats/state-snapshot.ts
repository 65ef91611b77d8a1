// The last values of all nodes as the server stores them, read once after connecting: the first picture, and
// what is still known of nodes that are away. Each is a record that its origin signed, so nothing here is
// trusted before that is verified; what an origin's values leave out was replaced by later ones.

import type { NatsConnection } from '@nats-io/nats-core';
import type { NodeId } from '../../core/ids.ts';
import { decodeRecordHead } from '../../wire/durable-record.ts';
import {
  decodeMeshMessage,
  encodeMeshMessage,
  recordFrameBytes,
  type WireRecord,
} from '../../wire/mesh-message.ts';
import { type JournalPosition, MESH_LIST_LENGTH_MAX, type VectorEntry } from '../../wire/version-vector.ts';
import type { FleetSubject, FleetSubjects } from './fleet-subjects.ts';
import { listStateStreams, readNodeStates } from './state-streams.ts';

interface SnapshotRecord {
  readonly seq: number;
  readonly kind: string;
  readonly wire: WireRecord;
  /** When the server stored it, by its own clock. */
  readonly storedAtMs: number;
}

interface SnapshotOrigin {
  /** Publisher of the newest of its records: the origin itself, or a bridge to it. */
  publisher: NodeId;
  epoch: number;
  through: number;
  /** By number: a server that repeats one adds nothing. */
  records: Map<number, SnapshotRecord>;
}

export class StateSnapshot {
  readonly #origins = new Map<NodeId, SnapshotOrigin>();
  #bytes = 0;
  #newestStoredAtMs = 0;
  #readAtMs = 0;

  /**
   * Records of an older epoch than the newest of their origin are dropped: its journal was recreated since.
   */
  add(frame: Uint8Array, storedAtMs: number, publisher: NodeId): boolean {
    const decoded = decodeMeshMessage(frame);
    if (decoded.kind !== 'message' || decoded.message.kind !== 'records') return false;
    const { origin, epoch, records } = decoded.message;
    if (!this.#origins.has(origin) && this.#origins.size >= MESH_LIST_LENGTH_MAX) return false;
    const stored = this.#origins.get(origin) ?? { publisher, epoch, through: 0, records: new Map() };
    this.#origins.set(origin, stored);
    if (epoch > stored.epoch) Object.assign(stored, { epoch, through: 0, records: new Map() });
    this.#newestStoredAtMs = Math.max(this.#newestStoredAtMs, storedAtMs);
    if (epoch < stored.epoch) return true;
    for (const wire of records) {
      const head = decodeRecordHead(wire.body);
      if (head === undefined) return false;
      const isNew = !stored.records.has(head.seq);
      if (isNew && this.#bytes + wire.body.length > SNAPSHOT_BYTES_MAX) return false;
      if (isNew) this.#bytes += wire.body.length;
      stored.records.set(head.seq, { seq: head.seq, kind: head.kind, wire, storedAtMs });
      if (head.seq > stored.through) Object.assign(stored, { publisher, through: head.seq });
    }
    return true;
  }

  /** `serverNowMs`: the server's clock now; undefined if it does not report that (before 2.10). */
  complete({
    serverNowMs,
    nowMs,
  }: {
    readonly serverNowMs: number | undefined;
    readonly nowMs: number;
  }): void {
    this.#newestStoredAtMs = Math.max(this.#newestStoredAtMs, serverNowMs ?? 0);
    this.#readAtMs = nowMs;
    for (const stored of this.#origins.values())
      stored.records = new Map([...stored.records].sort(([a], [b]) => a - b));
  }

  positionOf(origin: NodeId): JournalPosition | undefined {
    return this.#origins.get(origin);
  }

  publisherOf(origin: NodeId): NodeId {
    return this.#origins.get(origin)?.publisher ?? origin;
  }

  vectors(): readonly VectorEntry[] {
    return Array.from(this.#origins, ([origin, { epoch, through }]) => ({ origin, epoch, through })).filter(
      ({ through }) => through > 0,
    );
  }

  /** What follows the position, in mesh frames: a short one first. */
  *framesAfter(
    origin: NodeId,
    from: JournalPosition,
    { nowMs, chunkBytesMax }: { readonly nowMs: () => number; readonly chunkBytesMax: number },
  ): Generator<Uint8Array> {
    const stored = this.#origins.get(origin);
    if (stored === undefined || stored.epoch < from.epoch) return;
    let after = stored.epoch === from.epoch ? from.through : 0;
    let records: WireRecord[] = [];
    let bytes = 0;
    let last = after;
    let isFirst = true;
    let isNamed = false;
    const frame = (): Uint8Array => {
      const { epoch, through } = stored;
      const made = encodeMeshMessage({ kind: 'records', origin, epoch, after, through, records });
      after = last;
      records = [];
      bytes = 0;
      return made;
    };
    for (const { seq, kind, wire, storedAtMs } of stored.records.values()) {
      if (seq <= last) continue;
      const size = recordFrameBytes(wire.body);
      const isFull =
        bytes + size > chunkBytesMax || (isFirst && (isNamed || records.length === FIRST_RECORDS));
      if (records.length > 0 && isFull) {
        yield frame();
        isFirst = false;
      }
      isNamed ||= kind === 'identity.gathered';
      const waitedMs =
        Math.max(0, this.#newestStoredAtMs - storedAtMs) + Math.max(0, nowMs() - this.#readAtMs);
      records.push({ ...wire, ageMs: wire.ageMs + waitedMs });
      bytes += size;
      last = seq;
    }
    if (records.length > 0) yield frame();
  }
}

interface SnapshotParts {
  readonly connection: NatsConnection;
  readonly nowMs: () => number;
  readonly subjects: FleetSubjects;
  /** The server's clock; undefined if it does not report that (before 2.10). */
  readonly serverNowMs: number | undefined;
  /** The rest of what a node wrote is not read: too much of it does not open. */
  readonly skipped: (node: NodeId) => void;
  /** Replies of the server are stored as last values of a node; once for each. */
  readonly misdirected: (node: NodeId) => void;
  /** Other nodes have streams for their last values, and this one has none. */
  readonly withoutStream: () => void;
  /** The frame in a message, or undefined if it is refused; counted there. */
  readonly open: (subject: string, of: FleetSubject, data: Uint8Array) => Uint8Array | undefined;
  readonly signal: AbortSignal;
}

/** @throws the server's error, or the signal's reason. */
export const readStates = async (parts: SnapshotParts): Promise<StateSnapshot> => {
  const { subjects, open, serverNowMs } = parts;
  const snapshot = new StateSnapshot();
  const take = (subject: string, data: Uint8Array, storedAtMs: number): boolean => {
    const of = subjects.parse(subject);
    const frame = of === undefined ? undefined : open(subject, of, data);
    if (of === undefined || frame === undefined) return false;
    snapshot.add(frame, storedAtMs, of.publisher);
    return true;
  };
  const nodes = await listStateStreams(parts);
  if (nodes.length === 0) throw new StateStreamMissing();
  if (!nodes.includes(subjects.self)) parts.withoutStream();
  await readNodeStates({ ...parts, nodes, take });
  snapshot.complete({ serverNowMs, nowMs: parts.nowMs() });
  return snapshot;
};

/** No node has a stream for its last values. */
export class StateStreamMissing extends Error {
  override readonly name = 'StateStreamMissing';
}

/**
 * The first frame ends with the identity of the node, or here: a person who waits for a picture needs that of
 * all nodes first.
 */
const FIRST_RECORDS = 8;
/** Limit for records, for a minute; a fleet of a thousand nodes has about 50 MB. */
const SNAPSHOT_BYTES_MAX = 536_870_912;
