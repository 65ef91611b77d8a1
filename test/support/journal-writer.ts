// A process of its own that writes a journal until it is killed. It prints each number only after the journal has
// acknowledged it, in one write, so that what the parent has read is what was promised.
// Usage: node journal-writer.ts PATH [ROUNDS]; after so many rounds, without compaction, it waits to be killed.

import { writeSync } from 'node:fs';
import { systemClock } from '../../src/clock/system-clock.ts';
import { type Journal, JournalError } from '../../src/journal/journal.ts';
import { openSqliteJournal } from '../../src/journal/sqlite-journal.ts';
import { appendOwn, OWN, PEER, record } from './journal-records.ts';

const print = (line: object): void => {
  writeSync(1, `${JSON.stringify(line)}\n`);
};

const run = (path: string, rounds: number | undefined): void => {
  print({ kind: 'opening' });
  const journal = openSqliteJournal({ path, ownNode: OWN, clock: systemClock });
  print({ kind: 'opened', startNumber: journal.startNumber, ownEpoch: journal.ownEpoch });
  for (let round = 1; round <= (rounds ?? ROUNDS_MAX); round += 1) {
    print({ kind: 'acknowledged', seq: appendOwn(journal, factOf(round)) });
    appendSuperseded(journal);
    if (rounds === undefined && round % 20 === 0) journal.compact();
  }
  if (rounds !== undefined) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
};

/** Runs have keys of their own and are all current; profiles are young history. None of them may ever be lost. */
const factOf = (round: number): Parameters<typeof appendOwn>[1] =>
  round % 2 === 0
    ? { kind: 'gpu.profiled', key: 'gpu-0', payload: { round } }
    : { kind: 'run.started', key: `${process.pid}-${round}`, payload: { pad: 'x'.repeat(round % 4000) } };

/** Work for the compaction. */
const appendSuperseded = (journal: Journal): void => {
  const through = journal.origins().find(one => one.origin === PEER)?.through ?? 0;
  journal.append([1, 2, 3].map(step => record({ seq: through + step, payload: 'x'.repeat(500) })));
};

/** One that is never killed must end too. */
const ROUNDS_MAX = 100_000;

try {
  const [, , path = '', rounds] = process.argv;
  run(path, rounds === undefined ? undefined : Number(rounds));
} catch (error) {
  if (!(error instanceof JournalError)) throw error;
  print({ kind: 'failed', code: error.code, message: error.message });
}
