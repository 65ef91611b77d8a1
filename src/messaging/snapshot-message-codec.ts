// Snapshots as messages. One that cannot be decoded is skipped and counted: the next one comes in a moment.

import type { MetricsSnapshot } from '../core/run/snapshot.ts';
import { decodeSnapshotPacked, encodeSnapshotPacked } from '../wire/snapshot-codec.ts';
import type { MessageCodec } from './codec.ts';

const SNAPSHOT_TOPIC = 'snapshot';

export const snapshotCodec: MessageCodec<MetricsSnapshot> = {
  encode: snapshot => ({ topic: SNAPSHOT_TOPIC, payload: encodeSnapshotPacked(snapshot) }),
  decode: decodeSnapshotPacked,
  onDecodeError: () => undefined,
};
