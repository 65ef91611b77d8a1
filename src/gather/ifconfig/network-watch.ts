// One long-lived `scutil` that watches the system's configuration store and prints a line at each change of an
// interface's link or addresses. Its lines are only a hint to read again: without it polling continues.

import { type Env, streamLines, ToolError } from '../../process/child.ts';
import type { GatherSession } from '../gatherer.ts';

/** Calls `changed` for each line that reports a change; returns when the session aborts or scutil is missing. */
export const watchNetwork = async (
  { clock, signal }: Pick<GatherSession, 'clock' | 'signal'>,
  env: Env,
  changed: () => void,
): Promise<void> => {
  while (!signal.aborted) {
    try {
      const lines = streamLines('scutil', [], {
        env,
        signal,
        idleTimeoutMs: Number.POSITIVE_INFINITY,
        input: WATCH_COMMANDS,
      });
      for await (const line of lines) {
        if (/changed/i.test(line)) changed();
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ToolError)) throw error;
      if (error.code === 'tool-missing') return;
    }
    try {
      await clock.sleep(RESTART_MS, signal);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
  }
};

/** Keys as scutil(8) and System Configuration name them; "pattern" makes the key a regular expression. */
const WATCH_COMMANDS = `n.add State:/Network/Interface
n.add State:/Network/Interface/[^/]+/Link "pattern"
n.add State:/Network/Interface/[^/]+/IPv4 "pattern"
n.add State:/Network/Interface/[^/]+/IPv6 "pattern"
n.watch
`;
const RESTART_MS = 30_000;
