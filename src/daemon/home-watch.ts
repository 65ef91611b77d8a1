// Checks whether the folder and the journal that a daemon opened are still in place. If they were removed or replaced,
// the daemon keeps writing to the open files, and everything is lost at the end: a person should know while it can
// still be fixed.

import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, pause } from '../clock/clock.ts';
import type { Notice } from '../wire/notice.ts';
import type { Notices } from './notices.ts';

interface HomeWatchParts {
  readonly home: string;
  readonly clock: Clock;
  readonly notices: Pick<Notices, 'raise' | 'clear'>;
}

/** Two calls of the system each time. */
export const HOME_LOOK_MS = 5_000;

/** Checks until the signal aborts. What did not exist at the start, such as a journal in memory, is not missed. */
export const watchHome = async (
  { home, clock, notices }: HomeWatchParts,
  signal: AbortSignal,
): Promise<void> => {
  const journal = join(home, 'journal.sqlite');
  const opened = { home: await fileIdOf(home), journal: await fileIdOf(journal) };
  while (!signal.aborted) {
    await pause(clock, HOME_LOOK_MS, signal);
    if (signal.aborted) return;
    const folder = changeOf(opened.home, await fileIdOf(home));
    // Without its folder the journal is not to be found either: one notice is enough.
    const file = folder === undefined ? changeOf(opened.journal, await fileIdOf(journal)) : undefined;
    // During the check the daemon may have started to stop and removed its own temporary home.
    if (signal.aborted) return;
    if (folder === undefined) notices.clear(HOME_NOTICE);
    else notices.raise(homeNotice(home, folder));
    if (file === undefined) notices.clear(JOURNAL_NOTICE);
    else notices.raise(journalNotice(journal, file));
  }
};

type Change = 'gone' | 'replaced';

const homeNotice = (path: string, change: Change): Notice => ({
  id: HOME_NOTICE,
  code: HOME_NOTICE,
  path,
  change,
  problem: `${change === 'gone' ? `The folder ${path} no longer exists` : `Another folder is in place of ${path}`}: this daemon keeps running, but what it records is lost when it stops.`,
  advice: 'Put the folder back if it was moved. Otherwise restart the daemon: it starts as a new node.',
});

const journalNotice = (path: string, change: Change): Notice => ({
  id: JOURNAL_NOTICE,
  code: JOURNAL_NOTICE,
  path,
  change,
  problem: `${change === 'gone' ? `The journal ${path} was removed` : `Another file is in place of the journal ${path}`} while the daemon is running: what it records now is lost when it stops.`,
  advice: `Put the file back if it was moved. Otherwise restart the daemon: ${change === 'gone' ? 'it starts a new journal, and other nodes send back what they have' : 'it continues with the existing file'}.`,
});

const changeOf = (opened: string | undefined, now: string | undefined): Change | undefined => {
  if (opened === undefined || opened === now) return undefined;
  return now === undefined ? 'gone' : 'replaced';
};

/** Identifies the file at a path; undefined if there is none, or it cannot be read. */
const fileIdOf = async (path: string): Promise<string | undefined> => {
  try {
    const { dev, ino } = await lstat(path, { bigint: true });
    return `${dev} ${ino}`;
  } catch {
    return undefined;
  }
};

const HOME_NOTICE = 'home-gone';
const JOURNAL_NOTICE = 'journal-gone';
