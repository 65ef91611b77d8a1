// A folded state of made-up machines, for the words and warnings that pages derive from it.

import { applyAll } from '../../../src/core/apply.ts';
import type { Event } from '../../../src/core/event.ts';
import { eventClass, type Fact, factKey } from '../../../src/core/event-kinds.ts';
import { type NodeId, nodeId } from '../../../src/core/ids.ts';
import { type NodeView, nodeView } from '../../../src/core/node/node-view.ts';
import { nodeIds } from '../../../src/core/node/presence-view.ts';
import { EMPTY_STATE, type State } from '../../../src/core/state.ts';
import type { InTurnOptions, Machine } from '../../e2e/machines.ts';

export const idOf = ({ seed }: Machine): NodeId => nodeId(seed.padEnd(26, 'x'));

export const AT_WORK: InTurnOptions = { memory: 0.62, use: 0.41, cpu: 0.12 };

interface ReportedState {
  readonly machine: Machine;
  readonly facts: readonly Fact[];
}

/** Everything reported at moment 0. */
export const stateOf = (...reported: readonly ReportedState[]): State =>
  applyAll(EMPTY_STATE, eventsOf(reported, 0));

/** Reported at moment 0; what is live and `goesOn` is reported again at `nowMs`. */
export const stillSpeaking = (
  reported: ReportedState,
  nowMs: number,
  goesOn: (fact: Fact) => boolean,
): State =>
  applyAll(
    stateOf(reported),
    eventsOf(
      [{ ...reported, facts: reported.facts.filter(fact => isLive(fact) && goesOn(fact)) }],
      nowMs,
    ).map((event): Event => ({ ...event, seq: event.seq + 1_000 })),
  );

const eventsOf = (reported: readonly ReportedState[], receivedAtMs: number): readonly Event[] => {
  const seqs = new Map<string, number>();
  return reported.flatMap(({ machine, facts }) =>
    facts.map((fact): Event => {
      const origin = idOf(machine);
      const kindClass = eventClass(fact.kind);
      const seq = (seqs.get(origin + kindClass) ?? 0) + 1;
      seqs.set(origin + kindClass, seq);
      return {
        origin,
        epoch: 1,
        class: kindClass,
        seq,
        key: factKey(fact),
        ageMs: 0,
        receivedAtMs,
        ...fact,
      };
    }),
  );
};

const isLive = (fact: Fact): boolean => eventClass(fact.kind) === 'live';

export const at = (machine: Machine, reporting: InTurnOptions = AT_WORK): ReportedState => ({
  machine,
  facts: [...machine.durable, ...machine.live(reporting)],
});

export const viewsOf = (state: State, nowMs = 0): readonly NodeView[] =>
  nodeIds(state).map(id => nodeView(state, id, nowMs));
