// This node's socket connections as events: written when one opens, when its type, rate or interface changes, and when
// it closes. State has the last written version; nothing is written twice.

import { entriesOf } from '../../core/entry-maps.ts';
import type { Fact } from '../../core/event-kinds.ts';
import type { NodeId } from '../../core/ids.ts';
import type { Connection } from '../../core/link/connection.ts';
import { connectionKey } from '../../core/link/connection.ts';
import { connectionCarrier, isSameCarrier, stickyCarrier } from '../../core/link/connection-type.ts';
import type { State } from '../../core/state.ts';
import type { Reported } from '../../core/unknown.ts';
import { isKnown, isUnknown } from '../../core/unknown.ts';

export interface ConnectionBookParts {
  readonly nodeId: NodeId;
  readonly state: () => State;
  readonly record: (fact: Fact) => void;
}

export interface SocketPlace {
  readonly sink: NodeId;
  readonly sinkAddress: string;
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

  /** It is open, by that interface; called again when the readings of this machine have changed. */
  opened(place: SocketPlace, sourceInterface: Reported<string>): void {
    const { nodeId, state, record } = this.#parts;
    const former = this.#of(place);
    const isSameInterface =
      former !== undefined && (isUnknown(sourceInterface) || former.sourceInterface === sourceInterface);
    const own = {
      network: state().nodeNetworks[nodeId]?.value,
      thunderbolt: state().nodeThunderbolts[nodeId]?.value,
    };
    const source = isSameInterface ? former.sourceInterface : sourceInterface;
    const found = connectionCarrier(source, own);
    // What was known of another interface says nothing of this one.
    const carrier = stickyCarrier(isSameInterface || isInterfaceNews(former) ? former : undefined, found);
    if (isSameInterface && isSameCarrier(former, carrier)) return;
    const { type, negotiatedBitsPerSecond } = carrier;
    const { sink, sinkAddress } = place;
    const payload: Connection = {
      kind: 'socket',
      sink,
      sinkAddress,
      sourceInterface: source,
      type,
      negotiatedBitsPerSecond,
    };
    record({ kind: 'connection.opened', payload });
  }

  closed(place: SocketPlace, reason: string): void {
    const connection = this.#of(place);
    if (connection === undefined) return;
    const payload = { sink: place.sink, connectionKey: connectionKey(connection), reason };
    this.#parts.record({ kind: 'connection.closed', payload });
  }

  #of({ sink, sinkAddress }: SocketPlace): SocketConnection | undefined {
    const { nodeId, state } = this.#parts;
    const value = state().connections[nodeId]?.[sink]?.[`socket ${sinkAddress}`]?.value;
    return value?.kind === 'socket' ? value : undefined;
  }
}

/** The interface was not known before: what was known of the type stays until the interface says otherwise. */
const isInterfaceNews = (former: SocketConnection | undefined): boolean =>
  former !== undefined && !isKnown(former.sourceInterface);
