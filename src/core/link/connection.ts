// One way from a source node to a sink node. Written by the source alone.

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

/** Names a connection among those of one source and sink. */
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
