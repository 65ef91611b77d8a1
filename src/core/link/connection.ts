// One directed connection from a source node to a sink node. Written by the source alone.

import type { NodeId } from '../ids.ts';
import type { Reported } from '../unknown.ts';

export type ConnectionType =
  | 'wifi'
  | 'ethernet'
  | 'thunderbolt'
  | 'infiniband'
  | 'roce'
  | 'overlay'
  | 'loopback';

export type Connection =
  | {
      readonly kind: 'socket';
      readonly sink: NodeId;
      /** IPv4, IPv6, or scoped link-local "fe80::1%en3" (the scope is the source's). */
      readonly sinkAddress: string;
      readonly sourceInterface: Reported<string>;
      /** The sink's interface that has the address; the last one known while its readings do not show the address. */
      readonly sinkInterface: Reported<string>;
      readonly type: Reported<ConnectionType>;
      readonly negotiatedBitsPerSecond: Reported<number>;
    }
  | {
      readonly kind: 'rdma';
      readonly sink: NodeId;
      readonly sourceInterface: string;
      readonly sinkInterface: string;
      readonly type: Reported<ConnectionType>;
      readonly negotiatedBitsPerSecond: Reported<number>;
    };

/** Why a connection was lost. Those of a node end when the node returns. */
export const LOSS_CODES = [
  'no-answer',
  'interface-down',
  'address-gone',
  'node-stopped',
  'node-offline',
] as const;
export type LossCode = (typeof LOSS_CODES)[number];

/**
 * A connection that was open and is not any more. It remains, with its last profile, until it opens again or
 * is closed for good.
 */
export interface LostConnection {
  readonly sink: NodeId;
  readonly connectionKey: string;
  /** As it was last recorded. */
  readonly connection: Connection;
  readonly code: LossCode;
  readonly reason: string;
  /** How long ago it was lost when this was written, ms: 0, or more if only the reason has changed since. */
  readonly lostAgeMs: number;
}

export interface LinkForgotten {
  /** The lesser id first. */
  readonly nodes: readonly [NodeId, NodeId];
  readonly through: readonly [ForgottenThrough, ForgottenThrough];
}

export interface ForgottenThrough {
  readonly source: NodeId;
  readonly durableEpoch: number;
  readonly durableSeq: number;
}

/** Identifies a connection among those of one source and sink. */
export const connectionKey = (connection: Connection): string => {
  switch (connection.kind) {
    case 'socket':
      return `socket ${connection.sinkAddress}`;
    case 'rdma':
      return `rdma ${connection.sourceInterface} ${connection.sinkInterface}`;
    default:
      return connection satisfies never;
  }
};
