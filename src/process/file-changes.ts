// That a file may have changed. Its folder is watched and not the file, because programs replace files; whoever asks
// looks from time to time as well, because watching misses things (network shares, exhausted inotify).

import { watch } from 'node:fs';
import { basename, dirname } from 'node:path';

/** That something happened to the file since one last asked. */
export class FileChanges {
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
export const quietly = async (work: Promise<void>, signal: AbortSignal): Promise<void> => {
  try {
    await work;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
};
