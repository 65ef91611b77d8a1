// Records for journal tests: bodies in the shape of wire/durable-record.ts, ids that belong to nobody.

import { type NodeId, nodeId } from '../../src/core/ids.ts';
import type { Journal } from '../../src/journal/journal.ts';
import type { DurableRecord } from '../../src/wire/durable-record.ts';

export const OWN: NodeId = nodeId('own00000000000000000000000');
export const PEER: NodeId = nodeId('peer0000000000000000000000');
export const OTHER: NodeId = nodeId('other000000000000000000000');

interface RecordParts {
  readonly origin?: NodeId;
  readonly epoch?: number;
  readonly seq: number;
  readonly kind?: string;
  readonly key?: string;
  readonly payload?: unknown;
  readonly ageMs?: number;
  readonly signature?: Uint8Array;
}

export const record = (parts: RecordParts): DurableRecord => {
  const { origin = PEER, epoch = 1, seq, kind = 'identity.gathered', key = '', payload = { seq } } = parts;
  return {
    origin,
    epoch,
    seq,
    kind,
    key,
    body: new TextEncoder().encode(JSON.stringify({ version: 1, origin, epoch, seq, kind, key, payload })),
    signature: parts.signature ?? new Uint8Array(64).fill(seq % 256),
    ageMs: parts.ageMs ?? 0,
  };
};

/** Records 1 to `count` of one journal. */
export const recordsTo = (count: number, parts: Omit<RecordParts, 'seq'> = {}): readonly DurableRecord[] =>
  Array.from({ length: count }, (_, index) => record({ ...parts, seq: index + 1 }));

/** Appends a record of the own node that follows the newest one. */
export const appendOwn = (
  journal: Journal,
  parts: Omit<RecordParts, 'seq' | 'origin' | 'epoch'> = {},
): number => {
  const position = journal.origins().find(one => one.origin === OWN);
  const seq = (position?.through ?? 0) + 1;
  journal.append([record({ ...parts, origin: OWN, epoch: journal.ownEpoch, seq })]);
  return seq;
};

export const seqsAfter = (journal: Journal, origin: NodeId, after = 0): readonly number[] =>
  Array.from(journal.recordsAfter(origin, after), ({ seq }) => seq);

export const payloadOf = ({ body }: Pick<DurableRecord, 'body'>): unknown =>
  JSON.parse(new TextDecoder().decode(body)).payload;
