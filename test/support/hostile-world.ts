// A quarter of an hour of the cluster of faults, in which each member reports hostile text in every field that other nodes accept.

import { applyAll } from '../../src/core/apply.ts';
import type { KnownEvent } from '../../src/core/event.ts';
import { eventClass, factKey } from '../../src/core/event-kinds.ts';
import { EMPTY_STATE, type State } from '../../src/core/state.ts';
import { FAULTS } from '../../src/simulate/scenario/faults.ts';
import { type AgentReply, SimulatedWorld } from '../simulate/simulated-world.ts';
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
  const isSpared = (kind: string): boolean =>
    hasTrueLinks && /^(?:connection|link|loss|network|topology)\b/.test(kind);
  const events = new EventsOf(new HostileEvents(prefix, isSpared));
  const all = await textOfFaults();
  let state: State = EMPTY_STATE;
  let taken = 0;
  for (let atSeconds = 5; atSeconds <= SECONDS; atSeconds += everySeconds) {
    const nowMs = atSeconds * 1_000;
    const from = taken;
    while ((all[taken]?.atMs ?? Infinity) <= nowMs) taken += 1;
    const news = newestOf(all.slice(from, taken));
    state = applyAll(
      state,
      news.map(reported => events.of(reported)),
    );
    yield { state, nowMs };
  }
}

/** Simulated once for all tests of a worker: hostile text comes into it afterwards. */
const textOfFaults = (): Promise<readonly AgentReply[]> => {
  simulated ??= (async () => {
    await using world = new SimulatedWorld(FAULTS);
    await world.clock.advance(SECONDS * 1_000);
    return world.reported;
  })();
  return simulated;
};

let simulated: Promise<readonly AgentReply[]> | undefined;
const SECONDS = 900;

/** Of live values, which replace each other, the last one. */
const newestOf = (all: readonly AgentReply[]): readonly AgentReply[] => {
  const last = new Map(all.map(reported => [keyOf(reported), reported]));
  return all.filter(
    reported => eventClass(reported.fact.kind) !== 'live' || last.get(keyOf(reported)) === reported,
  );
};

const keyOf = ({ node, fact }: AgentReply): string => `${node} ${fact.kind} ${factKey(fact)}`;

class EventsOf {
  readonly #hostile: HostileEvents;
  readonly #seqs = new Map<string, number>();

  constructor(hostile: HostileEvents) {
    this.#hostile = hostile;
  }

  of({ node, fact, ageMs, atMs }: AgentReply): KnownEvent {
    const of = eventClass(fact.kind);
    const seq = (this.#seqs.get(node + of) ?? 0) + 1;
    this.#seqs.set(node + of, seq);
    const head = { origin: node, epoch: 1, class: of, seq, key: factKey(fact), ageMs, receivedAtMs: atMs };
    return this.#hostile.made({ ...head, ...fact });
  }
}
