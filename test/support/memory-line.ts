// Both ends of a transport in memory: frames are copied, and arrive in a later turn of the event loop, as from
// another process. It can become silent, as when a process is stopped or a cable is pulled, and it can break.

import type { FrameLine } from '../../src/bench/fleet/framed-channel.ts';

export interface MemoryLines {
  readonly coordinator: FrameLine;
  readonly agent: FrameLine;
  /** Nothing gets through any more, and neither end is notified. */
  silence(): void;
  /** Both ends see the connection closed, as when a process has died. */
  cut(): void;
}

export const memoryLines = (): MemoryLines => {
  const [down, up] = [new OneWay(), new OneWay()];
  const ends = (out: OneWay, into: OneWay): FrameLine => ({
    write: frame => out.put(frame),
    frames: into,
    end: async () => {
      out.end();
      into.end();
    },
  });
  return {
    coordinator: ends(down, up),
    agent: ends(up, down),
    silence: () => {
      down.isSilent = true;
      up.isSilent = true;
    },
    cut: () => {
      down.end();
      up.end();
    },
  };
};

/** Frames that wait for their reader: one message and a little more at most. */
class OneWay implements AsyncIterable<Uint8Array> {
  isSilent = false;
  readonly #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #isEnded = false;
  #wakeReader: (() => void) | undefined;
  #wakeWriter: (() => void) | undefined;

  async put(frame: Uint8Array): Promise<void> {
    if (this.#isEnded || this.isSilent) return;
    this.#waiting.push(frame.slice());
    this.#waitingBytes += frame.length;
    setImmediate(() => this.#wakeReader?.());
    while (this.#waitingBytes > LINE_BYTES && !this.#isEnded && !this.isSilent) {
      await new Promise<void>(resolve => {
        this.#wakeWriter = resolve;
      });
    }
  }

  /** Ends after the waiting frames. */
  end(): void {
    this.#isEnded = true;
    setImmediate(() => this.#wakeReader?.());
    this.#wakeWriter?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, void> {
    for (;;) {
      const frame = this.isSilent ? undefined : this.#waiting.shift();
      if (frame !== undefined) {
        this.#waitingBytes -= frame.length;
        this.#wakeWriter?.();
        yield frame;
        continue;
      }
      if (this.#isEnded) return;
      await new Promise<void>(resolve => {
        this.#wakeReader = resolve;
      });
    }
  }
}

const LINE_BYTES = 1_048_576;
