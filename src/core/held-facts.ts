// State back to facts: each entry with the kind and payload that put it where it is. What a node tells of itself again after
// its journal began anew, and what a recording begins with.

import { entriesOfNode } from './entry-maps.ts';
import { EVENT_KINDS, type EventKind, type HeldOf, KINDS } from './event-kinds.ts';
import type { NodeId } from './ids.ts';
import type { Entry, State } from './state.ts';

interface HeldFact {
  readonly kind: EventKind;
  /** Of the kind's type; whoever sends it checks it as what a peer sends. */
  readonly payload: unknown;
  readonly entry: Entry<unknown>;
}

/** In the order of the table of kinds. */
export const heldFacts = (state: State, node: NodeId): readonly HeldFact[] =>
  KINDS.flatMap(kind =>
    entriesOfNode(state, EVENT_KINDS[kind].field, node).flatMap(entry => {
      const payload = payloadOf(kind, entry);
      return payload === undefined ? [] : [{ kind, payload, entry }];
    }),
  );

const payloadOf = <K extends EventKind>(kind: K, entry: Entry<unknown>): unknown => {
  const { closes, title, tell } = EVENT_KINDS[kind];
  if (closes !== undefined || !isHeldBy(kind, entry)) return undefined;
  if (title === undefined) return tell === undefined ? entry.value : tell(entry.value);
  const { epoch: _epoch, seq: _seq, ageMs: _ageMs, receivedAtMs: _receivedAtMs, ...gathered } = entry;
  return gathered;
};

/** State has one writer, and the table says what it writes into the map of a kind. */
const isHeldBy = <K extends EventKind>(_kind: K, entry: Entry<unknown>): entry is Entry<HeldOf<K>> =>
  entry.value !== undefined;
