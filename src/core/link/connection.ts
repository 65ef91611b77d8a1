// One directed connection from a source node to a sink node. Written by the source alone.

import * as v from 'valibot';
import type { NodeId } from '../ids.ts';
import { count, figure, type Infer, nodeIdSchema, openObject, reported, text } from '../schema.ts';

export const connectionTypeSchema = v.picklist([
  'wifi',
  'ethernet',
  'thunderbolt',
  'infiniband',
  'roce',
  'overlay',
  'loopback',
]);

export type ConnectionType = Infer<typeof connectionTypeSchema>;

export const connectionSchema = v.variant('kind', [
  openObject({
    kind: v.literal('socket'),
    sink: nodeIdSchema,
    /** IPv4, IPv6, or scoped link-local "fe80::1%en3" (the scope is the source's). */
    sinkAddress: text,
    sourceInterface: reported(text),
    /** The sink's interface that has the address; the last one known while its readings do not show the address. */
    sinkInterface: reported(text),
    type: reported(connectionTypeSchema),
    negotiatedBitsPerSecond: reported(figure),
  }),
  openObject({
    kind: v.literal('rdma'),
    sink: nodeIdSchema,
    sourceInterface: text,
    sinkInterface: text,
    type: reported(connectionTypeSchema),
    negotiatedBitsPerSecond: reported(figure),
  }),
]);

export type Connection = Infer<typeof connectionSchema>;

/** Why a connection was lost. Those of a node end when the node returns. */
export const LOSS_CODES = [
  'no-answer',
  'interface-down',
  'address-gone',
  'node-stopped',
  'node-offline',
] as const;
export type LossCode = (typeof LOSS_CODES)[number];

export const lostConnectionSchema = openObject({
  sink: nodeIdSchema,
  connectionKey: text,
  /** As it was last recorded. */
  connection: connectionSchema,
  code: v.picklist(LOSS_CODES),
  reason: text,
  /** How long ago it was lost when this was written, ms: 0, or more if only the reason has changed since. */
  lostAgeMs: figure,
});

/**
 * A connection that was open and is not any more. It remains, with its last profile, until it opens again or
 * is closed for good.
 */
export type LostConnection = Infer<typeof lostConnectionSchema>;

const position = { source: nodeIdSchema, durableEpoch: count, durableSeq: count };

export const linkForgottenSchema = openObject({
  /** The lesser id first. */
  nodes: v.tuple([nodeIdSchema, nodeIdSchema]),
  through: v.tuple([openObject(position), openObject(position)]),
});

export type LinkForgotten = Infer<typeof linkForgottenSchema>;

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
