// Publisher of a MemoryHub. A full pipe delays messages (noDrop) or drops them, as a socket does.

import { unlessAborted } from '../../src/clock/clock.ts';
import type { MessageCodec } from '../../src/messaging/codec.ts';
import { decodeFrame, encodeFrame, encodeMessageFrame } from '../../src/messaging/frame.ts';
import { Outbox } from '../../src/messaging/outbox.ts';
import { SubscriberPresence } from '../../src/messaging/presence.ts';
import type { MessagePublisher, PublisherOptions } from '../../src/messaging/publisher.ts';
import { MEMORY_END_TOPIC, MEMORY_PROBE_TOPIC, type MemoryPipe, type MemorySource } from './memory-pipe.ts';

export class MemoryPublisher<T> implements MessagePublisher<T>, MemorySource {
  readonly endpoint: string;
  readonly #codec: MessageCodec<T>;
  readonly #options: PublisherOptions & { readonly onClose: () => void };
  readonly #outbox: Outbox;
  readonly #presence = new SubscriberPresence();
  readonly #pipes = new Set<MemoryPipe>();
  #isScheduled = false;
  #onEmpty: (() => void) | undefined;
  #closing: Promise<void> | undefined;

  constructor(
    endpoint: string,
    codec: MessageCodec<T>,
    options: PublisherOptions & { readonly onClose: () => void },
  ) {
    this.endpoint = endpoint;
    this.#codec = codec;
    this.#options = options;
    this.#outbox = new Outbox(options.queueBytesMax);
  }

  get highWaterMark(): number {
    return this.#options.highWaterMark;
  }

  get subscriberCount(): number {
    return this.#presence.count;
  }

  get droppedCount(): number {
    return this.#outbox.droppedCount;
  }

  get queuedBytes(): number {
    return this.#outbox.bytes;
  }

  publish(item: T): boolean {
    const { topic, payload } = this.#codec.encode(item);
    const frame = encodeMessageFrame(topic, payload);
    if (this.#closing !== undefined) {
      this.#outbox.drop();
      return false;
    }
    const isTaken = this.#outbox.put(frame);
    if (isTaken) this.#schedule();
    return isTaken;
  }

  waitForSubscribers(count: number, signal: AbortSignal): Promise<void> {
    return this.#presence.waitFor(() => this.#presence.count >= count, signal);
  }

  close(lingerMs: number): Promise<void> {
    this.#closing ??= this.#close(lingerMs);
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close(DISPOSE_LINGER_MS);
  }

  attach(pipe: MemoryPipe): void {
    this.#pipes.add(pipe);
    pipe.put(encodeFrame(MEMORY_PROBE_TOPIC, EMPTY));
  }

  detach(pipe: MemoryPipe): void {
    this.#pipes.delete(pipe);
    this.#presence.leave(pipe.id);
    this.#schedule();
  }

  arrived(id: string): void {
    this.#presence.arrive(id);
  }

  ended(id: string): void {
    this.#presence.confirmEnd(id);
  }

  drained(): void {
    this.#schedule();
  }

  async #close(lingerMs: number): Promise<void> {
    const deadline = AbortSignal.timeout(lingerMs);
    // A subscriber that never reads costs only the given time.
    await this.#confirmEnd(deadline).catch(() => undefined);
    this.#outbox.clear();
    this.#pipes.clear();
    this.#presence.close();
    this.#options.onClose();
  }

  async #confirmEnd(deadline: AbortSignal): Promise<void> {
    if (this.#outbox.peek() !== undefined) {
      const empty = new Promise<void>(resolve => {
        this.#onEmpty = resolve;
      });
      await unlessAborted(empty, deadline);
    }
    deadline.throwIfAborted();
    for (const pipe of this.#pipes) pipe.put(encodeFrame(MEMORY_END_TOPIC, EMPTY));
    await this.#presence.waitFor(() => this.#presence.isEndConfirmed, deadline);
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#send();
    });
  }

  #send(): void {
    for (let frame = this.#outbox.peek(); frame !== undefined; frame = this.#outbox.peek()) {
      const topic = decodeFrame(frame)?.topic ?? '';
      const wanting = [...this.#pipes].filter(pipe => pipe.wants(topic));
      if (this.#options.noDrop && wanting.some(pipe => pipe.isFull)) return;
      for (const pipe of wanting) if (!pipe.isFull) pipe.put(frame);
      this.#outbox.shift();
    }
    this.#onEmpty?.();
  }
}

const EMPTY = new Uint8Array(0);
const DISPOSE_LINGER_MS = 1_000;
