// Follows config.toml while the daemon runs. The folder is watched and not the file, because editors replace files; and
// the file is looked at from time to time as well, because watching misses things (network shares, exhausted inotify).

import { watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { errorCode } from '../process/atomic-file.ts';
import type { ConfigResult } from './read-config.ts';
import { keepLastGood, readConfig } from './read-config.ts';

export interface WatchConfigOptions {
  readonly signal: AbortSignal;
  /** A Clock of clock/clock.ts. */
  readonly clock: { sleep(durationMs: number, signal: AbortSignal): Promise<void> };
  /** Hears of every reading that differs from the one before. */
  readonly onChange: (result: ConfigResult) => void;
  /** The reading that the caller has: a change since then is told. Without it the first reading is taken as known. */
  readonly since?: ConfigResult;
  /** An editor writes in several steps: reading waits this long for it to finish. Default 100 ms. */
  readonly settleMs?: number;
  /** How often the file is looked at, told or not. Default 5 s. */
  readonly recheckMs?: number;
}

/** Runs until the signal aborts, then resolves. */
export const watchConfig = async (path: string, options: WatchConfigOptions): Promise<void> => {
  const { signal, clock, onChange, settleMs = SETTLE_MS, recheckMs = RECHECK_MS } = options;
  const changes = new Changes(path, signal);
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
    await changes.next(wake => clock.sleep(recheckMs, wake));
    await quietly(clock.sleep(settleMs, signal), signal);
  }
};

/** That something happened to the file since one last asked. */
class Changes {
  readonly #path: string;
  readonly #signal: AbortSignal;
  #isChanged = false;
  #wake = new AbortController();

  constructor(path: string, signal: AbortSignal) {
    this.#path = path;
    this.#signal = signal;
  }

  watch(): Disposable {
    try {
      const watcher = watch(dirname(this.#path), { persistent: false }, (_event, name) => {
        // Some systems do not tell the name; then it may have been ours.
        if (name === null || name === basename(this.#path)) this.#note();
      });
      watcher.on('error', () => watcher.close()); // the folder is gone: looking from time to time goes on
      return { [Symbol.dispose]: () => watcher.close() };
    } catch {
      return { [Symbol.dispose]: () => undefined }; // no watches left: likewise
    }
  }

  /** Returns on a change, when `timeout` is over, or when the signal aborts. */
  async next(timeout: (wake: AbortSignal) => Promise<void>): Promise<void> {
    if (!this.#isChanged) {
      this.#wake = new AbortController();
      const either = AbortSignal.any([this.#signal, this.#wake.signal]);
      await quietly(timeout(either), either);
    }
    this.#isChanged = false;
  }

  #note(): void {
    this.#isChanged = true;
    this.#wake.abort();
  }
}

/** Waits for something that the signal may end early. */
const quietly = async (work: Promise<void>, signal: AbortSignal): Promise<void> => {
  try {
    await work;
  } catch (error) {
    if (!signal.aborted) throw error;
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
