// The part of a daemon's mesh that checks reachability: opens its UDP port next to the mesh port, announces where this
// node can be reached, and passes known addresses of unlinked nodes to discovery.

import type { Clock } from '../../clock/clock.ts';
import { pause } from '../../clock/until-aborted.ts';
import type { HostPort } from '../../core/address/host-port.ts';
import type { Fact } from '../../core/event-kinds.ts';
import type { NodeId } from '../../core/ids.ts';
import type { IsChosenPeer } from '../../core/link/measured-pairs.ts';
import type { NodeEndpoints } from '../../core/node/endpoints.ts';
import { errorCode } from '../../core/problem.ts';
import { isKnown, unknown } from '../../core/unknown.ts';
import type { Discovery } from '../../mesh/discovery/start-discovery.ts';
import { openUdpDatagrams } from '../../mesh/reachability/udp-datagrams.ts';
import type { Notices } from '../notices.ts';
import { ConnectionBook, type ConnectionBookParts } from './connection-book.ts';
import { type Connections, openConnectionsOf } from './connections.ts';
import { nodesToDial } from './nodes-to-dial.ts';

interface MeshConnectionsParts extends ConnectionBookParts {
  readonly clock: Clock;
  readonly notices: Notices;
  readonly keys: readonly Uint8Array[];
  readonly ignoredInterfaces: readonly string[];
  readonly isChosen: IsChosenPeer;
  /** Where peers reach this node; undefined: loopback only. */
  readonly listensOn: HostPort | undefined;
}

/** Undefined if no other node can reach this one, or if no UDP port is available: previous connections are then closed. */
export const openMeshConnections = async (parts: MeshConnectionsParts): Promise<Connections | undefined> => {
  const { listensOn, notices } = parts;
  if (listensOn === undefined) {
    closeOpenConnections(parts, 'the mesh listens on loopback only');
    return undefined;
  }
  try {
    return await openConnectionsOf({
      ...parts,
      random: Math.random,
      openPort: async (use, onDatagram) => {
        const { host } = listensOn;
        const port = use === 'answer' ? listensOn.port : 0;
        try {
          return await openUdpDatagrams({ listen: { host, port }, onDatagram });
        } catch (error) {
          if (errorCode(error) !== 'EADDRINUSE') throw error;
          return await openUdpDatagrams({ listen: { host, port: 0 }, onDatagram });
        }
      },
    });
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    notices.raise({
      id: 'no-reachability',
      code: 'no-reachability',
      host: listensOn.host,
      problem: `No UDP port can be opened on ${listensOn.host} (${code}): this node cannot find connections.`,
      advice: '',
    });
    closeOpenConnections(parts, 'no UDP port could be opened');
    return undefined;
  }
};

/** For a daemon that checks nothing: connections from before the restart must not look checked. */
export const closeOpenConnections = (parts: ConnectionBookParts, reason: string): void => {
  const book = new ConnectionBook(parts);
  for (const place of [...book.held, ...book.heldLost]) book.closed(place, reason);
};

export const endpointsFact = (
  listensOn: HostPort | undefined,
  connections: Connections | undefined,
): Fact => {
  const meshPort: NodeEndpoints['meshPort'] = listensOn?.port ?? unknown('the mesh listens on loopback only');
  const reachabilityPort: NodeEndpoints['reachabilityPort'] =
    connections?.port ?? (isKnown(meshPort) ? unknown('no UDP port could be opened') : meshPort);
  return { kind: 'endpoints.reported', payload: { meshPort, reachabilityPort } };
};

export interface KnownAddressesParts extends Pick<ConnectionBookParts, 'state'> {
  readonly clock: Clock;
  readonly connections: Pick<Connections, 'targets'>;
  /** Over a link, or through a fleet. */
  readonly isMet: (node: NodeId) => boolean;
  readonly isChosen: IsChosenPeer;
  readonly linkCount: () => number;
  readonly discovery: Pick<Discovery, 'learnOf'>;
}

/**
 * Nodes that are met through others are dialled directly, at every address by which they may be reached from here; of many
 * nodes only some (`nodes-to-dial.ts`).
 */
export const followKnownAddresses = async (
  { clock, state, connections, isMet, isChosen, linkCount, discovery }: KnownAddressesParts,
  signal: AbortSignal,
): Promise<void> => {
  for (let turn = 0; !signal.aborted; turn += 1) {
    const { targets } = connections;
    const known = [...new Set(targets.map(({ node }) => node))].sort();
    const dialled = nodesToDial({ known, isMet, isChosen, linkCount: linkCount(), turn });
    const places = new Map<string, HostPort[]>();
    for (const { node, address } of targets) {
      const port = state().nodeEndpoints[node]?.value.meshPort;
      if (port === undefined || !isKnown(port) || !dialled.has(node)) continue;
      const held = places.get(node) ?? [];
      if (held.length === 0) places.set(node, held);
      held.push({ host: address, port });
    }
    for (const { node } of targets) {
      const addresses = places.get(node);
      if (addresses === undefined) continue;
      places.delete(node);
      discovery.learnOf(node, addresses);
    }
    await pause(clock, LEARN_MS, signal);
  }
};

/** New nodes are announced within seconds; the first node that notices dials. */
const LEARN_MS = 5_000;
