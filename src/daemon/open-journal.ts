// The daemon's journal: on disk, or in memory if the disk cannot hold one. A failing disk does not keep a person from
// seeing the machine.

import { join } from 'node:path';
import { errorMessage } from '../core/problem.ts';
import { type Journal, JournalError, type JournalLimits, type JournalOptions } from '../journal/journal.ts';
import { createMemoryJournal } from '../journal/memory-journal.ts';
import { openSqliteJournal } from '../journal/sqlite-journal.ts';
import { DaemonError } from './daemon-error.ts';
import type { Notices } from './notices.ts';

/** @throws DaemonError `home-unusable` for a journal of a newer version, or one that another process holds. */
export const openDaemonJournal = (
  home: string,
  limits: JournalLimits,
  options: JournalOptions,
  notices: Notices,
): Journal => {
  const path = join(home, 'journal.sqlite');
  try {
    const journal = openSqliteJournal({ ...options, path, limits });
    for (const notice of journal.notices) notices.raise({ ...notice, id: notice.code });
    return journal;
  } catch (error) {
    if (!(error instanceof JournalError))
      throw new DaemonError(
        { code: 'home-unusable', problem: errorMessage(error), advice: '' },
        { cause: error },
      );
    if (error.code === 'newer-schema' || error.code === 'locked')
      throw new DaemonError({ ...error.problem, code: 'home-unusable' }, { cause: error });
    const { problem, advice } = error.problem;
    notices.raise({
      id: 'journal-in-memory',
      code: 'journal-in-memory',
      problem,
      advice: `${advice} Nothing is stored until the next start: the journal is in memory.`.trim(),
    });
    return createMemoryJournal({ ...options, limits });
  }
};

export const compactJournal = (journal: Journal, notices: Notices): void => {
  try {
    journal.compact();
    notices.clear('journal-compaction');
  } catch (error) {
    if (!(error instanceof JournalError)) throw error;
    notices.raise({ ...error.problem, id: 'journal-compaction', code: 'journal-compaction' });
  }
};
