// The mesh for people: every expected node, and the result of each address that may lead to it.

import { type HostPort, hostPortText } from '../../core/address/host-port.ts';
import type { NodeId } from '../../core/ids.ts';
import { nodeName } from '../../core/node/node-view.ts';
import { lastSeenMs, nodeIds, presence, stoppedMs } from '../../core/node/presence-view.ts';
import type { State } from '../../core/state.ts';
import { type Reported, unknown } from '../../core/unknown.ts';
import { beaconProblems, type DiscoveryStatus } from '../../mesh/discovery/discovery-status.ts';
import type { DialStatus } from '../../mesh/link/dialer.ts';
import type { MeshLink, RefusalReason } from '../../mesh/mesh.ts';
import type { ReachStatus } from '../../mesh/reachability/reachability-checks.ts';
import type { ReplicationCounts } from '../../mesh/replication/replication-counts.ts';
import {
  type FleetStatus,
  MESH_FINDINGS_MAX,
  MESH_PEERS_MAX,
  type MeshStatus,
  PEER_TRIES_MAX,
  type PeerStanding,
  type PeerStatus,
  type PeerTry,
} from '../../wire/mesh-status.ts';

export interface MeshStatusSources {
  readonly self: NodeId;
  readonly state: State;
  readonly nowMs: number;
  readonly listensOn: HostPort;
  readonly isLoopback: boolean;
  readonly reachabilityPort: Reported<number>;
  readonly links: ReadonlyMap<NodeId, Pick<MeshLink, 'remoteAddress'>>;
  readonly dials: readonly DialStatus[];
  readonly refusalCounts: ReadonlyMap<RefusalReason, number>;
  readonly replicationCounts: ReplicationCounts;
  /** Links closed because their half frames had no room. */
  readonly framesGivenUp: number;
  readonly undeliveredBy: (peer: NodeId) => number;
  readonly named: readonly HostPort[];
  readonly reach: readonly ReachStatus[];
  readonly discovery: DiscoveryStatus;
  readonly fleet?: FleetStatus | undefined;
}

export const meshStatus = (sources: MeshStatusSources): MeshStatus => {
  const problems = beaconProblems(sources.discovery).slice(0, MESH_FINDINGS_MAX);
  const named = sources.named.map(peer => namedPeer(peer, sources));
  const reported = new Set(named.map(({ nodeId }) => nodeId));
  const others = new Set([...sources.links.keys(), ...nodeIds(sources.state)]);
  const known = [...others]
    .filter(node => node !== sources.self && !reported.has(node))
    .map(node => peerOf(node, { ...sources, isNamed: false, tries: dialsOf(node, sources.dials) }));
  return {
    kind: 'on',
    listensOn: hostPortText(sources.listensOn),
    isLoopback: sources.isLoopback,
    reachabilityPort: sources.reachabilityPort,
    linkCount: sources.links.size,
    peers: [...named, ...known].slice(0, MESH_PEERS_MAX),
    problems,
    refusals: Object.fromEntries(sources.refusalCounts),
    replication: { ...sources.replicationCounts, framesGivenUp: sources.framesGivenUp },
    ...(sources.fleet === undefined ? {} : { fleet: sources.fleet }),
  };
};

/** A link-local address without its interface is tried on several: those are one peer. */
const namedPeer = (peer: HostPort, sources: MeshStatusSources): PeerStatus => {
  const dials = sources.dials.filter(
    ({ candidate: { address, port, source } }) =>
      source === 'static' &&
      port === peer.port &&
      (address === peer.host || address.startsWith(`${peer.host}%`)),
  );
  const node =
    dials.find(({ peerId }) => peerId !== undefined && sources.links.has(peerId))?.peerId ??
    dials.find(({ peerId }) => peerId !== undefined)?.peerId;
  if (node !== undefined) return peerOf(node, { ...sources, isNamed: true, tries: dials });
  return {
    name: hostPortText(peer),
    nodeId: unknown('it was never connected'),
    isNamed: true,
    standing: dials.some(({ isSelf }) => isSelf) ? 'self' : 'never-met',
    address: unknown('there is no link'),
    silentMs: unknown('it was never seen'),
    reach: { requested: 0, open: 0, shut: 0 },
    tries: triesOf(dials),
  };
};

interface PeerSources extends MeshStatusSources {
  readonly isNamed: boolean;
  readonly tries: readonly DialStatus[];
}

const peerOf = (
  node: NodeId,
  { state, nowMs, links, isNamed, tries, reach, undeliveredBy }: PeerSources,
): PeerStatus => {
  const own = reach.filter(({ target }) => target.node === node);
  const countOf = (wanted: ReachStatus['state']): number => own.filter(one => one.state === wanted).length;
  const link = links.get(node);
  const silentMs = nowMs - lastSeenMs(state, node);
  return {
    name: nodeName(state, node),
    nodeId: node,
    isNamed,
    standing: link === undefined ? standingWithout(node, { state, nowMs, links }) : 'linked',
    address: link === undefined ? unknown('there is no link') : hostPortText(link.remoteAddress),
    silentMs: Number.isFinite(silentMs) ? Math.max(0, silentMs) : unknown('it was never seen'),
    reach: { requested: own.length, open: countOf('open'), shut: countOf('shut') },
    undelivered: undeliveredBy(node),
    tries: link === undefined ? triesOf(tries) : [],
  };
};

/** A node whose events arrive without a link is relayed through another. */
const standingWithout = (
  node: NodeId,
  { state, nowMs, links }: Pick<PeerSources, 'state' | 'nowMs' | 'links'>,
): PeerStanding => {
  if (stoppedMs(state, node, nowMs) !== undefined) return 'stopped';
  const now = presence(state, node, nowMs);
  if (now === 'offline') return 'offline';
  return now === 'live' && links.size > 0 ? 'relayed' : 'silent';
};

const dialsOf = (node: NodeId, dials: readonly DialStatus[]): readonly DialStatus[] =>
  dials.filter(({ peerId, candidate }) => (peerId ?? candidate.peerId) === node);

const triesOf = (dials: readonly DialStatus[]): readonly PeerTry[] =>
  dials.slice(0, PEER_TRIES_MAX).map(({ candidate, refusal }): PeerTry => {
    const address = hostPortText({ host: candidate.address, port: candidate.port });
    if (refusal === undefined)
      return { address, reason: 'waiting', detail: 'it has not been refused so far' };
    const { reason, cause, detail } = refusal;
    return { address, reason, ...(cause === undefined ? {} : { cause }), detail };
  });
