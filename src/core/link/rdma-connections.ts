// Which RDMA connections a node has, from state alone: no address is needed. Thunderbolt reports which
// machine is at the other end of each port; ports of one InfiniBand subnet or of one IP subnet on RoCE reach
// each other. Between two nodes every port is paired once, in the order of the names ("rails"), rather than
// each with each: eight adapters at both ends are eight connections, not sixty-four. Two InfiniBand fabrics
// with the default prefix cannot be distinguished: a probe then fails. GB10 shows each socket as two devices,
// one for each half of its PCIe lanes. A half can fail alone, so each pair of halves is a connection; still,
// they are one cable, and the figures of connections are never added up.

import { withoutScope } from '../address/host-port.ts';
import { shareSubnet } from '../address/subnet.ts';
import { ageMsOf } from '../entry-maps.ts';
import type { Fact } from '../event-kinds.ts';
import type { NodeId } from '../ids.ts';
import { nodeName } from '../node/node-view.ts';
import { nodeIds, presence } from '../node/presence-view.ts';
import type { ThunderboltPeer } from '../node/thunderbolt.ts';
import type { State } from '../state.ts';
import { isKnown, isUnknown } from '../unknown.ts';
import { type Connection, connectionKey, type LostConnection } from './connection.ts';
import type { ConnectionCarrier } from './connection-type.ts';
import { joinedEnds } from './link-ends.ts';
import { type IsChosenPeer, NOT_CHOSEN } from './link-view.ts';
import { isMissed } from './losses.ts';
import { nodeLoss } from './node-loss.ts';
import { type ActiveRdmaPort, activeRdmaPorts } from './rdma-ports.ts';

type RdmaConnection = Extract<Connection, { kind: 'rdma' }>;
type ConnectionFact = Extract<Fact, { kind: 'connection.opened' | 'connection.lost' | 'connection.closed' }>;

/**
 * The connections that should exist: from this node to every node that is up and chosen; a direct cable needs
 * no choice.
 */
export const rdmaConnections = (
  state: State,
  self: NodeId,
  nowMs: number,
  isChosen: IsChosenPeer = () => true,
): readonly RdmaConnection[] => {
  const own = activeRdmaPorts(state, self, nowMs);
  if (own.length === 0) return [];
  const hasCables = own.some(({ way }) => way.kind === 'thunderbolt');
  return nodeIds(state)
    .filter(sink => sink !== self && (hasCables || isChosen(sink)))
    .filter(sink => presence(state, sink, nowMs) !== 'offline')
    .flatMap(sink => {
      const theirs = activeRdmaPorts(state, sink, nowMs);
      return pairs(state, [self, sink], own, theirs)
        .filter(([from]) => from.way.kind === 'thunderbolt' || isChosen(sink))
        .map(([from, to]) => connectionOf(sink, from, to));
    });
};

/** What this node must record to correct the state; empty if it is correct. */
export const rdmaConnectionChanges = (
  state: State,
  self: NodeId,
  nowMs: number,
  isChosen: IsChosenPeer = () => true,
): readonly ConnectionFact[] => {
  const wanted = new Map(
    rdmaConnections(state, self, nowMs, isChosen).map(connection => [keyOf(connection), connection]),
  );
  const changes: ConnectionFact[] = [];
  for (const [sink, entries] of Object.entries(state.connections[self] ?? {})) {
    for (const [key, entry] of Object.entries(entries)) {
      const { value } = entry;
      if (value.kind !== 'rdma') continue;
      const wantedKey = keyOf(value);
      const want = wanted.get(wantedKey);
      wanted.delete(wantedKey);
      if (want === undefined)
        changes.push(
          ended(state, self, { connection: value, key, openMs: ageMsOf(entry, nowMs), nowMs, isChosen }),
        );
      else if (sink === value.sink && !isSame(value, want))
        changes.push({ kind: 'connection.opened', payload: sticky(value, want) });
    }
  }
  for (const connection of wanted.values()) changes.push({ kind: 'connection.opened', payload: connection });
  return changes;
};

/** Lost: it keeps its figures; or closed for good if this node does not want it any more. */
const ended = (
  state: State,
  self: NodeId,
  {
    connection,
    key,
    openMs,
    nowMs,
    isChosen,
  }: {
    readonly connection: RdmaConnection;
    readonly key: string;
    readonly openMs: number;
    readonly nowMs: number;
    readonly isChosen: IsChosenPeer;
  },
): ConnectionFact => {
  const { sink } = connection;
  const closed = (reason: string): ConnectionFact => ({
    kind: 'connection.closed',
    payload: { sink, connectionKey: key, reason },
  });
  if (!nodeIds(state).includes(sink)) return closed('the node was forgotten');
  const isAway = presence(state, sink, nowMs) === 'offline';
  // In a fleet no absent node is chosen; a direct cable needs no choice.
  if (!isAway && connection.type !== 'thunderbolt' && !isChosen(sink)) return closed(NOT_CHOSEN);
  if (!isAway && areJoined(state, self, connection, nowMs)) return closed('its ports are paired with others');
  const loss = lossOf(state, self, connection, nowMs);
  if (!isMissed(state, self, connection, openMs)) return closed(loss.reason);
  const payload = { sink, connectionKey: key, connection, ...loss, lostAgeMs: 0 };
  return { kind: 'connection.lost', payload };
};

/** Both ports are active and reach each other: only their pairing ended, and nothing is lost. */
const areJoined = (state: State, self: NodeId, connection: RdmaConnection, nowMs: number): boolean => {
  const { sink, sourceInterface, sinkInterface } = connection;
  const from = activeRdmaPorts(state, self, nowMs).find(({ name }) => name === sourceInterface);
  const to = activeRdmaPorts(state, sink, nowMs).find(({ name }) => name === sinkInterface);
  if (from === undefined || to === undefined) return false;
  return isThunderboltCable(from, to) || isOneFabric(state, [self, sink], from, to);
};

type Pair = readonly [ActiveRdmaPort, ActiveRdmaPort];

const pairs = (
  state: State,
  nodes: readonly [NodeId, NodeId],
  own: readonly ActiveRdmaPort[],
  theirs: readonly ActiveRdmaPort[],
): readonly Pair[] => {
  const cables: Pair[] = own.flatMap(from =>
    theirs.filter(to => isThunderboltCable(from, to)).map((to): Pair => [from, to]),
  );
  // A port of a switch reaches many: ports that reach the same ports form one group, paired in order.
  const groups = new Map<
    string,
    { readonly from: ActiveRdmaPort[]; readonly to: readonly ActiveRdmaPort[] }
  >();
  for (const from of own) {
    const to = theirs.filter(one => isOneFabric(state, nodes, from, one));
    if (to.length === 0) continue;
    const key = to.map(({ name }) => name).join(' ');
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { from: [from], to });
    else group.from.push(from);
  }
  const rails = [...groups.values()].flatMap(({ from, to }) => inRails(from, to));
  return [...cables, ...rails].slice(0, CONNECTIONS_MAX);
};

/**
 * Each port once, as long as the other side has as many; otherwise its ports are used again from the first.
 */
const inRails = (from: readonly ActiveRdmaPort[], to: readonly ActiveRdmaPort[]): readonly Pair[] =>
  Array.from({ length: Math.max(from.length, to.length) }, (_, rail) => [
    from[rail % from.length],
    to[rail % to.length],
  ]).flatMap(([a, b]): readonly Pair[] => (a === undefined || b === undefined ? [] : [[a, b]]));

/** Each names the other. Apple reports a peer behind a hub on one side only. */
const isThunderboltCable = (from: ActiveRdmaPort, to: ActiveRdmaPort): boolean => {
  if (from.way.kind !== 'thunderbolt' || to.way.kind !== 'thunderbolt') return false;
  const there = peerWith(from.way.port.peers, to.way.domainUuid);
  const back = peerWith(to.way.port.peers, from.way.domainUuid);
  if (there !== undefined && back !== undefined) return true;
  return (there ?? back)?.isBehindHub === true;
};

const peerWith = (peers: readonly ThunderboltPeer[], domainUuid: string): ThunderboltPeer | undefined =>
  peers.find(peer => peer.domainUuid.toUpperCase() === domainUuid.toUpperCase());

const isOneFabric = (
  state: State,
  nodes: readonly [NodeId, NodeId],
  { way: from }: ActiveRdmaPort,
  { way: to }: ActiveRdmaPort,
): boolean => {
  if (from.kind === 'infiniband' && to.kind === 'infiniband') return from.subnetPrefix === to.subnetPrefix;
  if (from.kind !== 'roce' || to.kind !== 'roce') return false;
  if (from.addresses.some(one => to.addresses.some(other => shareSubnet(one, other)))) return true;
  // On a cable without configured addresses, a scoped link-local address that answers is proof.
  return answersOn(state, nodes, from.interfaceName, linkLocalsOf(to.addresses));
};

const linkLocalsOf = (addresses: readonly { readonly address: string }[]): ReadonlySet<string> =>
  new Set(
    addresses
      .map(({ address }) => withoutScope(address))
      .filter(address => /^fe[89ab][0-9a-f]:/.test(address)),
  );

const answersOn = (
  state: State,
  [self, sink]: readonly [NodeId, NodeId],
  interfaceName: string,
  addresses: ReadonlySet<string>,
): boolean =>
  Object.values(state.connections[self]?.[sink] ?? {}).some(
    ({ value }) =>
      value.kind === 'socket' &&
      value.sourceInterface === interfaceName &&
      value.sinkAddress.includes('%') &&
      addresses.has(withoutScope(value.sinkAddress)),
  );

const connectionOf = (sink: NodeId, from: ActiveRdmaPort, to: ActiveRdmaPort): RdmaConnection => ({
  kind: 'rdma',
  sink,
  sourceInterface: from.name,
  sinkInterface: to.name,
  ...joinedEnds(carrierOf(from), carrierOf(to)),
});

const carrierOf = ({ way, rateBitsPerSecond }: ActiveRdmaPort): ConnectionCarrier => ({
  type: way.kind,
  negotiatedBitsPerSecond: rateBitsPerSecond,
});

const keyOf = (connection: RdmaConnection): string => `${connection.sink} ${connectionKey(connection)}`;

/** A rate that cannot be read for a moment does not replace the known one. */
const sticky = (current: RdmaConnection, want: RdmaConnection): RdmaConnection =>
  isUnknown(want.negotiatedBitsPerSecond)
    ? { ...want, negotiatedBitsPerSecond: current.negotiatedBitsPerSecond }
    : want;

const isSame = (current: RdmaConnection, want: RdmaConnection): boolean => {
  const next = sticky(current, want);
  const [a, b] = [current.negotiatedBitsPerSecond, next.negotiatedBitsPerSecond];
  const isSameRate = isKnown(a) ? a === b : isUnknown(b);
  return current.type === next.type && isSameRate;
};

const lossOf = (
  state: State,
  self: NodeId,
  connection: RdmaConnection,
  nowMs: number,
): Pick<LostConnection, 'code' | 'reason'> => {
  const { sink, sourceInterface, sinkInterface } = connection;
  const name = nodeName(state, sink);
  const away = nodeLoss(state, sink, nowMs);
  if (away !== undefined) return { code: away.code, reason: `${name} is offline` };
  const code = 'interface-down';
  const isActive = (node: NodeId, port: string): boolean =>
    activeRdmaPorts(state, node, nowMs).some(one => one.name === port);
  if (!isActive(self, sourceInterface)) return { code, reason: `${sourceInterface} is no longer active` };
  if (!isActive(sink, sinkInterface)) {
    return { code, reason: `${sinkInterface} of ${name} is no longer active` };
  }
  return {
    code: 'no-answer',
    reason: `${sourceInterface} and ${sinkInterface} of ${name} are no longer on one fabric`,
  };
};

/** Between two nodes. */
const CONNECTIONS_MAX = 64;
