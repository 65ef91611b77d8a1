// The mesh of a running daemon: the transport for its cluster key, replication over it, and notices about both. Without
// a key there is no mesh: no socket, no beacon, no packet.

import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { type HostPort, hostPortText, isLoopbackHost } from '../../core/address/host-port.ts';
import type { Fact } from '../../core/event-kinds.ts';
import type { NodeId } from '../../core/ids.ts';
import { nodeName } from '../../core/node/node-view.ts';
import { errorCode } from '../../core/problem.ts';
import type { State } from '../../core/state.ts';
import { shellCommand } from '../../core/text/shell-words.ts';
import { unknown } from '../../core/unknown.ts';
import { parsePeer } from '../../mesh/discovery/peer-address.ts';
import { startDiscovery } from '../../mesh/discovery/start-discovery.ts';
import { joinedLinks, routedRequests } from '../../mesh/joined-links.ts';
import { type ClusterKey, deriveSecret } from '../../mesh/key/cluster-key.ts';
import { clusterKeyPath, keysIn, readClusterKey } from '../../mesh/key/key-file.ts';
import { MeshRequests } from '../../mesh/mesh-requests.ts';
import { Replicator } from '../../mesh/replication/replicator.ts';
import type { Requests } from '../../mesh/requests.ts';
import { JoinCodeService } from '../../mesh/tls/join-code-service.ts';
import { writeFileAtomic } from '../../process/atomic-file.ts';
import { readInputText } from '../../process/input-file.ts';
import type { MeshStatus } from '../../wire/mesh-status.ts';
import type { Notice } from '../../wire/notice.ts';
import { DaemonError } from '../daemon-error.ts';
import { Lifetimes } from '../lifetimes.ts';
import type { Notices } from '../notices.ts';
import { clusterReplicaStore } from './cluster-replica-store.ts';
import { ConflictNotices } from './conflict-notices.ts';
import type { Connections } from './connections.ts';
import { fleetStatus, openDaemonFleet } from './daemon-fleet.ts';
import type { DaemonMeshParts } from './daemon-mesh-parts.ts';
import { followDeliveries } from './delivery-notices.ts';
import { followClusterKey } from './follow-key.ts';
import { LinkNotices } from './link-notices.ts';
import {
  endpointsFact,
  followKnownAddresses,
  type KnownAddressesParts,
  openMeshConnections,
} from './mesh-connections.ts';
import { meshStatus } from './mesh-status.ts';
import { openTransport } from './open-transport.ts';
import { storeSequenceFloors } from './sequence-floors.ts';

export interface DaemonMesh extends AsyncDisposable {
  readonly listensOn: HostPort | undefined;
  /** Admits nodes with a join code; undefined if nothing leaves the process. */
  readonly service: JoinCodeService | undefined;
  /** Undefined if this node cannot be reached, or no UDP port could be opened. */
  readonly connections: Connections | undefined;
  /** Requests to direct peers, while it runs; undefined if nothing leaves the process. */
  readonly requests: Requests | undefined;
  /** The expected nodes, and the state of their addresses; undefined if nothing leaves the process. */
  readonly status: (() => MeshStatus) | undefined;
  /** Replicates until the signal aborts. Before `run`, so that no link comes up unheard, and longer, for the last word. */
  replicate(signal: AbortSignal): Promise<void>;
  /** Accepts, dials, and does all else that a mesh needs, until the signal aborts. After `replicate`, which receives the links. */
  run(signal: AbortSignal): Promise<void>;
}

/**
 * undefined if there is no cluster key.
 * @throws DaemonError `home-unusable` for a key file that holds no key, `address-in-use` for a mesh address that is taken.
 */
export const openDaemonMesh = async (parts: DaemonMeshParts): Promise<DaemonMesh | undefined> => {
  const { key, clock, journal, notices } = parts;
  const keys = await readKeys(parts);
  if (keys === undefined) return undefined;
  const stop = new AbortController();
  await using opened = new Lifetimes();
  const service = new JoinCodeService(clock, keys);
  const transport = opened.addAsync(await openTransport(parts, keys, service));
  const peers = staticPeers(parts);
  const named = new Set(peers.map(({ host }) => host));
  const record = (fact: Fact): void => {
    parts.recorder.record(fact);
  };
  const conflictNotices = new ConflictNotices({ clock, notices, transport, record });
  const linkNotices = new LinkNotices({ clock, notices, transport, named });
  const store = clusterReplicaStore({ ...parts, nodeId: key.nodeId });
  const fleet = await openDaemonFleet({
    ...parts,
    config: parts.fleet,
    start: journal.startNumber,
    keys,
    store,
  });
  if (fleet !== undefined) opened.addAsync(fleet);
  const replicator = new Replicator({
    mesh: fleet === undefined ? transport : joinedLinks(key.nodeId, [transport, fleet]),
    store,
    clock,
    publicKey: key.publicKey,
    sign: bytes => key.sign(bytes),
    plimsollVersion: parts.plimsollVersion,
  });
  const meshRequests = new MeshRequests({ mesh: transport, clock });
  const fleetRequests = fleet && new MeshRequests({ mesh: fleet.requestLinks, clock });
  const requests =
    fleet === undefined || fleetRequests === undefined
      ? meshRequests
      : routedRequests([
          { links: transport.links, requests: meshRequests },
          { links: fleet.requestLinks.links, requests: fleetRequests },
        ]);
  const { listensOn } = transport;
  const isReachable = listensOn !== undefined && !isLoopbackHost(listensOn.host);
  const discovery = startDiscovery({
    clock,
    signal: stop.signal,
    tagKeys: keys.map(one => deriveSecret(one, 'beacon')),
    listenPort: isReachable ? listensOn.port : undefined,
    settings: {
      way: isReachable ? parts.discovery : { kind: 'off' },
      staticPeers: peers,
      ignoredInterfaces: parts.ignoredInterfaces,
    },
    random: Math.random,
    onCandidate: candidate => transport.addCandidate(candidate),
    onMissing: (missing, present) => reportMissing(notices, missing, present),
    onTrouble: () => undefined, // an interface that carries no multicast is no news; its state is kept there
  });
  opened.addAsync(discovery);
  const state = (): State => parts.cluster.state;
  /** Nodes that the fleet reaches are not dialled because of what is known of them: that would make a mesh of the fleet. */
  const isMet = (node: NodeId): boolean => transport.links.has(node) || fleet?.members.has(node) === true;
  const dialling = (of: Connections): KnownAddressesParts => ({
    clock,
    state,
    connections: of,
    isMet,
    isChosen: parts.isChosen,
    linkCount: () => transport.links.size,
    discovery,
  });
  const connections = await openMeshConnections({
    ...parts,
    nodeId: key.nodeId,
    state,
    record,
    keys: keys.map(one => deriveSecret(one, 'reachability')),
    listensOn: isReachable ? listensOn : undefined,
  });
  if (connections !== undefined) opened.addAsync(connections);
  transport.onLink(link => {
    connections?.checks.hurry(link.peerId);
    link.onClose(() => connections?.checks.hurry(link.peerId));
  });
  const setKeys = (current: readonly ClusterKey[]): void => {
    discovery.setTagKeys(current.map(one => deriveSecret(one, 'beacon')));
    connections?.setKeys(current.map(one => deriveSecret(one, 'reachability')));
    transport.setKeys(current);
    service.setKeys(current);
    fleet?.setKeys(current);
  };
  const owned = opened.move();
  return {
    listensOn,
    service,
    connections,
    requests,
    status: () =>
      meshStatus({
        self: key.nodeId,
        state: state(),
        nowMs: clock.nowMs(),
        listensOn: listensOn ?? parts.listen,
        isLoopback: !isReachable,
        reachabilityPort: connections?.port ?? unknown('no peer is contacted: see the notices'),
        links: transport.links,
        dials: transport.dials,
        refusalCounts: transport.refusalCounts,
        replicationCounts: replicator.counts,
        framesGivenUp: transport.partial.evicted,
        undeliveredBy: peer => replicator.undeliveredBy(peer),
        named: peers,
        reach: connections?.statuses ?? [],
        discovery: discovery.status,
        fleet: fleet && fleetStatus(fleet),
      }),
    replicate: signal => replicator.run(signal),
    run: async signal => {
      record(endpointsFact(isReachable ? listensOn : undefined, connections));
      await Promise.all([
        meshRequests.run(signal),
        fleetRequests?.run(signal),
        linkNotices.run(signal),
        conflictNotices.run(signal),
        followDeliveries(
          {
            clock,
            notices,
            nameOf: node => nodeName(state(), node),
            undelivered: () => replicator.undelivered,
          },
          signal,
        ),
        followClusterKey({ path: keyPath(parts), clock, notices, keys, onKeys: setKeys }, signal),
        connections?.run(signal),
        connections && followKnownAddresses(dialling(connections), signal),
        // Last, when everybody has subscribed; and until the end, for the last word.
        transport.start(stop.signal),
        fleet?.run(signal),
        fleet && storeSequenceFloors(parts.home, () => fleet.floors, { clock, notices, signal }),
      ]);
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await owned[Symbol.asyncDispose]();
    },
  };
};

export const keyPath = ({ home, keyFile }: Pick<DaemonMeshParts, 'home' | 'keyFile'>): string =>
  keyFile ?? clusterKeyPath(home);

/** Those that count at the start, the current one first. */
const readKeys = async (parts: DaemonMeshParts): Promise<readonly ClusterKey[] | undefined> => {
  const { keyFile, notices, peers } = parts;
  const path = keyPath(parts);
  const file = await readClusterKey(path);
  switch (file.kind) {
    case 'key':
      for (const notice of file.notices) notices.raise({ ...notice, id: notice.code });
      return keysIn(file);
    case 'missing':
      if (keyFile === undefined) {
        if (peers.length > 0) notices.raise(NO_KEY);
        return undefined;
      }
      throw new DaemonError({
        code: 'home-unusable',
        problem: `${path} does not exist.`,
        advice: `Create a cluster key with: ${shellCommand`plimsoll key new --out ${path}`}`,
      });
    case 'wrong':
      throw new DaemonError({
        code: 'home-unusable',
        problem: `${file.problem}.`,
        advice: 'Import the key again: plimsoll key import FILE',
      });
    default:
      return file satisfies never;
  }
};

/** An unreadable one is reported and skipped: a typing mistake in one name does not affect the others. */
const staticPeers = ({ peers, notices }: DaemonMeshParts): readonly HostPort[] =>
  peers.flatMap(text => {
    const peer = parsePeer(text);
    if (peer.kind === 'peer') return [{ host: peer.host, port: peer.port }];
    notices.raise({
      id: `peer ${text}`,
      code: 'peer-unreadable',
      peer: text,
      problem: `${peer.problem}.`,
      advice: 'Write a name or an address, with :PORT if it is not 4181.',
    });
    return [];
  });

/** Otherwise a mistyped name would only mean that no node is found. */
const reportMissing = (notices: Notices, missing: readonly string[], present: readonly string[]): void => {
  if (missing.length === 0) {
    notices.clear('interface-missing');
    return;
  }
  const what = missing.length === 1 ? 'interface' : 'interfaces';
  const shown = present.slice(0, INTERFACES_SHOWN_MAX).join(', ');
  notices.raise({
    id: 'interface-missing',
    code: 'interface-missing',
    interfaces: missing,
    problem: `No ${what} ${missing.join(', ')} with an address is up here, so no beacon is sent or received there (--discovery, or discovery in config.toml).`,
    advice: `Those that are up: ${shown}. The daemon checks again every few seconds.`,
  });
};

const INTERFACES_SHOWN_MAX = 20;
const NO_KEY: Notice = {
  id: 'no-cluster-key',
  code: 'no-cluster-key',
  problem: 'Peers are configured, but this home has no cluster key: no other machine is contacted.',
  advice:
    'Join with the code that a machine of the cluster shows (plimsoll key show --join) or create one (plimsoll key new). The running daemon uses it at once.',
};

// The peer through which a node joined its cluster: dialled at each start as if config.toml named it, so that a kill between the
// key and the first link does no harm if no beacon gets through. A file next to the key, which `plimsoll leave` removes.

/** As parsePeer reads them; none where there is no such file, or it is not what was written. */
export const readJoinedPeers = async (home: string): Promise<readonly string[]> => {
  try {
    const read = v.safeParse(peersSchema, JSON.parse(await readInputText(pathIn(home), 'homeFile')));
    return read.success ? read.output.peers.filter(peer => parsePeer(peer).kind === 'peer') : [];
  } catch {
    return []; // the beacon and the journal know peers too
  }
};

export const writeJoinedPeers = (home: string, peers: readonly HostPort[]): Promise<void> =>
  writeFileAtomic(pathIn(home), `${JSON.stringify({ peers: peers.map(hostPortText) })}\n`);

export const removeJoinedPeers = async (home: string): Promise<void> => {
  try {
    await unlink(pathIn(home));
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
};

const pathIn = (home: string): string => join(home, 'joined-peers.json');

const PEERS_MAX = 16;
const peersSchema = v.object({
  peers: v.pipe(v.array(v.pipe(v.string(), v.maxLength(300))), v.maxLength(PEERS_MAX)),
});
