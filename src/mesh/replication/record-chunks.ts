// Frames of records, read from the store a chunk at a time. The receiver requests the next one, so a long
// catch-up runs at its pace. Peers at the same position at the same moment share one frame, encoded once.

import type { NodeId } from '../../core/ids.ts';
import {
  ENTRIES_PER_FRAME_MAX,
  encodeMeshMessage,
  recordFrameBytes,
  type WireRecord,
} from '../../wire/mesh-message.ts';
import { afterIn, isAhead, type JournalPosition } from '../../wire/version-vector.ts';
import { type OwnProof, proofOf } from './record-proof.ts';
import { tipOf } from './record-tips.ts';
import type { ReplicaStore } from './replica-store.ts';
import type { ReplicationCounts } from './replication-counts.ts';

export interface Chunk {
  readonly frame: Uint8Array;
  readonly records: number;
  /** The position of a peer that has received it. */
  readonly last: JournalPosition;
}

export interface ChunkSource {
  /** Undefined if there is nothing to send of the origin. */
  chunkAfter(origin: NodeId, from: JournalPosition): Chunk | undefined;
}

interface ChunkParts {
  readonly store: ReplicaStore;
  readonly own: OwnProof;
  readonly counts: ReplicationCounts;
  readonly chunkBytesMax: number;
  readonly nowMs: () => number;
}

export const createRecordChunks = (parts: ChunkParts): ChunkSource => {
  const made = new Map<string, Chunk | undefined>();
  let madeAtMs = Number.NaN;
  return {
    chunkAfter: (origin, from) => {
      const position = parts.store.position(origin);
      if (position === undefined || !isAhead(position, from)) return undefined;
      const after = afterIn(position.epoch, from);
      const nowMs = parts.nowMs();
      if (nowMs !== madeAtMs || made.size >= CHUNKS_BUFFERED_MAX) made.clear();
      madeAtMs = nowMs;
      const name = `${origin} ${position.epoch} ${position.through} ${after}`;
      if (!made.has(name)) made.set(name, makeChunk(parts, position, after));
      return made.get(name);
    },
  };
};

const makeChunk = (
  { store, own, counts, chunkBytesMax }: ChunkParts,
  { origin, epoch, through }: JournalPosition & { readonly origin: NodeId },
  after: number,
): Chunk | undefined => {
  const records: WireRecord[] = [];
  let last = after;
  let bytes = 0;
  let afterTip: number | undefined;
  for (const record of store.recordsAfter(origin, Math.max(0, after - 1))) {
    if (record.seq === after) afterTip = tipOf(record.signature);
    if (record.seq <= after) continue;
    const proof = proofOf(record, own);
    if (proof === undefined) {
      counts.unprovable += 1;
      continue;
    }
    const size = recordFrameBytes(record.body);
    if (records.length > 0 && (bytes + size > chunkBytesMax || records.length >= ENTRIES_PER_FRAME_MAX))
      break;
    records.push({ ageMs: record.ageMs, proof, body: record.body });
    bytes += size;
    last = record.seq;
  }
  if (records.length === 0) return undefined;
  const range = { origin, epoch, after, through, ...(afterTip === undefined ? {} : { afterTip }) };
  return {
    frame: encodeMeshMessage({ kind: 'records', ...range, records }),
    records: records.length,
    last: { epoch, through: last },
  };
};

const CHUNKS_BUFFERED_MAX = 64;
