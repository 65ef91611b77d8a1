// The facts that a node has reported about itself and that are still true, to be reported again: its durable events when its
// journal starts a new epoch, because older epochs are no longer current; its live ones when a mesh opens that has not received them.

import { ageMsOf } from '../../core/entry-maps.ts';
import { eventClass, type Fact } from '../../core/event-kinds.ts';
import type { NodeId } from '../../core/ids.ts';
import type { EventClass } from '../../core/kind-row.ts';
import type { State } from '../../core/state.ts';
import { heldFacts } from '../../core/stored-facts.ts';
import { factFrom } from '../../wire/event-schema.ts';

interface PresentFact {
  readonly fact: Fact;
  readonly ageMs: number;
}

export const presentFacts = (
  state: State,
  node: NodeId,
  { ofClass, nowMs }: { readonly ofClass: EventClass; readonly nowMs: number },
): readonly PresentFact[] =>
  heldFacts(state, node)
    .filter(({ kind }) => eventClass(kind) === ofClass)
    .flatMap(({ kind, payload, entry }) => {
      const fact = factFrom(kind, payload);
      return fact === undefined ? [] : [{ fact, ageMs: ageMsOf(entry, nowMs) }];
    });
