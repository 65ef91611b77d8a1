import fc from 'fast-check';
import { expect, test } from 'vitest';
import { apply, applyAll, applyCatchUp } from '../../src/core/apply.ts';
import { EMPTY_STATE, type State } from '../../src/core/state.ts';
import { eventOf, eventsOf, originsOf, recordedEvent } from '../../src/recording/recording-line.ts';
import { arbitraryHistories } from '../core/arbitrary-event.ts';
import { longCount } from '../support/counts.ts';

test('any state becomes events, and they become the same state', () => {
  fc.assert(
    fc.property(arbitraryHistories, histories => {
      const state = applyAll(EMPTY_STATE, histories.flat());
      expect(rebuilt(state)).toEqual(withoutUnknownKinds(state));
    }),
    { numRuns: longCount(200, 5_000) },
  );
});

/** By way of what a recording holds of each event. */
const rebuilt = (state: State): State => {
  let next = EMPTY_STATE;
  for (const origin of originsOf(state)) {
    const events = eventsOf(state, origin).flatMap(event => {
      const recorded = recordedEvent(event, event.receivedAtMs);
      const read = recorded === undefined ? undefined : eventOf(recorded, event.receivedAtMs);
      expect(read, `${event.kind} is kept`).toBeDefined();
      return read === undefined ? [] : [read];
    });
    const position = state.origins[origin];
    if (position !== undefined)
      next = applyCatchUp(next, {
        origin,
        epoch: position.epoch,
        through: position.seq,
        events,
        receivedAtMs: position.receivedAtMs,
      });
    next = events.filter(event => event.class === 'live').reduce(apply, next);
  }
  return next;
};

/** A recording leaves them out, because it is unknown which of their fields have to be hidden. */
const withoutUnknownKinds = (state: State): State => ({ ...state, unknownKinds: {} });
