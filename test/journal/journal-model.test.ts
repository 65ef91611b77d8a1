// Any sequence of what can happen to a journal gives the same picture on every adapter, and positions only grow.

import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Journal } from '../../src/journal/journal.ts';
import { createMemoryDisk, createMemoryJournal } from '../../src/journal/memory-journal.ts';
import { openSqliteJournal } from '../../src/journal/sqlite-journal.ts';
import { longCount } from '../support/counts.ts';
import { OWN } from '../support/journal-records.ts';
import { carryOut, type JournalStep, journalSteps, pictureOf } from '../support/journal-steps.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const numRuns = longCount(30, 1000);

test(`both adapters give the same answers and the same picture (${numRuns} sequences)`, async () => {
  await fc.assert(
    fc.asyncProperty(journalSteps, async steps => {
      using directory = temporaryDirectory();
      const clock = new VirtualClock();
      const path = join(directory.path, 'journal.db');
      const disk = createMemoryDisk();
      using memory = new Reopened(() => createMemoryJournal({ ownNode: OWN, clock, disk }));
      using sqlite = new Reopened(() => openSqliteJournal({ path, ownNode: OWN, clock }));
      for (const step of steps) {
        if (step.kind === 'advance') await clock.advance(step.hours * 3_600_000);
        expect(sqlite.carryOut(step)).toEqual(memory.carryOut(step));
        expect(pictureOf(sqlite.journal)).toEqual(pictureOf(memory.journal));
      }
    }),
    { numRuns },
  );
}, 600_000);

test('positions of other origins never go back, and nothing is left of a refused step', async () => {
  await fc.assert(
    fc.asyncProperty(journalSteps, async steps => {
      const clock = new VirtualClock();
      const disk = createMemoryDisk();
      using memory = new Reopened(() => createMemoryJournal({ ownNode: OWN, clock, disk }));
      for (const step of steps) {
        if (step.kind === 'advance') await clock.advance(step.hours * 3_600_000);
        const before = memory.journal.origins();
        const picture = pictureOf(memory.journal);
        const result = memory.carryOut(step);
        for (const { origin, epoch, through } of before) {
          const after = memory.journal.origins().find(one => one.origin === origin);
          const isAhead = after !== undefined && (after.epoch > epoch || after.through >= through);
          expect(isAhead && after.epoch >= epoch).toBe(true);
        }
        if (result === 'out-of-order' || result === 'own-future')
          expect(pictureOf(memory.journal)).toEqual(picture);
      }
    }),
  );
});

/** A journal that is closed and opened again if a step requires it. */
class Reopened {
  readonly #open: () => Journal;
  journal: Journal;

  constructor(open: () => Journal) {
    this.#open = open;
    this.journal = open();
  }

  carryOut(step: JournalStep): unknown {
    if (step.kind === 'reopen') {
      this.journal[Symbol.dispose]();
      this.journal = this.#open();
    }
    return carryOut(this.journal, step);
  }

  [Symbol.dispose](): void {
    this.journal[Symbol.dispose]();
  }
}
