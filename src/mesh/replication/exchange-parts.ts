// The parts of replication, and what its durable and live halves share.

import type { Clock } from '../../clock/clock.ts';
import type { NodeId } from '../../core/ids.ts';
import type { NodeKeys } from '../../wire/node-signature.ts';
import type { MeshTransport } from '../mesh.ts';
import type { ReplicationLimits } from './limits.ts';
import type { OwnProof } from './record-proof.ts';
import type { Relays } from './relay-rule.ts';
import type { ReplicaPeer } from './replica-peer.ts';
import type { ReplicaStore } from './replica-store.ts';
import type { ReplicationCounts } from './replication-counts.ts';

export interface ReplicatorParts {
  readonly mesh: Pick<MeshTransport, 'localId' | 'links' | 'onLink'>;
  readonly store: ReplicaStore;
  readonly clock: Clock;
  /** Raw ed25519 key of this node, 32 bytes: it travels with the node's records. */
  readonly publicKey: Uint8Array;
  /** By the same identity: live events carry it, durable ones are signed when they are recorded. */
  readonly sign: (bytes: Uint8Array) => Uint8Array;
  readonly plimsollVersion: string;
  readonly limits?: ReplicationLimits;
}

export interface ExchangeParts {
  readonly self: NodeId;
  readonly own: OwnProof;
  /** By this node's identity; 64 bytes. */
  readonly sign: (bytes: Uint8Array) => Uint8Array;
  readonly keys: NodeKeys;
  readonly store: ReplicaStore;
  readonly counts: ReplicationCounts;
  readonly limits: ReplicationLimits;
  readonly nowMs: () => number;
  readonly peers: ReadonlyMap<NodeId, ReplicaPeer>;
  /** Which node relays what to which. */
  readonly relays: Relays;
}
