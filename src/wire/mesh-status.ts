// The state of a daemon's mesh over HTTP: which nodes it expects, to which of them it has a link, and the
// result for every address that it tried for the others. For `plimsoll doctor`, and to find out why two nodes
// do not connect.

import * as v from 'valibot';
import type { Problem } from '../core/problem.ts';
import { count, type Infer, nodeIdSchema, reported, text } from '../core/schema.ts';

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

const PEER_TRY = v.object({
  /** With its port. */
  address: text,
  /**
   * As in the mesh's refusals: "unreachable", "wrong-key", "version"; "waiting" before the first dial has
   * ended.
   */
  reason: text,
  /** Why it is unreachable: an UnreachableCause, or one from a newer version. */
  cause: v.optional(text),
  detail: text,
});

export type PeerTry = Infer<typeof PEER_TRY>;

const BEACON_PROBLEM: v.GenericSchema<unknown, BeaconProblem<string>> = v.object({
  code: text,
  interfaceName: text,
  problem: text,
  advice: text,
});

const PEER = v.object({
  /** Name of the node, or its address as a person named it. */
  name: text,
  nodeId: reported(nodeIdSchema),
  /** A person named its address: config.toml or --peer. */
  isNamed: v.boolean(),
  standing: v.picklist(['linked', 'relayed', 'silent', 'offline', 'stopped', 'never-met', 'self']),
  /** The other end of the link; unknown without one. */
  address: reported(text),
  /** Time since it was last seen, ms; unknown if it was never seen. */
  silentMs: reported(v.pipe(v.number(), v.finite())),
  /** Number of its addresses that are checked from here, and how many of them respond. */
  reach: v.object({ requested: count, open: count, shut: count }),
  /** How often it did not deliver records of others that it claims to have, since its link was opened. */
  undelivered: v.optional(count),
  /** The result for each address that was tried, at most PEER_TRIES_MAX. */
  tries: v.pipe(v.array(PEER_TRY), v.maxLength(PEER_TRIES_MAX)),
});

export type PeerStatus = Infer<typeof PEER>;

const FLEET = v.object({
  standing: v.picklist(['connecting', 'connected', 'failed']),
  /** "HOST:PORT" of the server, and its version; unknown without a connection. */
  server: reported(text),
  version: reported(text),
  /** Other nodes that published recently. */
  memberCount: count,
  /** What keeps it from working, or from accepting records. */
  problem: v.optional(v.object({ code: text, problem: text, advice: text })),
  /** By name: published, received, refused by reason, dropped. */
  counts: v.record(v.string(), count),
});

export type FleetStatus = Infer<typeof FLEET>;

export const meshStatusSchema = v.variant('kind', [
  v.object({ kind: v.literal('off'), reason: text }),
  v.object({
    kind: v.literal('on'),
    /** "[::]:4181". */
    listensOn: text,
    /** No other machine can reach it. */
    isLoopback: v.boolean(),
    /** UDP port that answers reachability checks. */
    reachabilityPort: reported(count),
    linkCount: count,
    /** Nodes with a link, peers that a person named, and known nodes without a link. */
    peers: v.pipe(v.array(PEER), v.maxLength(MESH_PEERS_MAX)),
    /** Problems of beacons. */
    problems: v.pipe(v.array(BEACON_PROBLEM), v.maxLength(MESH_FINDINGS_MAX)),
    /** By reason: what was refused or failed since the start. */
    refusals: v.record(v.string(), count),
    /**
     * Counters of replication since the start, by name: events sent, accepted, repeated, forged, above a
     * rate, refused.
     */
    replication: v.record(v.string(), count),
    /** Absent if config.toml names no server. */
    fleet: v.optional(FLEET),
  }),
]);

export type MeshStatus = Infer<typeof meshStatusSchema>;
