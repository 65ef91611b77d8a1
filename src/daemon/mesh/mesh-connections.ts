// The part of a daemon's mesh that checks reachability: opens its UDP port next to the mesh port, announces where this
// node can be reached, and passes known addresses of unlinked nodes to discovery.

import { type Clock, pause } from '../../clock/clock.ts';
import type { HostPort } from '../../core/address/host-port.ts';
import type { Fact } from '../../core/event-kinds.ts';
import type { NodeId } from '../../core/ids.ts';
import { type IsChosenPeer, isSampled } from '../../core/link/link-view.ts';
import type { NodeEndpoints } from '../../core/node/endpoints.ts';
import { errorCode } from '../../core/problem.ts';
import { isKnown, unknown } from '../../core/unknown.ts';
import type { Discovery } from '../../mesh/discovery/start-discovery.ts';
import { openUdpDatagrams } from '../../mesh/reachability/udp-datagrams.ts';
import type { Notices } from '../notices.ts';
import { ConnectionBook, type ConnectionBookParts } from './connection-book.ts';
import { type Connections, openConnectionsOf } from './connections.ts';

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
  for (const endpoint of [...book.current, ...book.lostConnections]) book.closed(endpoint, reason);
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
 * nodes only some.
 */
export const followKnownAddresses = async (
  { clock, state, connections, isMet, isChosen, linkCount, discovery }: KnownAddressesParts,
  signal: AbortSignal,
): Promise<void> => {
  for (let turn = 0; !signal.aborted; turn += 1) {
    const { targets } = connections;
    const known = [...new Set(targets.map(({ node }) => node))].sort();
    const dialled = nodesToDial({ known, isMet, isChosen, linkCount: linkCount(), turn });
    const addressesOf = new Map<string, HostPort[]>();
    for (const { node, address } of targets) {
      const port = state().nodeEndpoints[node]?.value.meshPort;
      if (port === undefined || !isKnown(port) || !dialled.has(node)) continue;
      const known = addressesOf.get(node) ?? [];
      if (known.length === 0) addressesOf.set(node, known);
      known.push({ host: address, port });
    }
    for (const { node } of targets) {
      const addresses = addressesOf.get(node);
      if (addresses === undefined) continue;
      addressesOf.delete(node);
      discovery.learnOf(node, addresses);
    }
    await pause(clock, LEARN_MS, signal);
  }
};

/** New nodes are announced within seconds; the first node that notices dials. */
const LEARN_MS = 5_000;

// Which known nodes a node of a mesh dials. Up to 64 it is all of them; past that those that it measures, because half a million
// links would not be a mesh any more, and some others while it has few links: a node that has just started has none yet.
interface NodesToDial {
  /** With an address, in a fixed order; this node is not among them. */
  readonly known: readonly NodeId[];
  /** Over a link, or through a fleet. */
  readonly isMet: (node: NodeId) => boolean;
  readonly isChosen: IsChosenPeer;
  readonly linkCount: number;
  /** How often it was asked before: others come by turns, as those that are away do not answer. */
  readonly turn: number;
}

export const nodesToDial = ({
  known,
  isMet,
  isChosen,
  linkCount,
  turn,
}: NodesToDial): ReadonlySet<NodeId> => {
  const unmet = known.filter(node => !isMet(node));
  if (!isSampled(known.length + 1)) return new Set(unmet);
  const chosen = unmet.filter(isChosen);
  const others = unmet.filter(node => !isChosen(node));
  const count = linkCount < LINKS_WANTED ? Math.min(OTHERS_AT_ONCE, others.length) : 0;
  const first = turn * OTHERS_AT_ONCE;
  const some = Array.from({ length: count }, (_, at) => others[(first + at) % others.length]);
  return new Set([...chosen, ...some.filter(node => node !== undefined)]);
};

/** Enough for reports of nodes to reach all others in a few steps. */
const LINKS_WANTED = 8;
/** In each turn of five seconds: a thousand that are all away are through after ten minutes. */
const OTHERS_AT_ONCE = 8;
