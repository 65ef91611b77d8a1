// Subscriber of a MemoryHub: a bounded pipe in place of the socket, then the inbox.

import { randomBytes } from 'node:crypto';
import type { MessageCodec } from '../../src/messaging/codec.ts';
import { CONTROL_TOPIC_PREFIX, decodeFrame } from '../../src/messaging/frame.ts';
import { Inbox } from '../../src/messaging/inbox.ts';
import { ReadyGate } from '../../src/messaging/ready-gate.ts';
import type { MessageSubscriber, SubscriberOptions } from '../../src/messaging/subscriber.ts';
import { MEMORY_END_TOPIC, type MemoryPipe, type MemorySource } from './memory-pipe.ts';

export class MemorySubscriber<T> implements MessageSubscriber<T>, MemoryPipe {
  readonly id: string = randomBytes(8).toString('hex');
  readonly #options: SubscriberOptions & { readonly onClose: () => void };
  readonly #inbox: Inbox<T>;
  readonly #gate = new ReadyGate();
  #pipe: Uint8Array[] = [];
  #source: MemorySource | undefined;
  #isMoving = false;
  #isClosed = false;

  constructor(codec: MessageCodec<T>, options: SubscriberOptions & { readonly onClose: () => void }) {
    this.#options = options;
    this.#inbox = new Inbox(codec, options);
  }

  get items(): AsyncIterable<T> {
    return this.#inbox;
  }

  get undecodableCount(): number {
    return this.#inbox.undecodableCount;
  }

  get isFull(): boolean {
    return this.#pipe.length >= (this.#source?.highWaterMark ?? 0);
  }

  connect(source: MemorySource): void {
    this.#source?.detach(this);
    this.#source = source;
    source.attach(this);
  }

  wants(topic: string): boolean {
    return topic.startsWith(this.#options.topic);
  }

  put(frame: Uint8Array): void {
    if (this.#isClosed) return;
    this.#pipe.push(frame);
    if (this.#isMoving) return;
    this.#isMoving = true;
    // As from a socket: never while the publisher is still publishing.
    setImmediate(() => void this.#move());
  }

  ready(signal: AbortSignal): Promise<void> {
    return this.#gate.wait(signal);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#pipe = [];
    this.#inbox.close();
    this.#gate.close();
    this.#source?.detach(this);
    this.#options.onClose();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Never rejects: only the codec throws here, which the inbox calls when its reader reads. */
  async #move(): Promise<void> {
    while (!this.#isClosed) {
      const frames = this.#pipe;
      if (frames.length === 0) break;
      this.#pipe = [];
      for (const frame of frames) await this.#take(frame);
      this.#source?.drained();
    }
    this.#isMoving = false;
  }

  async #take(bytes: Uint8Array): Promise<void> {
    if (this.#isClosed) return;
    this.#gate.open();
    this.#source?.arrived(this.id);
    const frame = decodeFrame(bytes);
    if (frame === undefined) return this.#inbox.countForeign();
    if (frame.topic === MEMORY_END_TOPIC) this.#source?.ended(this.id);
    if (frame.topic.startsWith(CONTROL_TOPIC_PREFIX)) return;
    if (this.#inbox.isFull) await this.#inbox.room();
    this.#inbox.put(frame.payload);
  }
}
