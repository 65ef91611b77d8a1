// Subscriber over a SUB socket. ZeroMQ's own CONFLATE is not used: it conflates the pipe in both directions, so of two
// subscriptions made at once it keeps one (libzmq, socket_base.cpp, connect). The inbox keeps the newest instead.

import { randomBytes } from 'node:crypto';
import type { Subscriber } from 'zeromq';
import { shortReason } from '../../core/problem.ts';
import { type MessageCodec, PAYLOAD_BYTES_MAX, TOPIC_FRAME_SIZE } from '../codec.ts';
import { CONTROL_TOPIC_PREFIX, decodeFrame } from '../frame.ts';
import { Inbox } from '../inbox.ts';
import { MessagingError } from '../messaging-error.ts';
import { ReadyGate } from '../ready-gate.ts';
import type { MessageSubscriber, SubscriberOptions } from '../subscriber.ts';
import { controlTopic, END_TOPIC, loadZeromq } from './load-zeromq.ts';

/**
 * Connects to a publisher, which may open later.
 * @throws MessagingError if the endpoint is invalid, or in a worker thread.
 */
export const openZeromqSubscriber = async <T>(
  endpoint: string,
  codec: MessageCodec<T>,
  options: SubscriberOptions,
): Promise<MessageSubscriber<T>> => {
  const { Subscriber } = await loadZeromq();
  const socket = new Subscriber({
    linger: 0,
    receiveHighWaterMark: options.highWaterMark,
    maxMessageSize: TOPIC_FRAME_SIZE + PAYLOAD_BYTES_MAX,
    reconnectInterval: RECONNECT_MS,
    reconnectMaxInterval: RECONNECT_MS_MAX,
  });
  const id = randomBytes(8).toString('hex');
  try {
    socket.subscribe(options.topic, END_TOPIC, controlTopic('probe', id));
    socket.connect(endpoint);
  } catch (error) {
    socket.close();
    throw new MessagingError('endpoint', `cannot connect to ${endpoint}: ${shortReason(error)}`, {
      cause: error,
    });
  }
  return new ZeromqSubscriber(socket, id, codec, options);
};

class ZeromqSubscriber<T> implements MessageSubscriber<T> {
  readonly #socket: Subscriber;
  readonly #id: string;
  readonly #topic: string;
  readonly #inbox: Inbox<T>;
  readonly #gate = new ReadyGate();
  readonly #receiving: Promise<void>;
  #isClosed = false;

  constructor(socket: Subscriber, id: string, codec: MessageCodec<T>, options: SubscriberOptions) {
    this.#socket = socket;
    this.#id = id;
    this.#topic = options.topic;
    this.#inbox = new Inbox(codec, options);
    this.#receiving = this.#receive();
  }

  get items(): AsyncIterable<T> {
    return this.#inbox;
  }

  get undecodableCount(): number {
    return this.#inbox.undecodableCount;
  }

  ready(signal: AbortSignal): Promise<void> {
    return this.#gate.wait(signal);
  }

  async close(): Promise<void> {
    if (!this.#isClosed) {
      this.#isClosed = true;
      this.#inbox.close();
      this.#gate.close();
      this.#socket.close();
    }
    await this.#receiving;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Never rejects: errors go to the reader. */
  async #receive(): Promise<void> {
    try {
      for await (const [bytes] of this.#socket) {
        if (this.#isClosed) return;
        this.#prove();
        if (bytes !== undefined) await this.#take(bytes);
      }
    } catch (error) {
      if (!this.#isClosed) this.#inbox.fail(error);
    }
  }

  /** The first arrival proves that messages get through. */
  #prove(): void {
    if (this.#gate.isOpen) return;
    this.#socket.subscribe(controlTopic('here', this.#id));
    this.#gate.open();
  }

  async #take(bytes: Uint8Array): Promise<void> {
    const frame = decodeFrame(bytes);
    if (frame === undefined) {
      this.#inbox.countForeign();
      return;
    }
    if (frame.topic === END_TOPIC) this.#socket.subscribe(controlTopic('done', this.#id));
    if (frame.topic.startsWith(CONTROL_TOPIC_PREFIX) || !frame.topic.startsWith(this.#topic)) return;
    if (this.#inbox.isFull) await this.#inbox.room();
    this.#inbox.put(frame.payload);
  }
}

const RECONNECT_MS = 10;
const RECONNECT_MS_MAX = 200;
