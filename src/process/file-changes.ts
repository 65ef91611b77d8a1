// Signals that a file may have changed. Its folder is watched and not the file, because programs replace files; callers
// also check from time to time, because watching misses things (network shares, exhausted inotify).

import { watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { type Clock, pause } from '../clock/clock.ts';

/** Whether something happened to the file since the last call. */
export class FileChanges {
  readonly #path: string;
  readonly #clock: Pick<Clock, 'sleep'>;
  readonly #signal: AbortSignal;
  #isChanged = false;
  #wake = new AbortController();

  constructor(path: string, clock: Pick<Clock, 'sleep'>, signal: AbortSignal) {
    this.#path = path;
    this.#clock = clock;
    this.#signal = signal;
  }

  watch(): Disposable {
    try {
      const watcher = watch(dirname(this.#path), { persistent: false }, (_event, name) => {
        // Some systems do not report the name; then it may have been ours.
        if (name === null || name === basename(this.#path)) this.#note();
      });
      watcher.on('error', () => watcher.close()); // the folder is gone: periodic checks continue
      return { [Symbol.dispose]: () => watcher.close() };
    } catch {
      return { [Symbol.dispose]: () => undefined }; // no watches left: periodic checks continue
    }
  }

  /** Returns on a change, when it is time to look again, or when the signal aborts. */
  async next(recheckMs: number): Promise<void> {
    if (!this.#isChanged) {
      this.#wake = new AbortController();
      await pause(this.#clock, recheckMs, AbortSignal.any([this.#signal, this.#wake.signal]));
    }
    this.#isChanged = false;
  }

  #note(): void {
    this.#isChanged = true;
    this.#wake.abort();
  }
}
