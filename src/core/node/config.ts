// The part of a node's config.toml that other nodes may see: an allow-list, never the file.

import type { Reported } from '../unknown.ts';

export interface NodeConfig {
  /** Words, or "key=value". */
  readonly tags: readonly string[];
  /** Location and kind of the machine, as a person wrote them; groups are made of them (core/group). */
  readonly site: Reported<string>;
  readonly rack: Reported<string>;
  readonly machineKind: Reported<string>;
  readonly ignoredInterfaces: readonly string[];
  readonly staticPeerCount: number;
  /**
   * How long this node may be silent before others show it as stale, then offline. Missing: PRESENCE_LIMITS.
   */
  readonly presence?: { readonly staleMs: number; readonly offlineMs: number };
  readonly probes: {
    readonly isEnabled: boolean;
    readonly gpuTtlSeconds: number;
    readonly socketTtlSeconds: number;
    readonly rdmaTtlSeconds: number;
  };
  /** Whether it makes load for coordinators of the cluster, on targets that are listed there. */
  readonly makesLoad: Reported<boolean>;
  /** Scheme, host and port of endpoints served on this node; never credentials or paths. */
  readonly servedEndpoints: readonly string[];
}
