// Publisher over an XPUB socket: behaves like PUB, and sees subscriptions, on which the handshake is built.

import { setTimeout as pause } from 'node:timers/promises';
import type { XPublisher } from 'zeromq';
import { errorCode, shortReason } from '../../core/problem.ts';
import type { MessageCodec } from '../codec.ts';
import { encodeFrame, encodeMessageFrame } from '../frame.ts';
import { MessagingError } from '../messaging-error.ts';
import { Outbox } from '../outbox.ts';
import { SubscriberPresence } from '../presence.ts';
import type { MessagePublisher, PublisherOptions } from '../publisher.ts';
import { controlTopic, END_TOPIC, type HandshakeNotice, loadZeromq, parseNotice } from './load-zeromq.ts';

/**
 * Binds `ipc://<path>`, or `tcp://127.0.0.1:*` for a free port.
 * @throws MessagingError when the endpoint cannot be bound, or in a worker thread.
 */
export const openZeromqPublisher = async <T>(
  endpoint: string,
  codec: MessageCodec<T>,
  options: PublisherOptions,
): Promise<MessagePublisher<T>> => {
  const { XPublisher } = await loadZeromq();
  const socket = new XPublisher({ linger: 0, sendHighWaterMark: options.highWaterMark });
  socket.noDrop = options.noDrop;
  try {
    await socket.bind(endpoint);
  } catch (error) {
    socket.close();
    throw new MessagingError('endpoint', `cannot listen on ${endpoint}: ${shortReason(error)}`, {
      cause: error,
    });
  }
  return new ZeromqPublisher(socket, codec, options);
};

class ZeromqPublisher<T> implements MessagePublisher<T> {
  readonly endpoint: string;
  readonly #socket: XPublisher;
  readonly #codec: MessageCodec<T>;
  readonly #outbox: Outbox;
  /** Replies of the handshake; they go before messages, and are not counted. */
  readonly #control: Uint8Array[] = [];
  readonly #presence = new SubscriberPresence();
  readonly #sending: Promise<void>;
  readonly #listening: Promise<void>;
  #wake: (() => void) | undefined;
  #closing: Promise<void> | undefined;
  #isOver = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(socket: XPublisher, codec: MessageCodec<T>, options: PublisherOptions) {
    this.#socket = socket;
    this.#codec = codec;
    this.#outbox = new Outbox(options.queueBytesMax);
    this.endpoint = socket.lastEndpoint ?? '';
    const fail = (error: unknown): void => {
      this.#failure ??= { error };
      this.#presence.close();
    };
    this.#sending = this.#send().catch(fail);
    this.#listening = this.#listen().catch(fail);
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
    if (this.#failure !== undefined) throw this.#failure.error;
    const { topic, payload } = this.#codec.encode(item);
    const frame = encodeMessageFrame(topic, payload);
    if (this.#closing !== undefined) {
      this.#outbox.drop();
      return false;
    }
    const isTaken = this.#outbox.put(frame);
    if (isTaken) this.#wake?.();
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

  async #close(lingerMs: number): Promise<void> {
    const deadline = AbortSignal.timeout(lingerMs);
    // A failed transport, or a subscriber that never reads, costs only the given time.
    await this.#confirmEnd(deadline).catch(() => undefined);
    this.#isOver = true;
    this.#outbox.clear();
    this.#presence.close();
    this.#wake?.();
    // Subscribers without a handshake confirm nothing: the socket's queue is for them.
    this.#socket.linger = this.#presence.count === 0 && !deadline.aborted ? UNKNOWN_LINGER_MS : 0;
    this.#socket.close();
    await Promise.all([this.#sending, this.#listening]);
  }

  /** Sends the end after everything else, repeatedly, since a transport that drops messages may drop it too. */
  async #confirmEnd(deadline: AbortSignal): Promise<void> {
    while (this.#outbox.peek() !== undefined && this.#failure === undefined)
      await pause(RETRY_MS, undefined, { signal: deadline });
    while (!this.#presence.isEndConfirmed) {
      this.#control.push(encodeFrame(END_TOPIC, EMPTY));
      this.#wake?.();
      const patience = AbortSignal.any([deadline, AbortSignal.timeout(END_REPEAT_MS)]);
      await this.#presence.waitFor(() => this.#presence.isEndConfirmed, patience).catch(() => undefined);
      deadline.throwIfAborted();
    }
  }

  async #send(): Promise<void> {
    while (!this.#isOver) {
      const answer = this.#control[0];
      const frame = answer ?? this.#outbox.peek();
      if (frame === undefined) {
        await new Promise<void>(resolve => {
          this.#wake = resolve;
        });
        continue;
      }
      try {
        await this.#socket.send(frame);
      } catch (error) {
        if (this.#isOver) return;
        // A full XPUB socket still claims to be writable: there is no event to wait for.
        if (errorCode(error) !== 'EAGAIN') throw error;
        await pause(RETRY_MS);
        continue;
      }
      if (answer === undefined) this.#outbox.shift();
      else this.#control.shift();
    }
  }

  async #listen(): Promise<void> {
    for await (const [bytes] of this.#socket) {
      const notice = bytes === undefined ? undefined : parseNotice(bytes);
      if (notice !== undefined) this.#receive(notice);
    }
  }

  #receive({ step, id, isSubscribed }: HandshakeNotice): void {
    switch (step) {
      case 'probe':
        if (isSubscribed && this.#control.length < CONTROL_MAX) {
          this.#control.push(encodeFrame(controlTopic('probe', id), EMPTY));
          this.#wake?.();
        }
        break;
      case 'here':
        if (isSubscribed) this.#presence.arrive(id);
        else this.#presence.leave(id);
        break;
      case 'done':
        if (isSubscribed) this.#presence.confirmEnd(id);
        break;
      default:
        step satisfies never;
    }
  }
}

const EMPTY = new Uint8Array(0);
const RETRY_MS = 1;
const END_REPEAT_MS = 50;
const CONTROL_MAX = 4_096;
const DISPOSE_LINGER_MS = 1_000;
const UNKNOWN_LINGER_MS = 100;
