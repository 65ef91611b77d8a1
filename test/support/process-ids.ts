// Processes that a test's stand-ins start: the ids that their scripts write, and whether they still exist.

import { readFileSync } from 'node:fs';

/**
 * The ids that scripts appended to a file with `echo $$ >> FILE`, a line each. Of whole lines only: a shell makes the file before
 * it writes into it, and a signal to process 0 goes to the whole group of the test.
 */
export const processIdsIn = (path: string): readonly number[] => {
  try {
    return readFileSync(path, 'utf8').split('\n').slice(0, -1).map(Number);
  } catch {
    return [];
  }
};

/** Also true of a zombie that nobody has waited for. */
export const isRunning = (processId: number): boolean => {
  try {
    process.kill(processId, 0);
    return true;
  } catch {
    return false;
  }
};
