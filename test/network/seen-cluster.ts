// The arguments of a daemon of the network tests, and what it reports of the cluster, one line each time it changes.

import type { HostSettings } from './daemon-on-host.ts';

export type DaemonSettings = Required<HostSettings>;

export interface SeenCluster {
  /** Of the reporting daemon. */
  readonly nodeId: string;
  /** Of its durable state. */
  readonly hash: string;
  /** By name. */
  readonly nodes: Readonly<Record<string, SeenNode>>;
  /** "left > right", by name, of every connection that counts now; two of one pair are listed once. */
  readonly ways: readonly string[];
  readonly notices: readonly string[];
}

export interface SeenNode {
  readonly id: string;
  readonly presence: 'live' | 'stale' | 'offline';
  /** It announced a stop. */
  readonly isStopped: boolean;
  /** Of its config: what a test changes to make it write a durable event. */
  readonly tags: readonly string[];
  /** Of the journal that its identity was written to; 0 while that is not known. */
  readonly identityEpoch: number;
  /** Of its newest live reading: the start of its daemon, and a number that grows. */
  readonly memory: { readonly start: number; readonly seq: number } | undefined;
}
