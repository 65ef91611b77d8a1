// The connections of a running daemon: checks every address of every present node, and records which of them open and
// close. The outgoing interface is looked up once, and again when this machine's interfaces change.

import { networkInterfaces } from 'node:os';
import { pause } from '../../clock/clock.ts';
import { isNodeId, type NodeId } from '../../core/ids.ts';
import type { Connection, LostConnection } from '../../core/link/connection.ts';
import { type IsChosenPeer, NOT_CHOSEN } from '../../core/link/link-view.ts';
import { isNodeLoss, nodeLoss } from '../../core/link/node-loss.ts';
import { nodeIds, presence } from '../../core/node/presence-view.ts';
import { isMeasuring } from '../../core/probe/measuring.ts';
import type { Entry } from '../../core/state.ts';
import { isKnown, type Reported, unknown } from '../../core/unknown.ts';
import type { InterfaceList } from '../../mesh/discovery/beacon-endpoints.ts';
import type { DatagramListener, DatagramPort } from '../../mesh/reachability/datagram-port.ts';
import {
  interfaceOf,
  type OwnInterfaces,
  ownInterfacesOf,
  type ReachableNode,
  type ReachTarget,
  reachTargets,
  targetKey,
} from '../../mesh/reachability/reach-targets.ts';
import { ReachabilityAnswers } from '../../mesh/reachability/reachability-answers.ts';
import { ReachabilityChecks, type ReachStatus } from '../../mesh/reachability/reachability-checks.ts';
import {
  ConnectionBook,
  type ConnectionBookParts,
  type Loss,
  type SocketEndpoint,
} from './connection-book.ts';

interface ConnectionsParts extends ConnectionBookParts {
  /** `deriveSecret(clusterKey, 'reachability')` of each accepted key. */
  readonly keys: readonly Uint8Array[];
  readonly random: () => number;
  readonly ignoredInterfaces: readonly string[];
  /** Of a fleet only some are asked; all of them are answered. */
  readonly isChosen: IsChosenPeer;
  /**
   * Opens two ports, one to send requests and one to receive those of others. With a single one, a firewall that blocks
   * strangers would treat the requests of nodes that this node has asked as replies.
   */
  readonly openPort: (use: 'ask' | 'answer', onDatagram: DatagramListener) => Promise<DatagramPort>;
  /** Default: `os.networkInterfaces`. */
  readonly listInterfaces?: () => InterfaceList;
}

/** @throws what `openPort` throws. */
export const openConnectionsOf = async (parts: ConnectionsParts): Promise<Connections> => {
  let connections: Connections | undefined;
  const queryPort = await parts.openPort('ask', bytes => connections?.checks.takeAnswer(bytes));
  try {
    const answering = await parts.openPort('answer', (bytes, from) => connections?.answers.take(bytes, from));
    connections = new Connections(parts, { queryPort, answering });
    return connections;
  } catch (error) {
    await queryPort[Symbol.asyncDispose]();
    throw error;
  }
};

interface Ports {
  readonly queryPort: DatagramPort;
  readonly answering: DatagramPort;
}

export class Connections implements AsyncDisposable {
  readonly checks: ReachabilityChecks;
  readonly answers: ReachabilityAnswers;
  readonly #parts: ConnectionsParts;
  readonly #ports: Ports;
  readonly #book: ConnectionBook;
  /** What answers now, and since when. */
  readonly #open = new Map<string, { readonly target: ReachTarget; readonly sinceMs: number }>();
  /** Nodes that came back, and when: their connections are given time to open again. */
  readonly #backSinceMs = new Map<NodeId, number>();
  /** Whose interface is to be looked up. */
  readonly #toDescribe = new Set<string>();
  /** Written before the daemon's restart and not confirmed since. */
  readonly #leftOver: Map<string, SocketEndpoint>;
  readonly #startedAtMs: number;
  #wake = new AbortController();
  #interfaces: OwnInterfaces = { linkLocalNames: [], addresses: new Set(), ignored: new Map() };
  #nodes: readonly ReachableNode[] = [];
  #targets: readonly ReachTarget[] = [];
  /** Their addresses. */
  #known: ReadonlySet<string> = new Set();
  #seen = '';
  #ownReadings: readonly unknown[] = [];
  /** What the nodes to which something is lost reported last. */
  readonly #otherEnds = new Map<NodeId, readonly unknown[]>();
  #lookedAtLostMs = Number.NEGATIVE_INFINITY;

  constructor(parts: ConnectionsParts, ports: Ports) {
    this.#parts = parts;
    this.#ports = ports;
    this.#book = new ConnectionBook(parts);
    this.#leftOver = new Map(this.#book.current.map(endpoint => [endpointKey(endpoint), endpoint]));
    this.#startedAtMs = parts.clock.nowMs();
    const { clock, keys, random, nodeId } = parts;
    this.checks = new ReachabilityChecks({
      clock,
      keys,
      random,
      send: (bytes, to) => ports.queryPort.send(bytes, to),
      isBusy: node => isMeasuring(parts.state(), [nodeId, node], clock.nowMs()),
      opened: target => this.#opened(target),
      closed: target => this.#closed(target),
    });
    this.answers = new ReachabilityAnswers({
      clock,
      localId: nodeId,
      keys,
      answer: (bytes, to) => ports.answering.send(bytes, to),
      isKnown: address => this.#known.has(address),
    });
  }

  /** The UDP port on which requests are answered. */
  get port(): number {
    return this.#ports.answering.port;
  }

  setKeys(keys: readonly Uint8Array[]): void {
    this.checks.setKeys(keys);
    this.answers.setKeys(keys);
  }

  /** Every checked address and its result. */
  get statuses(): readonly ReachStatus[] {
    return this.checks.statuses;
  }

  /** The addresses by which nodes may be reached from here, as they are now. */
  get targets(): readonly ReachTarget[] {
    return this.#targets;
  }

  /** Until the abort. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.checks.run(signal), this.#follow(signal)]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(
      [this.#ports.queryPort, this.#ports.answering].map(port => port[Symbol.asyncDispose]()),
    );
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const end = (): void => this.#wake.abort();
    signal.addEventListener('abort', end);
    while (!signal.aborted) {
      if (this.#wake.signal.aborted) this.#wake = new AbortController();
      this.look();
      await this.#describe();
      await pause(this.#parts.clock, LOOK_MS, this.#wake.signal);
    }
    signal.removeEventListener('abort', end);
  }

  /** Updates the checked addresses from what is known about the nodes and this machine. */
  look(): void {
    this.#lookAtNodes();
    this.#lookAtOwnReadings();
    this.#lookAtOtherEnds();
    this.#lookAtLeftOver();
    this.#lookAtLost();
  }

  /** What is asked ends by its answer; what cannot be asked any more ends at once, or when its node does not come. */
  #lookAtLeftOver(): void {
    const isLate = this.#parts.clock.nowMs() - this.#startedAtMs >= LEFT_OVER_MS;
    for (const [key, endpoint] of this.#leftOver) {
      const target = { node: endpoint.sink, address: endpoint.sinkAddress, port: 0 };
      const isRequested = this.#known.has(endpoint.sinkAddress) && this.#parts.isChosen(endpoint.sink);
      const wasSeen = this.#nodes.some(({ node }) => node === endpoint.sink);
      if (!isLate && (isRequested || !wasSeen)) continue;
      this.#leftOver.delete(key);
      this.#end(target, LEFT_OVER_MS, wasSeen && !isRequested ? undefined : NOT_REACHED);
    }
  }

  /** What was lost with its node opens again when the node is back; what does not by then has another reason. */
  #lookAtLost(): void {
    const { clock, nodeId, state } = this.#parts;
    const nowMs = clock.nowMs();
    if (nowMs - this.#lookedAtLostMs < LOST_LOOK_MS) return;
    this.#lookedAtLostMs = nowMs;
    this.#book.prune();
    const present = new Set(this.#nodes.map(({ node }) => node));
    for (const node of this.#backSinceMs.keys()) if (!present.has(node)) this.#backSinceMs.delete(node);
    for (const [sink, lost] of Object.entries(state().lostConnections[nodeId] ?? {})) {
      if (!isNodeId(sink)) continue;
      if (!present.has(sink)) {
        this.#blameNode(sink, Object.values(lost));
        continue;
      }
      const sinceMs = this.#backSinceMs.get(sink) ?? nowMs;
      this.#backSinceMs.set(sink, sinceMs);
      const isBack = nowMs - sinceMs >= LEFT_OVER_MS;
      for (const { value } of Object.values(lost)) {
        const { connection, code } = value;
        // Nobody checks a node that was chosen on another day: what is lost to it would never end.
        if (!this.#parts.isChosen(sink) && connection.type !== 'thunderbolt')
          this.#book.closedAs(value, NOT_CHOSEN);
        else if (isBack && isNodeLoss(code)) this.#book.explain(value, this.#lossNow(connection));
      }
    }
  }

  #lossNow(connection: Connection): Loss {
    if (connection.kind === 'rdma') return { code: 'interface-down', reason: RDMA_NOT_BACK };
    const target = { node: connection.sink, address: connection.sinkAddress, port: 0 };
    return this.#lossOf(target) ?? { code: 'no-answer', reason: 'no answer' };
  }

  /** A node that is killed answers nothing some time before it is offline: what closed meanwhile was lost with it. */
  #blameNode(node: NodeId, lost: readonly Entry<LostConnection>[]): void {
    const away = nodeLoss(this.#parts.state(), node, this.#parts.clock.nowMs());
    if (away === undefined) return;
    for (const { value, receivedAtMs, ageMs } of lost)
      if (
        value.connection.kind === 'socket' &&
        value.code === 'no-answer' &&
        receivedAtMs - ageMs - value.lostAgeMs >= away.atMs - LAST_SEEN_SLACK_MS
      )
        this.#book.explain(value, away);
  }

  #lookAtNodes(): void {
    const { state, nodeId, clock, ignoredInterfaces, listInterfaces = networkInterfaces } = this.#parts;
    const now = state();
    const nodes: ReachableNode[] = [];
    for (const node of nodeIds(now)) {
      const network = now.nodeNetworks[node]?.value;
      const port = now.nodeEndpoints[node]?.value.reachabilityPort;
      if (node === nodeId || network === undefined || port === undefined || !isKnown(port)) continue;
      if (presence(now, node, clock.nowMs()) !== 'offline') nodes.push({ node, port, network });
    }
    const interfaces = interfacesNow(listInterfaces, ignoredInterfaces) ?? this.#interfaces;
    const requested = nodes.filter(({ node }) => this.#parts.isChosen(node));
    const seen = [interfaces.linkLocalNames, [...interfaces.addresses], requested.map(({ node }) => node)]
      .map(part => part.join(' '))
      .join('|');
    if (seen === this.#seen && isSameNodes(nodes, this.#nodes)) return;
    this.#seen = seen;
    this.#interfaces = interfaces;
    this.#nodes = nodes;
    this.#targets = reachTargets(nodes, interfaces);
    for (const [key, { target }] of this.#open)
      if (!this.#book.isCurrent({ sink: target.node, sinkAddress: target.address })) this.#describeSoon(key);
    this.#known = new Set(this.#targets.map(({ address }) => address));
    const checked = requested.length === nodes.length ? this.#targets : reachTargets(requested, interfaces);
    this.checks.setTargets(checked, target => this.#lossOf(target)?.reason ?? NOT_CHOSEN);
  }

  /** Another own reading may mean another carrier, or none. */
  #lookAtOwnReadings(): void {
    const { state, nodeId } = this.#parts;
    const now = [state().nodeNetworks[nodeId]?.value, state().nodeThunderbolts[nodeId]?.value];
    if (now.every((value, index) => value === this.#ownReadings[index])) return;
    const isFirst = this.#ownReadings.length === 0;
    this.#ownReadings = now;
    for (const key of this.#open.keys()) this.#describeSoon(key);
    if (!isFirst) this.checks.hurry();
  }

  /**
   * A node that reports another interface, or that it reaches this one: a cable may be back. What does not answer is checked once a
   * minute only, and until then this end would show the path as lost, or as a firewall's.
   */
  #lookAtOtherEnds(): void {
    const { state, nodeId } = this.#parts;
    const { connections, lostConnections, nodeNetworks } = state();
    const lost = lostConnections[nodeId] ?? {};
    for (const node of this.#otherEnds.keys()) if (!Object.hasOwn(lost, node)) this.#otherEnds.delete(node);
    for (const { node } of this.#nodes) {
      if (!Object.hasOwn(lost, node)) continue;
      const now = [nodeNetworks[node]?.value, connections[node]?.[nodeId]];
      const before = this.#otherEnds.get(node);
      this.#otherEnds.set(node, now);
      if (before !== undefined && now.some((value, index) => value !== before[index]))
        this.checks.hurry(node);
    }
  }

  #opened(target: ReachTarget): void {
    const key = targetKey(target);
    this.#leftOver.delete(key);
    this.#open.set(key, { target, sinceMs: this.#parts.clock.nowMs() });
    this.#describeSoon(key);
  }

  #closed(target: ReachTarget): void {
    const key = targetKey(target);
    this.#leftOver.delete(key);
    const sinceMs = this.#open.get(key)?.sinceMs;
    this.#open.delete(key);
    this.#end(target, sinceMs === undefined ? 0 : this.#parts.clock.nowMs() - sinceMs);
  }

  /** Lost, or closed for good where this node does not want it any more. */
  #end(target: ReachTarget, openMs: number, noAnswer?: string): void {
    const endpoint = { sink: target.node, sinkAddress: target.address };
    const loss = this.#lossOf(target, noAnswer);
    if (loss === undefined) this.#book.closed(endpoint, NOT_CHOSEN);
    else this.#book.lost(endpoint, loss, openMs);
  }

  #describeSoon(key: string): void {
    this.#toDescribe.add(key);
    this.#wake.abort();
  }

  /** One after the other: many open at once when a daemon starts. */
  async #describe(): Promise<void> {
    for (const key of this.#toDescribe) {
      this.#toDescribe.delete(key);
      const target = this.#open.get(key)?.target;
      if (target === undefined) continue;
      const sourceInterface = await this.#sourceInterface(target);
      if (!this.#open.has(key)) continue;
      const endpoint = { sink: target.node, sinkAddress: target.address };
      if (isKnown(sourceInterface) && this.#parts.ignoredInterfaces.includes(sourceInterface))
        this.#book.closed(endpoint, `it uses ${sourceInterface}, which the settings ignore`);
      else this.#book.opened(endpoint, sourceInterface);
    }
  }

  async #sourceInterface({ address, port }: ReachTarget): Promise<Reported<string>> {
    const [, scope] = address.split('%');
    if (scope !== undefined) return scope;
    const { state, nodeId } = this.#parts;
    let source: string;
    try {
      source = await this.#ports.queryPort.sourceAddressTowards({ address, port });
    } catch {
      return unknown('the system does not report the route');
    }
    const ignored = this.#interfaces.ignored.get(source.toLowerCase());
    if (ignored !== undefined) return ignored;
    const interfaces = state().nodeNetworks[nodeId]?.value.interfaces;
    if (interfaces === undefined) return unknown('the interfaces of this machine have not been read yet');
    return interfaceOf(source, interfaces)?.name ?? unknown(`no single interface has the address ${source}`);
  }

  /** Why that is not reached; undefined where this node does not measure the other one any more. */
  #lossOf(target: ReachTarget, noAnswer = 'no answer'): Loss | undefined {
    const { node, address } = target;
    const { state, clock } = this.#parts;
    if (!this.#nodes.some(one => one.node === node)) {
      const away = nodeLoss(state(), node, clock.nowMs());
      return away ?? { code: 'no-answer', reason: 'the node does not answer reachability checks' };
    }
    if (!this.#parts.isChosen(node)) return undefined;
    const [, scope] = address.split('%');
    if (scope !== undefined && !this.#interfaces.linkLocalNames.includes(scope))
      return { code: 'interface-down', reason: `the interface ${scope} is down or gone` };
    return this.#known.has(address)
      ? { code: 'no-answer', reason: noAnswer }
      : { code: 'address-gone', reason: 'the node does not have that address any more' };
  }
}

const endpointKey = ({ sink, sinkAddress }: SocketEndpoint): string => `${sink} ${sinkAddress}`;

/** A sandbox may forbid the list for a moment. */
const interfacesNow = (list: () => InterfaceList, ignored: readonly string[]): OwnInterfaces | undefined => {
  try {
    return ownInterfacesOf(list(), ignored);
  } catch {
    return undefined;
  }
};

const isSameNodes = (one: readonly ReachableNode[], other: readonly ReachableNode[]): boolean =>
  one.length === other.length &&
  one.every(({ node, port, network }, index) => {
    const counterpart = other[index];
    return counterpart?.node === node && counterpart.port === port && counterpart.network === network;
  });

const RDMA_NOT_BACK = 'its ports have not become active again since the node returned';
const NOT_REACHED = 'it was not reached again since the daemon started';
/** Messages of a node may arrive through others for a moment after it was killed. */
const LAST_SEEN_SLACK_MS = 3_000;
/** How often what is lost is looked at. */
const LOST_LOOK_MS = 5_000;
/** How often the checked addresses are compared with what is known. */
const LOOK_MS = 1_000;
/** How long a connection from before the restart stays without a reply: as long as it takes a node to become offline. */
const LEFT_OVER_MS = 30_000;
