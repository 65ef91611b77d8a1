// What a daemon tells of its mesh over HTTP: which nodes it expects, to which of them it has a link, and what came of every
// address that it tried for the others. For `plimsoll doctor`, and for whoever wants to know why two nodes do not meet.

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
      /** Nobody else can reach it. */
      readonly isLoopback: boolean;
      /** UDP, where questions of reachability are answered. */
      readonly reachabilityPort: Reported<number>;
      readonly linkCount: number;
      /** Nodes with a link, peers that a person named, and nodes that are known and have none. */
      readonly peers: readonly PeerStatus[];
      /** Of beacons. */
      readonly problems: readonly BeaconProblem<string>[];
      /** By reason: what was turned away or failed since the start. */
      readonly refusals: Readonly<Record<string, number>>;
      /** What replication has counted since the start, by name: events sent, taken, repeated, forged, over a rate, refused. */
      readonly replication: Readonly<Record<string, number>>;
      /** Absent where config.toml names no server. */
      readonly fleet?: FleetStatus | undefined;
    };

export interface FleetStatus {
  readonly standing: 'connecting' | 'connected' | 'failed';
  /** "HOST:PORT" of the server, and its version; unknown without a connection. */
  readonly server: Reported<string>;
  readonly version: Reported<string>;
  /** Other nodes that published a moment ago. */
  readonly memberCount: number;
  /** What keeps it from working, or from taking records. */
  readonly problem?: Problem<string> | undefined;
  /** By name: published, heard, refused for which reason, dropped. */
  readonly counts: Readonly<Record<string, number>>;
}

export interface PeerStatus {
  /** Of the node, or its address as a person named it. */
  readonly name: string;
  readonly nodeId: Reported<NodeId>;
  /** A person named its address: config.toml or --peer. */
  readonly isNamed: boolean;
  readonly standing: PeerStanding;
  /** The other end of the link; unknown without one. */
  readonly address: Reported<string>;
  /** How long nothing was heard of it, ms; unknown for one that nobody has ever heard. */
  readonly silentMs: Reported<number>;
  /** Addresses of it that are asked from here whether it answers, and how many do. */
  readonly reach: { readonly asked: number; readonly open: number; readonly shut: number };
  /** How often it did not deliver what it claims to hold of others, since its link came up. */
  readonly undelivered?: number | undefined;
  /** What came of each address that was tried, at most PEER_TRIES_MAX. */
  readonly tries: readonly PeerTry[];
}

export type PeerStanding =
  | 'linked'
  /** Heard of now, by way of other nodes. */
  | 'relayed'
  /** No link, and not heard for a moment; not long enough to be called offline. */
  | 'silent'
  | 'offline'
  /** It said that it stops. */
  | 'stopped'
  /** Named, and never met. */
  | 'never-met'
  /** The address that was named is this node's own. */
  | 'self';

export interface PeerTry {
  /** With its port. */
  readonly address: string;
  /** As the mesh tells refusals: "unreachable", "wrong-key", "version"; "waiting" before the first dial has ended. */
  readonly reason: string;
  /** Why it is unreachable: an UnreachableCause, unless a newer version knows more. */
  readonly cause?: string | undefined;
  readonly detail: string;
}

export type UnreachableCause =
  /** The machine is there, and refuses. */
  | 'nothing-listens'
  | 'no-route'
  | 'unknown-name'
  /** A link-local address without its interface. */
  | 'needs-interface'
  /** Nothing comes back, or the system says no more. */
  | 'no-answer';

export type BeaconProblem<Code extends string = BeaconProblemCode> = Problem<
  Code,
  { readonly interfaceName: string }
>;

export type BeaconProblemCode =
  | 'beacon-failed'
  | 'beacon-not-heard'
  | 'beacon-of-other-key'
  /** None is sent there: as set, by its kind, or because only this machine reaches the interface. */
  | 'no-beacon'
  | 'no-beacon-on-loopback';

export const MESH_PEERS_MAX = 1_024;
export const PEER_TRIES_MAX = 32;
export const MESH_FINDINGS_MAX = 512;

/** @returns undefined for whatever is no status of a mesh. */
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
  reach: v.object({ asked: count, open: count, shut: count }),
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
