// Payloads between a transport and their reader: bounded, in order or only the newest, decoded when read. Both
// transports use it, so slow readers, conflation and undecodable payloads behave the same in both.

import { DecodeError } from '../wire/decode-error.ts';
import type { MessageCodec } from './codec.ts';

interface InboxOptions {
  readonly conflate: boolean;
  /** Payloads. */
  readonly highWaterMark: number;
}

export class Inbox<T> implements AsyncIterable<T> {
  readonly #codec: MessageCodec<T>;
  readonly #options: InboxOptions;
  #waiting: Uint8Array[] = [];
  #head = 0;
  #ending: { readonly kind: 'closed' } | { readonly kind: 'failed'; readonly error: unknown } | undefined;
  #wakeReader: (() => void) | undefined;
  #wakeWriter: (() => void) | undefined;
  #undecodableCount = 0;

  constructor(codec: MessageCodec<T>, options: InboxOptions) {
    this.#codec = codec;
    this.#options = options;
  }

  get undecodableCount(): number {
    return this.#undecodableCount;
  }

  get isFull(): boolean {
    return !this.#options.conflate && this.#waiting.length - this.#head >= this.#options.highWaterMark;
  }

  /** The transport asks `isFull` first, and waits for room. */
  put(payload: Uint8Array): void {
    if (this.#ending !== undefined) return;
    if (this.#options.conflate) {
      this.#waiting = [];
      this.#head = 0;
    }
    this.#waiting.push(payload);
    this.#wakeReader?.();
  }

  /** A frame without a payload that a codec could decode. */
  countForeign(): void {
    this.#undecodableCount += 1;
  }

  /** Resolves when there is room, or when the inbox has ended. For one waiter. */
  async room(): Promise<void> {
    while (this.isFull && this.#ending === undefined) {
      await new Promise<void>(resolve => {
        this.#wakeWriter = resolve;
      });
    }
  }

  /** The reader's loop ends at once; unread payloads are lost. */
  close(): void {
    this.#end({ kind: 'closed' });
  }

  /** The reader's loop rejects. */
  fail(error: unknown): void {
    this.#end({ kind: 'failed', error });
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, void> {
    while (true) {
      if (this.#ending?.kind === 'failed') throw this.#ending.error;
      if (this.#ending !== undefined) return;
      const payload = this.#take();
      if (payload === undefined) {
        await new Promise<void>(resolve => {
          this.#wakeReader = resolve;
        });
        continue;
      }
      const item = this.#decode(payload);
      if (item !== undefined) yield item;
    }
  }

  #take(): Uint8Array | undefined {
    const payload = this.#waiting[this.#head];
    if (payload === undefined) return undefined;
    this.#head += 1;
    // Removing from the front of an array moves the rest, so it is trimmed only occasionally.
    if (this.#head === this.#waiting.length || this.#head >= CUT_AT) {
      this.#waiting = this.#waiting.slice(this.#head);
      this.#head = 0;
    }
    this.#wakeWriter?.();
    return payload;
  }

  #decode(payload: Uint8Array): T | undefined {
    try {
      return this.#codec.decode(payload);
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      this.#undecodableCount += 1;
      return this.#codec.onDecodeError(payload, error);
    }
  }

  #end(ending: { readonly kind: 'closed' } | { readonly kind: 'failed'; readonly error: unknown }): void {
    if (this.#ending !== undefined) return;
    this.#ending = ending;
    this.#waiting = [];
    this.#head = 0;
    this.#wakeReader?.();
    this.#wakeWriter?.();
  }
}

const CUT_AT = 1_024;
