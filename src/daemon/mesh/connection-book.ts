// This node's socket connections as events: written when one opens, when its type, rate or interface changes, when it is lost,
// and when it is closed for good. State has the last written version; nothing is written twice.

import type { Clock } from '../../clock/clock.ts';
import { ageMsOf, entriesOf } from '../../core/entry-maps.ts';
import type { Fact } from '../../core/event-kinds.ts';
import type { NodeId } from '../../core/ids.ts';
import { type Connection, connectionKey, type LossCode } from '../../core/link/connection.ts';
import { connectionCarrier, isSameCarrier, stickyCarrier } from '../../core/link/connection-type.ts';
import { expiredLosses, isMissed } from '../../core/link/losses.ts';
import { interfacesWith } from '../../core/node/network.ts';
import type { State } from '../../core/state.ts';
import { isKnown, isUnknown, type Reported, unknown } from '../../core/unknown.ts';

export interface ConnectionBookParts {
  readonly nodeId: NodeId;
  readonly clock: Clock;
  readonly state: () => State;
  readonly record: (fact: Fact) => void;
}

export interface SocketPlace {
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

  constructor(parts: ConnectionBookParts) {
    this.#parts = parts;
  }

  /** What stands there now of this node's own. */
  get held(): readonly SocketPlace[] {
    const { nodeId, state } = this.#parts;
    return entriesOf(state().connections[nodeId])
      .flatMap(sinks => entriesOf(sinks))
      .flatMap(({ value }) => (value.kind === 'socket' ? [value] : []));
  }

  /** What this node has lost. */
  get heldLost(): readonly SocketPlace[] {
    const { nodeId, state } = this.#parts;
    return entriesOf(state().lostConnections[nodeId])
      .flatMap(sinks => entriesOf(sinks))
      .flatMap(({ value: { connection } }) => (connection.kind === 'socket' ? [connection] : []));
  }

  /** It is open, by that interface; called again when the readings of this machine have changed. */
  opened(place: SocketPlace, sourceInterface: Reported<string>): void {
    const { nodeId, state, record } = this.#parts;
    const former = this.#of(place) ?? this.#lostOf(place);
    const isSameInterface =
      former !== undefined && (isUnknown(sourceInterface) || former.sourceInterface === sourceInterface);
    const own = {
      network: state().nodeNetworks[nodeId]?.value,
      thunderbolt: state().nodeThunderbolts[nodeId]?.value,
    };
    const source = isSameInterface ? former.sourceInterface : sourceInterface;
    const sinkInterface = this.#sinkInterface(place, former);
    const found = connectionCarrier(source, own);
    // What was known of another interface says nothing of this one.
    const carrier = stickyCarrier(isSameInterface || isInterfaceNews(former) ? former : undefined, found);
    const isOpen = this.#of(place) !== undefined;
    if (
      isOpen &&
      isSameInterface &&
      isSameCarrier(former, carrier) &&
      isSameName(former.sinkInterface, sinkInterface)
    )
      return;
    const { type, negotiatedBitsPerSecond } = carrier;
    const { sink, sinkAddress } = place;
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

  /** Whether what is recorded of the sink's interface is what the sink reports now. */
  isCurrent(place: SocketPlace): boolean {
    const held = this.#of(place);
    return held === undefined || isSameName(held.sinkInterface, this.#sinkInterface(place, held));
  }

  /** It stays, with its profile, if it is worth it: open for a minute, or its path measured. */
  lost(place: SocketPlace, { code, reason }: Loss, openMs: number): void {
    const { clock, nodeId, state, record } = this.#parts;
    const connection = this.#of(place);
    const entry = state().connections[nodeId]?.[place.sink]?.[`socket ${place.sinkAddress}`];
    if (connection === undefined || entry === undefined) return;
    // What an earlier start opened has been open for as long as it has been written down.
    if (!isMissed(state(), nodeId, connection, Math.max(openMs, ageMsOf(entry, clock.nowMs())))) {
      this.closed(place, reason);
      return;
    }
    const { sink } = place;
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
  explain({ sink, sinkAddress }: SocketPlace, { code, reason }: Loss): void {
    const { clock, nodeId, state, record } = this.#parts;
    const entry = state().lostConnections[nodeId]?.[sink]?.[`socket ${sinkAddress}`];
    if (entry === undefined || entry.value.code === code) return;
    const lostAgeMs = entry.value.lostAgeMs + ageMsOf(entry, clock.nowMs());
    record({ kind: 'connection.lost', payload: { ...entry.value, code, reason, lostAgeMs } });
  }

  /** For good: its profile goes with it. Also of what was lost. */
  closed(place: SocketPlace, reason: string): void {
    const connection = this.#of(place) ?? this.#lostOf(place);
    if (connection === undefined) return;
    const payload = { sink: place.sink, connectionKey: connectionKey(connection), reason };
    this.#parts.record({ kind: 'connection.closed', payload });
  }

  /** Closes for good what was lost and will not be missed. */
  prune(): void {
    const { clock, nodeId, state, record } = this.#parts;
    for (const payload of expiredLosses(state(), nodeId, clock.nowMs()))
      record({ kind: 'connection.closed', payload });
  }

  /** The one interface of the sink that has the address; the last one known while none or several have it. */
  #sinkInterface({ sink, sinkAddress }: SocketPlace, former: SocketConnection | undefined): Reported<string> {
    const [found, ...others] = interfacesWith(this.#parts.state().nodeNetworks[sink]?.value, sinkAddress);
    if (found !== undefined && others.length === 0) return found.name;
    if (former !== undefined && isKnown(former.sinkInterface)) return former.sinkInterface;
    return unknown(
      found === undefined
        ? 'the other end does not report the address'
        : 'several interfaces of the other end have the address',
    );
  }

  #of({ sink, sinkAddress }: SocketPlace): SocketConnection | undefined {
    const { nodeId, state } = this.#parts;
    const value = state().connections[nodeId]?.[sink]?.[`socket ${sinkAddress}`]?.value;
    return value?.kind === 'socket' ? value : undefined;
  }

  #lostOf({ sink, sinkAddress }: SocketPlace): SocketConnection | undefined {
    const { nodeId, state } = this.#parts;
    const value = state().lostConnections[nodeId]?.[sink]?.[`socket ${sinkAddress}`]?.value.connection;
    return value?.kind === 'socket' ? value : undefined;
  }
}

const isSameName = (one: Reported<string>, other: Reported<string>): boolean =>
  isUnknown(one) ? isUnknown(other) : one === other;

/** The interface was not known before: what was known of the type stays until the interface says otherwise. */
const isInterfaceNews = (former: SocketConnection | undefined): boolean =>
  former !== undefined && !isKnown(former.sourceInterface);
