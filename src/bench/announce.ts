// Tells the daemon of this machine about a run, so that every dashboard sees it. The run never waits for it: updates are
// conflated, requests have deadlines, a daemon that is not there or dies is looked for again, and nothing here throws.

import type { AnnounceOptions, RunAnnouncement } from './announce/run-announcement.ts';
import { RunTelling } from './announce/run-telling.ts';

/** Resolves at once; whether there is a daemon is found out in the background. Never throws. */
export const announceRun = async (options: AnnounceOptions): Promise<RunAnnouncement> => {
  const telling = new RunTelling(options);
  telling.start();
  return telling;
};
