// The parts of one picture for all its readers: a part that changes gets the next number, and each reader is sent the parts
// past the number that it has. A reader that has not read the last frame is sent nothing more until it has: it misses what
// came in between, and its queue stays one frame.

import type { WrittenParts } from '../../../wire/fleet-message.ts';
import type { StreamClient } from './stream-client.ts';

interface NumberedPart {
  readonly text: string;
  readonly number: number;
}

/** Encodes parts as a frame that brings a reader to a number. */
type PartsEncoder = (frame: {
  readonly parts: WrittenParts;
  readonly isWhole: boolean;
  readonly number: number;
}) => Buffer;

export class PartsFeed {
  readonly #encode: PartsEncoder;
  readonly #readers = new Map<StreamClient, number>();
  /** Nothing was sent to them yet: what waits in their queue is the head of the answer. */
  readonly #fresh = new Set<StreamClient>();
  #parts: ReadonlyMap<string, NumberedPart> = new Map();
  /** Of the newest part. */
  #number = 0;
  /** Parts were removed since: a reader with an older number gets the whole picture. */
  #wholeSince = 0;

  constructor(encode: PartsEncoder) {
    this.#encode = encode;
  }

  get readerCount(): number {
    return this.#readers.size;
  }

  /** @param number that it has already; undefined: nothing. */
  add(client: StreamClient, number: number | undefined): void {
    this.#fresh.add(client);
    this.#readers.set(client, number !== undefined && number <= this.#number ? number : NOTHING);
  }

  remove(client: StreamClient): void {
    this.#readers.delete(client);
    this.#fresh.delete(client);
  }

  take(parts: WrittenParts): void {
    const next = this.#number + 1;
    const current = new Map<string, NumberedPart>();
    for (const [name, text] of parts) {
      const before = this.#parts.get(name);
      current.set(name, before?.text === text ? before : { text, number: next });
    }
    const hasChanged = [...current.values()].some(({ number }) => number === next);
    const hasLost = [...this.#parts.keys()].some(name => !current.has(name));
    if (!hasChanged && !hasLost) return;
    this.#parts = current;
    this.#number = next;
    if (hasLost) this.#wholeSince = next;
  }

  /** Sends to each reader what it lacks; frames are encoded once for all who have the same. */
  send(): void {
    const frames = new Map<number, Buffer>();
    for (const [client, has] of this.#readers) {
      if (has === this.#number || (client.queuedBytes > 0 && !this.#fresh.has(client))) continue;
      this.#fresh.delete(client);
      const isWhole = has < this.#wholeSince || has === NOTHING;
      const key = isWhole ? NOTHING : has;
      const frame =
        frames.get(key) ?? this.#encode({ parts: this.#after(key), isWhole, number: this.#number });
      frames.set(key, frame);
      if (isWhole) client.sendSnapshot(frame);
      else client.send(frame);
      this.#readers.set(client, this.#number);
    }
  }

  #after(number: number): WrittenParts {
    return new Map(
      [...this.#parts].flatMap(([name, part]) => (part.number > number ? [[name, part.text] as const] : [])),
    );
  }
}

const NOTHING = -1;
