// The state of a daemon's mesh over HTTP: which nodes it expects, to which of them it has a link, and the
// result for every address that it tried for the others. For `plimsoll doctor`, and to find out why two nodes
// do not connect.

import * as v from 'valibot';
import type { NodeId } from '../core/ids.ts';
import type { Problem } from '../core/problem.ts';
import type { Reported } from '../core/unknown.ts';
import { count, nodeIdSchema, reported, text } from './schema.ts';

export type MeshStatus =
  | { readonly kind: 'off'; readonly reason: string }
  | {
      readonly kind: 'on';
      /** "[::]:4181". */
      readonly listensOn: string;
      /** No other machine can reach it. */
      readonly isLoopback: boolean;
      /** UDP port that answers reachability checks. */
      readonly reachabilityPort: Reported<number>;
      readonly linkCount: number;
      /** Nodes with a link, peers that a person named, and known nodes without a link. */
      readonly peers: readonly PeerStatus[];
      /** Problems of beacons. */
      readonly problems: readonly BeaconProblem<string>[];
      /** By reason: what was refused or failed since the start. */
      readonly refusals: Readonly<Record<string, number>>;
      /**
       * Counters of replication since the start, by name: events sent, accepted, repeated, forged, above a
       * rate, refused.
       */
      readonly replication: Readonly<Record<string, number>>;
      /** Absent if config.toml names no server. */
      readonly fleet?: FleetStatus | undefined;
    };

export interface FleetStatus {
  readonly standing: 'connecting' | 'connected' | 'failed';
  /** "HOST:PORT" of the server, and its version; unknown without a connection. */
  readonly server: Reported<string>;
  readonly version: Reported<string>;
  /** Other nodes that published recently. */
  readonly memberCount: number;
  /** What keeps it from working, or from accepting records. */
  readonly problem?: Problem<string> | undefined;
  /** By name: published, received, refused by reason, dropped. */
  readonly counts: Readonly<Record<string, number>>;
}

export interface PeerStatus {
  /** Name of the node, or its address as a person named it. */
  readonly name: string;
  readonly nodeId: Reported<NodeId>;
  /** A person named its address: config.toml or --peer. */
  readonly isNamed: boolean;
  readonly standing: PeerStanding;
  /** The other end of the link; unknown without one. */
  readonly address: Reported<string>;
  /** Time since it was last seen, ms; unknown if it was never seen. */
  readonly silentMs: Reported<number>;
  /** Number of its addresses that are checked from here, and how many of them respond. */
  readonly reach: { readonly requested: number; readonly open: number; readonly shut: number };
  /** How often it did not deliver records of others that it claims to have, since its link was opened. */
  readonly undelivered?: number | undefined;
  /** The result for each address that was tried, at most PEER_TRIES_MAX. */
  readonly tries: readonly PeerTry[];
}

export type PeerStanding =
  | 'linked'
  /** Seen now, through other nodes. */
  | 'relayed'
  /** No link, and not seen for a while, but not long enough to count as offline. */
  | 'silent'
  | 'offline'
  /** It reported that it stops. */
  | 'stopped'
  /** Named by a person, and never reached. */
  | 'never-met'
  /** The named address is this node's own. */
  | 'self';

export interface PeerTry {
  /** With its port. */
  readonly address: string;
  /**
   * As in the mesh's refusals: "unreachable", "wrong-key", "version"; "waiting" before the first dial has
   * ended.
   */
  readonly reason: string;
  /** Why it is unreachable: an UnreachableCause, or one from a newer version. */
  readonly cause?: string | undefined;
  readonly detail: string;
}

export type UnreachableCause =
  /** The machine is there, and refuses the connection. */
  | 'nothing-listens'
  | 'no-route'
  | 'unknown-name'
  /** A link-local address without its interface. */
  | 'needs-interface'
  /** There is no response, or the system gives no further reason. */
  | 'no-answer';

export type BeaconProblem<Code extends string = BeaconProblemCode> = Problem<
  Code,
  { readonly interfaceName: string }
>;

export type BeaconProblemCode =
  | 'beacon-failed'
  | 'beacon-not-heard'
  | 'beacon-of-other-key'
  /**
   * No beacon is sent there: as configured, because of its kind, or because only this machine reaches the
   * interface.
   */
  | 'no-beacon'
  | 'no-beacon-on-loopback';

export const MESH_PEERS_MAX = 1_024;
export const PEER_TRIES_MAX = 32;
export const MESH_FINDINGS_MAX = 512;

/** @returns undefined if the value is not a mesh status. */
export const decodeMeshStatus = (value: unknown): MeshStatus | undefined => {
  const parsed = v.safeParse(meshStatusSchema, value);
  return parsed.success ? parsed.output : undefined;
};

const PEER_TRY: v.GenericSchema<unknown, PeerTry> = v.object({
  address: text,
  reason: text,
  cause: v.optional(text),
  detail: text,
});

const BEACON_PROBLEM: v.GenericSchema<unknown, BeaconProblem<string>> = v.object({
  code: text,
  interfaceName: text,
  problem: text,
  advice: text,
});

const PEER: v.GenericSchema<unknown, PeerStatus> = v.object({
  name: text,
  nodeId: reported(nodeIdSchema),
  isNamed: v.boolean(),
  standing: v.picklist(['linked', 'relayed', 'silent', 'offline', 'stopped', 'never-met', 'self']),
  address: reported(text),
  silentMs: reported(v.pipe(v.number(), v.finite())),
  reach: v.object({ requested: count, open: count, shut: count }),
  undelivered: v.optional(count),
  tries: v.pipe(v.array(PEER_TRY), v.maxLength(PEER_TRIES_MAX)),
});

const FLEET: v.GenericSchema<unknown, FleetStatus> = v.object({
  standing: v.picklist(['connecting', 'connected', 'failed']),
  server: reported(text),
  version: reported(text),
  memberCount: count,
  problem: v.optional(v.object({ code: text, problem: text, advice: text })),
  counts: v.record(v.string(), count),
});

export const meshStatusSchema: v.GenericSchema<unknown, MeshStatus> = v.variant('kind', [
  v.object({ kind: v.literal('off'), reason: text }),
  v.object({
    kind: v.literal('on'),
    listensOn: text,
    isLoopback: v.boolean(),
    reachabilityPort: reported(count),
    linkCount: count,
    peers: v.pipe(v.array(PEER), v.maxLength(MESH_PEERS_MAX)),
    problems: v.pipe(v.array(BEACON_PROBLEM), v.maxLength(MESH_FINDINGS_MAX)),
    refusals: v.record(v.string(), count),
    replication: v.record(v.string(), count),
    fleet: v.optional(FLEET),
  }),
]);
