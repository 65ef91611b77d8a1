// A process of its own that fills a small disk with a journal, makes room, goes on with the same journal, fills the disk
// with something else and opens the journal again, before and after there is room.
// Usage: node journal-filler.ts PATH BALLAST

import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { systemClock } from '../../src/clock/system-clock.ts';
import { type Journal, JournalError } from '../../src/journal/journal.ts';
import { openSqliteJournal } from '../../src/journal/sqlite-journal.ts';
import { appendOwn, OWN, seqsAfter } from './journal-records.ts';

const [path = '', ballast = ''] = process.argv.slice(2);

const fill = (journal: Journal): Pick<JournalError, 'code' | 'problem'> & { seq: number } => {
  let seq = 0;
  for (;;) {
    try {
      seq = appendOwn(journal, { kind: 'run.started', key: `r${seq}`, payload: 'x'.repeat(20_000) });
    } catch (error) {
      if (!(error instanceof JournalError)) throw error;
      return { seq, code: error.code, problem: error.problem };
    }
  }
};

const fillDisk = (): void => {
  const file = openSync(ballast, 'w');
  try {
    for (;;) writeSync(file, new Uint8Array(4096));
  } catch {
    closeSync(file);
  }
};

const codeOfOpen = (): string => {
  try {
    openSqliteJournal({ path, ownNode: OWN, clock: systemClock })[Symbol.dispose]();
    return 'opened';
  } catch (error) {
    return error instanceof JournalError ? error.code : String(error);
  }
};

const journal = openSqliteJournal({ path, ownNode: OWN, clock: systemClock });
const full = fill(journal);
const storedWhenFull = seqsAfter(journal, OWN).length;
rmSync(ballast);
const seqAfterwards = appendOwn(journal, { kind: 'run.started', key: 'later', payload: 'x'.repeat(20_000) });
journal[Symbol.dispose]();
fillDisk();
const codeAtOpen = codeOfOpen();
rmSync(ballast);
using again = openSqliteJournal({ path, ownNode: OWN, clock: systemClock });
process.stdout.write(
  JSON.stringify({
    ...full,
    storedWhenFull,
    codeAtOpen,
    seqAfterwards,
    stored: seqsAfter(again, OWN).length,
    notices: again.notices,
  }),
);
