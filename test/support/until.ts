// Waits for a condition of other processes (a file, their exit) that they do not announce. It looks again
// and again with a pause between, so that the processor is theirs, and never longer than the test it belongs to runs.

import { setTimeout as sleep } from 'node:timers/promises';

/**
 * @param signal of the test's context: it aborts when the test has timed out.
 * @param unless what would make it true; when it is over before, this throws with how it ended.
 */
export const until = async (
  isTrue: () => boolean,
  signal: AbortSignal,
  unless?: Promise<unknown>,
): Promise<void> => {
  let ended: { readonly how: unknown } | undefined;
  unless?.then(
    how => {
      ended = { how };
    },
    (how: unknown) => {
      ended = { how };
    },
  );
  while (true) {
    const last = ended;
    if (isTrue()) return;
    if (last !== undefined) throw new Error(`it ended before that: ${textOf(last.how)}`);
    await sleep(PAUSE_MS, undefined, { signal });
  }
};

const textOf = (how: unknown): string => (how instanceof Error ? how.message : JSON.stringify(how));

const PAUSE_MS = 5;
