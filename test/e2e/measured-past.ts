// A journal with what one made-up machine was measured at before, for pages that show a past.

import { systemClock } from '../../src/clock/system-clock.ts';
import type { Fact } from '../../src/core/event.ts';
import { factKey } from '../../src/core/event.ts';
import type { Journal } from '../../src/journal/journal.ts';
import { createMemoryJournal } from '../../src/journal/memory-journal.ts';
import { encodeRecordBody } from '../../src/wire/durable-record.ts';
import { idOf } from './links.ts';
import type { Machine } from './machines.ts';

export interface PastFact {
  readonly fact: Fact;
  readonly agoMs: number;
}

/** Oldest first. Dispose of it. */
export const measuredPast = (machine: Machine, past: readonly PastFact[]): Journal => {
  const ownNode = idOf(machine);
  const journal = createMemoryJournal({ ownNode, clock: systemClock });
  journal.append(
    past.map(({ fact, agoMs }, index) => {
      const position = { origin: ownNode, epoch: journal.ownEpoch, seq: index + 1 };
      return {
        ...position,
        kind: fact.kind,
        key: factKey(fact),
        body: encodeRecordBody(position, fact),
        signature: new Uint8Array(),
        ageMs: agoMs,
      };
    }),
  );
  return journal;
};
