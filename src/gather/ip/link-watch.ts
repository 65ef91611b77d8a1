// One long-running `ip monitor` that reports changes of links or addresses. Only a hint: what has changed is read again
// from its source, since the text of an event differs by version. Without it, readings come at their interval.

import type { Clock } from '../../clock/clock.ts';
import { NOT_FOUND, ToolError } from '../../process/child.ts';
import type { MachineTools } from '../machine-tools.ts';

interface LinkWatchOptions {
  readonly tools: MachineTools;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called for each line of an event; must be cheap. */
  readonly onHint: () => void;
}

/** Resolves when the signal aborts, or for good if there is no `ip`. */
export const watchLinks = async ({ tools, clock, signal, onHint }: LinkWatchOptions): Promise<void> => {
  let backoffMs = BACKOFF_FIRST_MS;
  while (!signal.aborted) {
    const startedMs = clock.nowMs();
    try {
      const lines = tools.changes(['ip', 'monitor', 'link', 'address'], {
        signal,
        lineBytesMax: LINE_BYTES_MAX,
      });
      let strangeCount = 0;
      for await (const line of lines) {
        if (EVENT_LINE.test(line)) onHint();
        else if (!CONTINUATION_LINE.test(line)) strangeCount += 1;
        // Not the expected `ip`: reading on would only waste processor time.
        if (strangeCount > STRANGE_LINES_MAX) break;
      }
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      if (error.code === 'tool-missing' || isNotFound(error)) return;
    }
    // Changes missed while it was away are read once.
    onHint();
    if (clock.nowMs() - startedMs > BACKOFF_MAX_MS) backoffMs = BACKOFF_FIRST_MS;
    try {
      await clock.sleep(backoffMs, signal);
    } catch {
      return; // aborted: the only way that a sleep ends early
    }
    backoffMs = Math.min(backoffMs * 2, BACKOFF_MAX_MS);
  }
};

const isNotFound = ({ problem }: ToolError): boolean =>
  problem.code === 'exited' && problem.exitCode === NOT_FOUND;

/** "4: thunderbolt1@if4: <…", "Deleted 3: thunderbolt0 …", with or without a label such as "[LINK]". */
const EVENT_LINE = /^(?:\[[A-Z]+\])?(?:Deleted )?\d+: /;
const CONTINUATION_LINE = /^\s/;
const STRANGE_LINES_MAX = 1_000;
const LINE_BYTES_MAX = 64 * 1024;
const BACKOFF_FIRST_MS = 1_000;
const BACKOFF_MAX_MS = 60_000;
