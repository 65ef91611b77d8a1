// The connections of a simulated node: each cable carries a socket connection each way, and an RDMA one if both ends
// support it. As in a real cluster, each direction belongs to its source, and its type is derived by the same code.

import { type Connection, connectionKey } from '../core/link/connection.ts';
import { type ConnectionCarrier, connectionCarrier } from '../core/link/connection-type.ts';
import { type EndReadings, joinedEnds } from '../core/link/link-ends.ts';
import { unknown } from '../core/unknown.ts';
import type { Absence } from './absence.ts';
import { type ContactAt, contactOver } from './contact.ts';
import { networkOf } from './durable-readings.ts';
import { rdmaDevicesOf, thunderboltOf } from './port-readings.ts';
import type { Cable, CableKind, CableSlowed } from './scenario/scenario.ts';
import type { CableEnd, Site, Wiring } from './site.ts';

export interface SimulatedConnection {
  readonly source: Site;
  readonly sink: Site;
  readonly key: string;
  readonly connection: Connection;
  /** What it carries, bits a second: upload is source to sink. */
  readonly upload: number;
  readonly download: number;
  readonly roundTripNs: number;
  /** The rate of each direction last week, if that was higher. */
  readonly usualBitsPerSecond: number | undefined;
  readonly retransmits: number;
  /** Why its probes fail; undefined if they do not. */
  readonly failure: string | undefined;
  readonly slowed: CableSlowed | undefined;
  /** How much longer a round trip takes while it is full, ns; undefined: as usual. */
  readonly queueNs: number | undefined;
  readonly contact: ContactAt;
}

/** Those written by `source`, RDMA before the sockets of the same cable. */
export const connectionsOf = ({ cables, absences }: Wiring, source: Site): readonly SimulatedConnection[] => {
  // As on a real node, type and rate come from the readings of its own interface.
  const own = {
    network: networkOf(source),
    thunderbolt: thunderboltOf(source),
    rdmaDevices: rdmaDevicesOf(source),
  };
  return cables.flatMap(wired => {
    const { cable, a, b } = wired;
    if (cable.isCutOff === true) return [];
    const { bitsPerSecondToA: toA, bitsPerSecondToB: toB, firewallOf } = cable;
    if (a.site === source && firewallOf !== b.site.index)
      return over(cable, [a, b], { up: toB, down: toA, own, absences });
    if (b.site === source && firewallOf !== a.site.index)
      return over(cable, [b, a], { up: toA, down: toB, own, absences });
    return [];
  });
};

const over = (
  cable: Cable,
  [source, sink]: readonly [CableEnd, CableEnd],
  rates: {
    readonly up: number;
    readonly down: number;
    readonly own: EndReadings;
    readonly absences: readonly Absence[];
  },
): readonly SimulatedConnection[] => {
  const { kind } = cable;
  // A failure affects the direction a to b, and the socket: RDMA has a separate path.
  const failure = source.site.index === cable.a ? cable.failure : undefined;
  const common = {
    source: source.site,
    sink: sink.site,
    retransmits: cable.retransmits ?? 0,
    usualBitsPerSecond: cable.usualBitsPerSecond,
    slowed: cable.slowed,
    queueNs: cable.queueNs,
    contact: contactOver(cable, [source.site, sink.site], rates.absences),
  };
  const socket = socketConnection(source, sink, rates.own);
  if (!isRdma(kind))
    return [
      keyed(socket, {
        ...common,
        upload: rates.up,
        download: rates.down,
        roundTripNs: cable.roundTripNs,
        failure,
      }),
    ];
  const { rateShare, roundTripNs } = TCP_WITH_RDMA[kind];
  const rdma = rdmaConnection(kind, source, sink);
  const tcp = keyed(socket, {
    ...common,
    upload: rates.up * rateShare,
    download: rates.down * rateShare,
    roundTripNs,
    failure,
  });
  if (![source, sink].every(carriesRdma)) return [tcp];
  return [
    keyed(rdma, {
      ...common,
      upload: rates.up,
      download: rates.down,
      roundTripNs: cable.roundTripNs,
      failure: undefined,
    }),
    tcp,
  ];
};

const carriesRdma = ({ site, socket }: CableEnd): boolean =>
  site.machine.quirks?.isRdmaOff !== true &&
  !(socket.kind === 'thunderbolt' && site.machine.quirks?.downRdmaPorts?.includes(socket.port) === true);

/** As it is at one moment. */
export const connectionAt = (connection: SimulatedConnection, atSeconds: number): SimulatedConnection => {
  const { slowed, upload, download } = connection;
  if (slowed === undefined || atSeconds < slowed.fromSeconds) return connection;
  return {
    ...connection,
    upload: Math.min(upload, slowed.bitsPerSecond),
    download: Math.min(download, slowed.bitsPerSecond),
    retransmits: slowed.retransmits,
  };
};

const keyed = (
  connection: Connection,
  figures: Omit<SimulatedConnection, 'connection' | 'key'>,
): SimulatedConnection => ({ ...figures, connection, key: connectionKey(connection) });

const socketConnection = (source: CableEnd, sink: CableEnd, own: EndReadings): Connection => {
  const { address, isLinkLocal } = sink.socket;
  const { interfaceName } = source.socket;
  return {
    kind: 'socket',
    sink: sink.site.nodeId,
    sinkAddress: isLinkLocal ? `${address}%${interfaceName}` : address,
    sourceInterface: interfaceName,
    sinkInterface: sink.socket.interfaceName,
    ...connectionCarrier(interfaceName, own),
  };
};

const rdmaConnection = (kind: RdmaKind, source: CableEnd, sink: CableEnd): Connection => ({
  kind: 'rdma',
  sink: sink.site.nodeId,
  sourceInterface: source.socket.rdmaName ?? source.socket.interfaceName,
  sinkInterface: sink.socket.rdmaName ?? sink.socket.interfaceName,
  ...joinedEnds(rdmaCarrier(kind, source), rdmaCarrier(kind, sink)),
});

const rdmaCarrier = (kind: RdmaKind, { site, socket }: CableEnd): ConnectionCarrier => {
  if (kind === 'thunderbolt-rdma')
    return { type: 'thunderbolt', negotiatedBitsPerSecond: socket.cableBitsPerSecond };
  const port = site.hardware.rdmaPorts.find(({ device }) => device === socket.rdmaName);
  return { type: kind, negotiatedBitsPerSecond: port?.bitsPerSecond ?? unknown('no such RDMA port') };
};

type RdmaKind = keyof typeof TCP_WITH_RDMA;

const isRdma = (kind: CableKind): kind is RdmaKind => Object.hasOwn(TCP_WITH_RDMA, kind);

/** The TCP rate and round trip of a cable that carries RDMA too. */
const TCP_WITH_RDMA = {
  'thunderbolt-rdma': { rateShare: 0.51, roundTripNs: 194_000 },
  roce: { rateShare: 0.72, roundTripNs: 52_000 },
  infiniband: { rateShare: 0.19, roundTripNs: 41_000 },
} as const;
