// Follows config.toml while the daemon runs. The folder is watched and not the file, because editors replace files; the
// file is also checked from time to time, because watching misses things (network shares, exhausted inotify).

import { type Clock, pause } from '../clock/clock.ts';
import { errorCode } from '../core/problem.ts';
import { FileChanges } from '../process/file-changes.ts';
import { type ConfigResult, keepLastGood, readConfig } from './read-config.ts';

interface WatchConfigOptions {
  readonly signal: AbortSignal;
  readonly clock: Pick<Clock, 'sleep'>;
  /** Called for every reading that differs from the previous one. */
  readonly onChange: (result: ConfigResult) => void;
  /** The caller's reading: a change since then is reported. Without it the first reading counts as known. */
  readonly since?: ConfigResult;
  /** An editor writes in several steps: reading waits this long for it to finish. Default 100 ms. */
  readonly settleMs?: number;
  /** How often the file is checked, notified or not. Default 5 s. */
  readonly recheckMs?: number;
}

/** Runs until the signal aborts, then resolves. */
export const watchConfig = async (path: string, options: WatchConfigOptions): Promise<void> => {
  const { signal, clock, onChange, settleMs = SETTLE_MS, recheckMs = RECHECK_MS } = options;
  const changes = new FileChanges(path, clock, signal);
  using _watching = changes.watch();
  let seen = fingerprint(options.since ?? (await readConfig(path)));
  while (!signal.aborted) {
    const result = await readConfig(path);
    const now = fingerprint(result);
    if (now !== seen) {
      seen = now;
      onChange(result);
      if (result.kind === 'ok') await remember(path, result.text);
    }
    await changes.next(recheckMs);
    await pause(clock, settleMs, signal);
  }
};

/** The change is in effect either way; a full disk only means that the next start remembers it. */
const remember = async (path: string, text: string): Promise<void> => {
  try {
    await keepLastGood(path, text);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
  }
};

const fingerprint = (result: ConfigResult): string =>
  result.kind === 'ok' ? `ok ${result.text}` : `broken ${JSON.stringify(result.problems)}`;

const SETTLE_MS = 100;
const RECHECK_MS = 5_000;
