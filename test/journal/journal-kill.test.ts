// kill -9 of a real writer at random moments: while it opens, appends, compacts.

import { randomInt } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/clock/system-clock.ts';
import { openSqliteJournal } from '../../src/journal/sqlite-journal.ts';
import { longCount } from '../support/counts.ts';
import { startWriter } from '../support/journal-process.ts';
import { appendOwn, OWN, PEER, seqsAfter } from '../support/journal-records.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const kills = longCount(2, 50);

test(`nothing acknowledged is lost when the writer is killed, and the next start works (${kills} kills)`, async () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, 'journal.db');
  let startNumber = 0;
  let promised = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    const ran = await writeAndKill(path, randomInt(0, 200));
    promised = Math.max(promised, ran.acknowledged);

    using journal = openSqliteJournal({ path, ownNode: OWN, clock: systemClock });
    expect(journal.notices).toEqual([]);
    expect(journal.startNumber).toBeGreaterThan(Math.max(startNumber, ran.startNumber));
    startNumber = journal.startNumber;
    const seqs = seqsAfter(journal, OWN);
    expect(seqs.length).toBeGreaterThanOrEqual(promised);
    expect(seqs).toEqual(seqs.map((_, index) => index + 1));
    expect(journal.origins()).toContainEqual({
      origin: OWN,
      epoch: journal.ownEpoch,
      through: seqs.length,
    });
    if (ran.ownEpoch !== 0) expect(journal.ownEpoch).toBe(ran.ownEpoch);
    const peer = journal.origins().find(one => one.origin === PEER);
    expect(seqsAfter(journal, PEER).at(-1)).toBe(peer?.through);
    promised = appendOwn(journal, { kind: 'run.started', key: `between ${kill}` });
  }
}, 300_000);

test(`a journal whose first start was killed can be opened (${kills} kills)`, async () => {
  for (let kill = 0; kill < kills; kill += 1) {
    using directory = temporaryDirectory();
    const path = join(directory.path, 'journal.db');
    const { acknowledged } = await writeAndKill(path, randomInt(0, 3));
    using journal = openSqliteJournal({ path, ownNode: OWN, clock: systemClock });
    expect(journal.notices).toEqual([]);
    expect(seqsAfter(journal, OWN).length).toBeGreaterThanOrEqual(acknowledged);
    appendOwn(journal);
  }
}, 300_000);

test('a log that is cut off after a kill -9 is reported, with as many records as were acknowledged', async () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, 'journal.db');
  openSqliteJournal({ path, ownNode: OWN, clock: systemClock })[Symbol.dispose]();
  const rounds = 30;
  {
    await using writer = startWriter(path, { rounds });
    for await (const line of writer.lines)
      if (line.kind === 'acknowledged' && line.seq === rounds) writer.kill();
  }
  rmSync(`${path}-wal`);
  using journal = openSqliteJournal({ path, ownNode: OWN, clock: systemClock });
  expect(journal.notices).toMatchObject([
    {
      code: 'journal-cut',
      problem: `The journal ${path} has lost at least 30 records of the 30 that this node had stored: its write-ahead log (${path}-wal) was cut off or damaged.`,
    },
  ]);
});

/**
 * Kills the writer once it has printed this many lines, while it continues, and returns all that it
 * acknowledged.
 */
const writeAndKill = async (path: string, lines: number) => {
  await using writer = startWriter(path);
  const ran = { acknowledged: 0, startNumber: 0, ownEpoch: 0 };
  let count = 0;
  for await (const line of writer.lines) {
    if (line.kind === 'failed') throw new Error(line.message);
    if (line.kind === 'acknowledged') ran.acknowledged = line.seq;
    if (line.kind === 'opened')
      Object.assign(ran, { startNumber: line.startNumber, ownEpoch: line.ownEpoch });
    if (count === lines) writer.kill();
    count += 1;
  }
  return ran;
};
