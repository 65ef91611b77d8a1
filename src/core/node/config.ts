// What other nodes may see of a node's config.toml: an allow-list, never the file.

import type { Reported } from '../unknown.ts';

export interface NodeConfig {
  /** Words, or "key=value". */
  readonly tags: readonly string[];
  /** Where the machine stands and what it is, in a person's words; groups are made of them (core/group). */
  readonly site: Reported<string>;
  readonly rack: Reported<string>;
  readonly machineKind: Reported<string>;
  readonly ignoredInterfaces: readonly string[];
  readonly staticPeerCount: number;
  /** How long this node may be silent before others call it stale, then offline. Missing: PRESENCE_LIMITS. */
  readonly presence?: { readonly staleMs: number; readonly offlineMs: number };
  readonly probes: {
    readonly isEnabled: boolean;
    readonly gpuTtlSeconds: number;
    readonly socketTtlSeconds: number;
    readonly rdmaTtlSeconds: number;
  };
  /** Whether it loads targets for coordinators of the cluster, if they are listed there. */
  readonly makesLoad: Reported<boolean>;
  /** Scheme, host and port of endpoints served on this node; never credentials or paths. */
  readonly servedEndpoints: readonly string[];
}
