// A journal with what one made-up machine was measured at before, for pages that show a past.

import { systemClock } from '../../src/clock/system-clock.ts';
import { type Fact, factKey } from '../../src/core/event-kinds.ts';
import type { Journal } from '../../src/journal/journal.ts';
import { createMemoryJournal } from '../../src/journal/memory-journal.ts';
import { encodeRecordBody } from '../../src/wire/durable-record.ts';
import { idOf, measuredGpu } from './links.ts';
import type { Machine } from './machines.ts';

interface PastFact {
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

/** A month of measurements of one GPU; five days ago its memory fell to a quarter. */
export const fallenMemory = (deviceId: string): readonly PastFact[] =>
  Array.from({ length: 100 }, (_, index) => {
    const agoMs = (99 - index) * 6 * HOUR_MS + 1_000;
    return { fact: measuredGpu(deviceId, 165e12, agoMs < 5 * 24 * HOUR_MS ? 230e9 : 921e9), agoMs };
  });

const HOUR_MS = 3_600_000;
