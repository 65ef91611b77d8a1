// Whether the folder and the journal that a daemon opened are still those in their place. Removed or replaced, they are
// written on as before, because the system keeps what is open, and all of it is gone at the end: somebody should know while
// it can be helped.

import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../clock/clock.ts';
import { pause } from '../clock/until-aborted.ts';
import type { Notice } from '../wire/notice.ts';
import type { Notices } from './notices.ts';

export interface HomeWatchParts {
  readonly home: string;
  readonly clock: Clock;
  readonly notices: Pick<Notices, 'raise' | 'clear'>;
}

/** Two calls of the system each time. */
export const HOME_LOOK_MS = 5_000;

/** Looks until the signal aborts. What was not there at the start, such as a journal in memory, is not missed. */
export const watchHome = async (
  { home, clock, notices }: HomeWatchParts,
  signal: AbortSignal,
): Promise<void> => {
  const journal = join(home, 'journal.sqlite');
  const opened = { home: await placeOf(home), journal: await placeOf(journal) };
  while (!signal.aborted) {
    await pause(clock, HOME_LOOK_MS, signal);
    if (signal.aborted) return;
    const folder = changeOf(opened.home, await placeOf(home));
    // Without its folder the journal is not to be found either: one notice is enough.
    const file = folder === undefined ? changeOf(opened.journal, await placeOf(journal)) : undefined;
    // While it was looked, the daemon may have begun to end, and a home of its own making with it.
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

/** Names what lies at a path; undefined where nothing does, or nobody may look. */
const placeOf = async (path: string): Promise<string | undefined> => {
  try {
    const { dev, ino } = await lstat(path, { bigint: true });
    return `${dev} ${ino}`;
  } catch {
    return undefined;
  }
};

const HOME_NOTICE = 'home-gone';
const JOURNAL_NOTICE = 'journal-gone';
