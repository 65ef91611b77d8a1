// State as the events of a recording: each entry becomes the event that would put it there.

import { nodesIn } from '../core/entry-maps.ts';
import type { Event } from '../core/event.ts';
import { eventClass, factKey } from '../core/event-kinds.ts';
import { heldFacts } from '../core/held-facts.ts';
import type { NodeId } from '../core/ids.ts';
import type { State } from '../core/state.ts';
import { factFrom } from '../wire/event-schema.ts';

/** Every node that state has an entry or a position of, ascending. */
export const originsOf = (state: State): readonly NodeId[] => {
  const { unknownKinds: _unread, ...maps } = state;
  return [...new Set(Object.values(maps).flatMap(nodesIn))].sort();
};

/** Durable ones ascending by seq, then live ones likewise. */
export const eventsOf = (state: State, origin: NodeId): readonly Event[] =>
  heldFacts(state, origin)
    .flatMap(({ kind, payload, entry: { epoch, seq, ageMs, receivedAtMs } }) => {
      const fact = factFrom(kind, payload);
      if (fact === undefined) return [];
      const head = { origin, epoch, seq, ageMs, receivedAtMs, class: eventClass(kind), key: factKey(fact) };
      return [{ ...head, ...fact }];
    })
    .sort((a, b) => (a.class === b.class ? a.seq - b.seq : a.class === 'durable' ? -1 : 1));
