// A node's current durable events: written again when its journal starts a new epoch, because older epochs are no
// longer current.

import type { Fact } from '../../core/event-kinds.ts';
import { eventClass } from '../../core/event-kinds.ts';
import { heldFacts } from '../../core/held-facts.ts';
import type { NodeId } from '../../core/ids.ts';
import type { State } from '../../core/state.ts';
import { factFrom } from '../../wire/event-schema.ts';

export const presentFacts = (state: State, node: NodeId): readonly Fact[] =>
  heldFacts(state, node)
    .filter(({ kind }) => eventClass(kind) === 'durable')
    .flatMap(({ kind, payload }) => factFrom(kind, payload) ?? []);
