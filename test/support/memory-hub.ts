// The transport inside one process, with the same limits, order, handshake and conflation as the ZeroMQ one. It ships,
// so tests and the demo need no sockets.

import type { MessageCodec } from '../../src/messaging/codec.ts';
import { MessagingError } from '../../src/messaging/messaging-error.ts';
import type { MessagePublisher, PublisherOptions } from '../../src/messaging/publisher.ts';
import type { MessageSubscriber, SubscriberOptions } from '../../src/messaging/subscriber.ts';
import type { MemorySource } from './memory-pipe.ts';
import { MemoryPublisher } from './memory-publisher.ts';
import { MemorySubscriber } from './memory-subscriber.ts';

/** Endpoints by name. A subscriber may connect before its publisher. */
export class MemoryHub {
  readonly #sources = new Map<string, MemorySource>();
  readonly #subscribers = new Map<string, Set<MemorySubscriber<unknown>>>();

  /** @throws MessagingError if the endpoint is taken. */
  openPublisher<T>(endpoint: string, codec: MessageCodec<T>, options: PublisherOptions): MessagePublisher<T> {
    if (this.#sources.has(endpoint)) throw new MessagingError('endpoint', `${endpoint} is taken`);
    const publisher = new MemoryPublisher(endpoint, codec, {
      ...options,
      onClose: () => this.#sources.delete(endpoint),
    });
    this.#sources.set(endpoint, publisher);
    for (const subscriber of this.#subscribers.get(endpoint) ?? []) subscriber.connect(publisher);
    return publisher;
  }

  openSubscriber<T>(
    endpoint: string,
    codec: MessageCodec<T>,
    options: SubscriberOptions,
  ): MessageSubscriber<T> {
    const subscribers = this.#subscribers.get(endpoint) ?? new Set();
    this.#subscribers.set(endpoint, subscribers);
    const subscriber: MemorySubscriber<T> = new MemorySubscriber(codec, {
      ...options,
      onClose: () => subscribers.delete(subscriber),
    });
    subscribers.add(subscriber);
    const source = this.#sources.get(endpoint);
    if (source !== undefined) subscriber.connect(source);
    return subscriber;
  }
}
