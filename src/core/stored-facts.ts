// State back to facts: each entry with the kind and payload that wrote it. A node publishes them again after
// its journal was recreated, and a recording starts with them.

import { entriesOfNode } from './entry-maps.ts';
import { EVENT_KINDS, type EventKind, KINDS, type PayloadOf } from './event-kinds.ts';
import type { NodeId } from './ids.ts';
import type { Entry, State } from './state.ts';

interface HeldFact {
  readonly kind: EventKind;
  /** Has the kind's type; the sender validates it like a peer's payload. */
  readonly payload: unknown;
  readonly entry: Entry<unknown>;
}

/** In table order of the kinds. */
export const heldFacts = (state: State, node: NodeId): readonly HeldFact[] =>
  KINDS.flatMap(kind =>
    entriesOfNode(state, EVENT_KINDS[kind].field, node).flatMap(entry => {
      const payload = payloadOf(kind, entry);
      return payload === undefined ? [] : [{ kind, payload, entry }];
    }),
  );

const payloadOf = <K extends EventKind>(kind: K, entry: Entry<unknown>): unknown => {
  const { closes, title, report } = EVENT_KINDS[kind];
  if (closes !== undefined || !isStoredBy(kind, entry)) return undefined;
  if (title === undefined) return report === undefined ? entry.value : report(entry.value);
  const { epoch: _epoch, seq: _seq, ageMs: _ageMs, receivedAtMs: _receivedAtMs, ...gathered } = entry;
  return gathered;
};

/** State has one writer, and the table defines what it writes into the map of a kind. */
const isStoredBy = <K extends EventKind>(_kind: K, entry: Entry<unknown>): entry is Entry<PayloadOf<K>> =>
  entry.value !== undefined;
