// A quarter of an hour of the cluster of faults, in which each member reports hostile text in every field that other nodes accept.

import { applyAll } from '../../src/core/apply.ts';
import type { KnownEvent } from '../../src/core/event.ts';
import { eventClass, factKey } from '../../src/core/event-kinds.ts';
import { EMPTY_STATE, type State } from '../../src/core/state.ts';
import { FAULTS } from '../../src/simulate/scenario/faults.ts';
import { type Said, SimulatedWorld } from '../simulate/simulated-world.ts';
import { HostileEvents } from './hostile-events.ts';

interface HostileMoment {
  readonly state: State;
  readonly nowMs: number;
}

interface HostileWorld {
  /** Before each text, such as "--config=". */
  readonly prefix?: string;
  readonly everySeconds?: number;
  /** Links stay as they are, between nodes with hostile names: else what is reported of one link does not fit together. */
  readonly hasTrueLinks?: boolean;
}

export async function* hostileMoments({
  prefix = '',
  everySeconds = 40,
  hasTrueLinks = false,
}: HostileWorld = {}): AsyncGenerator<HostileMoment> {
  await using world = new SimulatedWorld(FAULTS);
  const isSpared = (kind: string): boolean =>
    hasTrueLinks && /^(?:connection|link|loss|network)\b/.test(kind);
  const events = new EventsOf(new HostileEvents(prefix, isSpared));
  let state: State = EMPTY_STATE;
  let taken = 0;
  for (let atSeconds = 5; atSeconds <= 900; atSeconds += everySeconds) {
    await world.clock.advance(atSeconds * 1_000 - world.clock.nowMs());
    state = applyAll(
      state,
      world.said.slice(taken).map(said => events.of(said)),
    );
    taken = world.said.length;
    yield { state, nowMs: world.clock.nowMs() };
  }
}

class EventsOf {
  readonly #hostile: HostileEvents;
  readonly #seqs = new Map<string, number>();

  constructor(hostile: HostileEvents) {
    this.#hostile = hostile;
  }

  of({ node, fact, ageMs, atMs }: Said): KnownEvent {
    const of = eventClass(fact.kind);
    const seq = (this.#seqs.get(node + of) ?? 0) + 1;
    this.#seqs.set(node + of, seq);
    const head = { origin: node, epoch: 1, class: of, seq, key: factKey(fact), ageMs, receivedAtMs: atMs };
    return this.#hostile.made({ ...head, ...fact });
  }
}
