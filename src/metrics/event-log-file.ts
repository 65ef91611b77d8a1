// events.jsonl on disk. A text is written as a whole or not at all: a partial write on a full disk is truncated
// again, so that every line of the file can be read.

import { type FileHandle, open } from 'node:fs/promises';

/** Where the event logger writes. */
export interface EventLogSink {
  /** Rejects if nothing of the text is in the file afterwards. */
  append(text: string): Promise<void>;
  close(): Promise<void>;
}

/** Created for its owner alone, or appended to. @throws the system's error when it cannot be opened. */
export const openEventLogFile = async (path: string): Promise<EventLogSink> => {
  const handle = await open(path, 'a', 0o600);
  const { size } = await handle.stat();
  return new EventLogFile(handle, size);
};

class EventLogFile implements EventLogSink {
  readonly #handle: FileHandle;
  #size: number;

  constructor(handle: FileHandle, size: number) {
    this.#handle = handle;
    this.#size = size;
  }

  async append(text: string): Promise<void> {
    const bytes = Buffer.from(text);
    try {
      for (let at = 0; at < bytes.length; ) {
        const { bytesWritten } = await this.#handle.write(bytes, at, bytes.length - at);
        at += bytesWritten;
      }
    } catch (error) {
      // If even that fails, a reader finds one truncated line.
      await this.#handle.truncate(this.#size).catch(() => undefined);
      throw error;
    }
    this.#size += bytes.length;
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}
