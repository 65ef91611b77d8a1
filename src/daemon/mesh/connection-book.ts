// This node's socket connections as events: written when one opens, when its type, rate or interface changes, when it is lost,
// and when it is closed for good. State has the last written version; nothing is written twice.

import type { Clock } from '../../clock/clock.ts';
import { ageMsOf, entriesOf } from '../../core/entry-maps.ts';
import type { Fact } from '../../core/event-kinds.ts';
import type { NodeId } from '../../core/ids.ts';
import {
  type Connection,
  connectionKey,
  type LossCode,
  type LostConnection,
} from '../../core/link/connection.ts';
import { connectionCarrier, isSameCarrier, stickyCarrier } from '../../core/link/connection-type.ts';
import { endReadings } from '../../core/link/link-ends.ts';
import { lossCause } from '../../core/link/loss-cause.ts';
import { expiredLosses, isMissed } from '../../core/link/losses.ts';
import { interfacesWith } from '../../core/node/network.ts';
import type { State } from '../../core/state.ts';
import { isKnown, isUnknown, knownOr, type Reported, unknown } from '../../core/unknown.ts';

export interface ConnectionBookParts {
  readonly nodeId: NodeId;
  readonly clock: Clock;
  readonly state: () => State;
  readonly record: (fact: Fact) => void;
}

export interface SocketEndpoint {
  readonly sink: NodeId;
  readonly sinkAddress: string;
}

export interface Loss {
  readonly code: LossCode;
  readonly reason: string;
}

type SocketConnection = Extract<Connection, { kind: 'socket' }>;

export class ConnectionBook {
  readonly #parts: ConnectionBookParts;
  /** Interfaces of lost connections that their node does not report, and since when, on the clock. */
  #absentSinceMs: ReadonlyMap<string, number> = new Map();

  constructor(parts: ConnectionBookParts) {
    this.#parts = parts;
  }

  /** The current entries of this node's own connections. */
  get current(): readonly SocketEndpoint[] {
    const { nodeId, state } = this.#parts;
    return entriesOf(state().connections[nodeId])
      .flatMap(sinks => entriesOf(sinks))
      .flatMap(({ value }) => (value.kind === 'socket' ? [value] : []));
  }

  /** What this node has lost. */
  get lostConnections(): readonly SocketEndpoint[] {
    const { nodeId, state } = this.#parts;
    return entriesOf(state().lostConnections[nodeId])
      .flatMap(sinks => entriesOf(sinks))
      .flatMap(({ value: { connection } }) => (connection.kind === 'socket' ? [connection] : []));
  }

  /** It is open, by that interface; called again when the readings of this machine have changed. */
  opened(endpoint: SocketEndpoint, sourceInterface: Reported<string>): void {
    const { nodeId, state, record } = this.#parts;
    const former = this.#of(endpoint) ?? this.#lostOf(endpoint);
    const isSameInterface =
      former !== undefined && (isUnknown(sourceInterface) || former.sourceInterface === sourceInterface);
    const own = {
      network: state().nodeNetworks[nodeId]?.value,
      thunderbolt: state().nodeThunderbolts[nodeId]?.value,
    };
    const source = isSameInterface ? former.sourceInterface : sourceInterface;
    const sinkInterface = this.#sinkInterface(endpoint, former);
    const found = connectionCarrier(source, own);
    // What was known of another interface does not apply to this one.
    const carrier = stickyCarrier(isSameInterface || isInterfaceNews(former) ? former : undefined, found);
    const isOpen = this.#of(endpoint) !== undefined;
    if (
      isOpen &&
      isSameInterface &&
      isSameCarrier(former, carrier) &&
      isSameName(former.sinkInterface, sinkInterface)
    )
      return;
    if (former !== undefined && isMoved(former, { source, sinkInterface })) this.#moved(former);
    const { type, negotiatedBitsPerSecond } = carrier;
    const { sink, sinkAddress } = endpoint;
    const payload: Connection = {
      kind: 'socket',
      sink,
      sinkAddress,
      sourceInterface: source,
      sinkInterface,
      type,
      negotiatedBitsPerSecond,
    };
    record({ kind: 'connection.opened', payload });
  }

  /**
   * The address is reached over another interface now, which is another path: its figures stay with the old one. If the old interface
   * is down, the path is lost, under a name of its own; otherwise only the route has changed.
   */
  #moved(former: SocketConnection): void {
    const { clock, nodeId, state, record } = this.#parts;
    const now = state();
    const { sink } = former;
    const key = connectionKey(former);
    const nowMs = clock.nowMs();
    const readings = { source: endReadings(now, nodeId), sink: endReadings(now, sink) };
    const { deadEnds } = lossCause(former, { source: nodeId, sink }, readings);
    const lost = now.lostConnections[nodeId]?.[sink]?.[key];
    const open = now.connections[nodeId]?.[sink]?.[key];
    const openMs = open === undefined ? 0 : ageMsOf(open, nowMs);
    if (deadEnds.length > 0 && (lost !== undefined || isMissed(now, nodeId, former, openMs))) {
      const movedKey = `${key} over ${knownOr(former.sourceInterface, 'unknown')}`;
      const lostAgeMs = lost === undefined ? 0 : lost.value.lostAgeMs + ageMsOf(lost, nowMs);
      const loss = { code: 'interface-down', reason: 'its interface is down', lostAgeMs } as const;
      record({
        kind: 'connection.lost',
        payload: { sink, connectionKey: movedKey, connection: former, ...loss },
      });
      const profile = now.linkProfiles[nodeId]?.[sink]?.[key];
      if (profile !== undefined) {
        const measuredAgeMs = profile.value.measuredAgeMs + ageMsOf(profile, nowMs);
        record({
          kind: 'link.profiled',
          payload: { ...profile.value, connectionKey: movedKey, measuredAgeMs },
        });
      }
    }
    const reason = 'its address is reached over another interface';
    record({ kind: 'connection.closed', payload: { sink, connectionKey: key, reason } });
  }

  /** Whether what is recorded of the sink's interface is what the sink reports now. */
  isCurrent(endpoint: SocketEndpoint): boolean {
    const recorded = this.#of(endpoint);
    return (
      recorded === undefined || isSameName(recorded.sinkInterface, this.#sinkInterface(endpoint, recorded))
    );
  }

  /** It stays, with its profile, if it is worth it: open for a minute, or its path measured. */
  lost(endpoint: SocketEndpoint, { code, reason }: Loss, openMs: number): void {
    const { clock, nodeId, state, record } = this.#parts;
    const connection = this.#of(endpoint);
    const entry = state().connections[nodeId]?.[endpoint.sink]?.[`socket ${endpoint.sinkAddress}`];
    if (connection === undefined || entry === undefined) return;
    // What an earlier start opened has been open for as long as it has been written down.
    if (!isMissed(state(), nodeId, connection, Math.max(openMs, ageMsOf(entry, clock.nowMs())))) {
      this.closed(endpoint, reason);
      return;
    }
    const { sink } = endpoint;
    const payload = {
      sink,
      connectionKey: connectionKey(connection),
      connection,
      code,
      reason,
      lostAgeMs: 0,
    };
    record({ kind: 'connection.lost', payload });
  }

  /** Another reason for a loss that was recorded. */
  explain({ sink, connectionKey: key }: LostConnection, { code, reason }: Loss): void {
    const { clock, nodeId, state, record } = this.#parts;
    const entry = state().lostConnections[nodeId]?.[sink]?.[key];
    if (entry === undefined || entry.value.code === code) return;
    const lostAgeMs = entry.value.lostAgeMs + ageMsOf(entry, clock.nowMs());
    record({ kind: 'connection.lost', payload: { ...entry.value, code, reason, lostAgeMs } });
  }

  /** A loss that nobody will look for again. */
  closedAs({ sink, connectionKey: key }: LostConnection, reason: string): void {
    this.#parts.record({ kind: 'connection.closed', payload: { sink, connectionKey: key, reason } });
  }

  /** For good: its profile goes with it. Also of what was lost. */
  closed(endpoint: SocketEndpoint, reason: string): void {
    const connection = this.#of(endpoint) ?? this.#lostOf(endpoint);
    if (connection === undefined) return;
    const payload = { sink: endpoint.sink, connectionKey: connectionKey(connection), reason };
    this.#parts.record({ kind: 'connection.closed', payload });
  }

  /** Closes for good what was lost and will not be missed. */
  prune(): void {
    const { clock, nodeId, state, record } = this.#parts;
    const nowMs = clock.nowMs();
    const absent = new Map<string, number>();
    const isLongGone = (node: NodeId, interfaceName: string): boolean => {
      const name = `${node} ${interfaceName}`;
      const sinceMs = this.#absentSinceMs.get(name) ?? nowMs;
      absent.set(name, sinceMs);
      return nowMs - sinceMs >= ABSENT_MS;
    };
    for (const payload of expiredLosses(state(), nodeId, nowMs, isLongGone))
      record({ kind: 'connection.closed', payload });
    this.#absentSinceMs = absent;
  }

  /** The one interface of the sink that has the address; the last one known while none or several have it. */
  #sinkInterface(
    { sink, sinkAddress }: SocketEndpoint,
    former: SocketConnection | undefined,
  ): Reported<string> {
    const [found, ...others] = interfacesWith(this.#parts.state().nodeNetworks[sink]?.value, sinkAddress);
    if (found !== undefined && others.length === 0) return found.name;
    if (former !== undefined && isKnown(former.sinkInterface)) return former.sinkInterface;
    return unknown(
      found === undefined
        ? 'the other end does not report the address'
        : 'several interfaces of the other end have the address',
    );
  }

  #of({ sink, sinkAddress }: SocketEndpoint): SocketConnection | undefined {
    const { nodeId, state } = this.#parts;
    const value = state().connections[nodeId]?.[sink]?.[`socket ${sinkAddress}`]?.value;
    return value?.kind === 'socket' ? value : undefined;
  }

  #lostOf({ sink, sinkAddress }: SocketEndpoint): SocketConnection | undefined {
    const { nodeId, state } = this.#parts;
    const value = state().lostConnections[nodeId]?.[sink]?.[`socket ${sinkAddress}`]?.value.connection;
    return value?.kind === 'socket' ? value : undefined;
  }
}

/** Another interface at one end, both known. */
const isMoved = (
  former: SocketConnection,
  now: { readonly source: Reported<string>; readonly sinkInterface: Reported<string> },
): boolean =>
  [[former.sourceInterface, now.source] as const, [former.sinkInterface, now.sinkInterface] as const].some(
    ([was, is]) => isKnown(was) && isKnown(is) && was !== is,
  );

const isSameName = (one: Reported<string>, other: Reported<string>): boolean =>
  isUnknown(one) ? isUnknown(other) : one === other;

/** Whether the interface was unknown before: the known type is kept until the interface shows a different one. */
const isInterfaceNews = (former: SocketConnection | undefined): boolean =>
  former !== undefined && !isKnown(former.sourceInterface);

/** An interface that one reading leaves out, as while USB is read again, is not gone. */
const ABSENT_MS = 3_600_000;
