// Every start and end of something that occupies an interface or a device of this node, as it happens: tests and people
// can check it against the rule that no two share one.

import type { NodeId } from '../../core/ids.ts';

export interface ProbeLogEntry {
  readonly kind: 'started' | 'ended';
  /** 'sink': this node has leased its interface to a peer. */
  readonly role: 'source' | 'sink' | 'device';
  readonly probe: 'gpu' | 'socket' | 'rdma';
  /** The node of the log: whose interfaces these are. */
  readonly node: NodeId;
  /** Device id, or "sink connection-key" with the connection's own sink. */
  readonly what: string;
  readonly ports: readonly string[];
  readonly atMs: number;
}

export type ProbeLog = (entry: ProbeLogEntry) => void;
