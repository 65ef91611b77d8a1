// A channel between coordinator and agent over any pipe of frames. Their kind is 0 for a message, and 1 for the end and
// its reason.

import type { FramePipe } from '../../channel/frame-pipe.ts';
import { isJsonObject } from '../../core/json.ts';
import type { AgentMessage, CoordinatorMessage } from '../../wire/agent-message.ts';
import {
  type DecodedAgentMessage,
  decodeAgentMessage,
  decodeCoordinatorMessage,
  encodeAgentMessage,
} from '../../wire/agent-message-codec.ts';
import { DecodeError } from '../../wire/decode-error.ts';
import { parseShallowBytes } from '../../wire/shallow-json.ts';
import {
  type AgentChannel,
  CHANNEL_BYTES_MAX,
  CHANNEL_CLOSE_REASONS,
  type ChannelClose,
  type ChannelCloseReason,
  type CoordinatorChannel,
  type MessageChannel,
} from './agent-channel.ts';

export const channelToAgent = (pipe: FramePipe, peer: string): AgentChannel =>
  new FramedChannel<CoordinatorMessage, AgentMessage>(pipe, peer, decodeAgentMessage);

export const channelToCoordinator = (pipe: FramePipe, peer: string): CoordinatorChannel =>
  new FramedChannel<AgentMessage, CoordinatorMessage>(pipe, peer, decodeCoordinatorMessage);

class FramedChannel<Out extends CoordinatorMessage | AgentMessage, In> implements MessageChannel<Out, In> {
  readonly peer: string;
  readonly #pipe: FramePipe;
  readonly #decode: (bytes: Uint8Array) => DecodedAgentMessage<In>;
  readonly #closing = Promise.withResolvers<ChannelClose>();
  readonly closed: Promise<ChannelClose> = this.#closing.promise;
  /** The connection is gone, not only closed for messages. */
  readonly #gone = Promise.withResolvers<void>();
  readonly #waiting: { readonly message: In; readonly bytes: number }[] = [];
  #waitingBytes = 0;
  #isClosed = false;
  #wakeReader: (() => void) | undefined;
  #drained: PromiseWithResolvers<void> = Promise.withResolvers();

  constructor(pipe: FramePipe, peer: string, decode: (bytes: Uint8Array) => DecodedAgentMessage<In>) {
    this.peer = peer;
    this.#pipe = pipe;
    this.#decode = decode;
    pipe.listen({
      frame: (kind, payload) => this.#take(kind, payload),
      received: () => undefined,
      drained: () => this.#wakeWriters(),
      malformed: detail => this.#refuse(detail),
      closed: detail => {
        this.#end({ reason: 'lost', by: 'other end', detail: detail.slice(0, DETAIL_MAX) });
        this.#gone.resolve();
        this.#wakeWriters();
      },
    });
  }

  get messages(): AsyncIterable<In> {
    return { [Symbol.asyncIterator]: () => this.#read() };
  }

  async send(message: Out): Promise<boolean> {
    const payload = encodeAgentMessage(message);
    if (this.#isClosed) return false;
    this.#pipe.write(MESSAGE, payload);
    while (this.#pipe.queuedBytes > QUEUED_BYTES_HIGH) await this.#drained.promise;
    return true;
  }

  async close(reason: ChannelCloseReason, detail = ''): Promise<void> {
    if (!this.#isClosed) this.#leave({ reason, by: 'this end', detail: detail.slice(0, DETAIL_MAX) });
    await this.#gone.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close('done');
  }

  #take(kind: number, payload: Uint8Array): void {
    if (this.#isClosed) return;
    if (kind === CLOSE) {
      this.#end({ ...closeOf(payload), by: 'other end' });
      this.#hangUp();
      return;
    }
    if (kind !== MESSAGE) {
      this.#refuse('a frame of an unknown kind');
      return;
    }
    const decoded = this.#decoded(payload);
    if (decoded?.kind !== 'message') return;
    this.#waiting.push({ message: decoded.message, bytes: payload.length });
    this.#waitingBytes += payload.length;
    if (this.#waitingBytes > CHANNEL_BYTES_MAX) this.#pipe.pause();
    this.#wakeReader?.();
  }

  #decoded(payload: Uint8Array): DecodedAgentMessage<In> | undefined {
    try {
      return this.#decode(payload);
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      this.#refuse(error.message);
      return undefined;
    }
  }

  #refuse(detail: string): void {
    if (!this.#isClosed) this.#leave({ reason: 'malformed', by: 'this end', detail });
  }

  /** Ends with the reason as its last frame. */
  #leave(close: ChannelClose): void {
    this.#end(close);
    const { reason, detail } = close;
    this.#pipe.write(CLOSE, new TextEncoder().encode(JSON.stringify({ reason, detail })));
    this.#hangUp();
  }

  /** What was written is delivered before the close, within a time limit: the other end may not be reading. */
  #hangUp(): void {
    this.#pipe.resume(); // its end of the connection is seen only while it is read
    this.#pipe.end();
    const patience = setTimeout(() => this.#pipe.destroy(), END_MS_MAX);
    void this.#gone.promise.then(() => clearTimeout(patience));
  }

  #end(close: ChannelClose): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#closing.resolve(close);
    this.#wakeReader?.();
  }

  #wakeWriters(): void {
    this.#drained.resolve();
    this.#drained = Promise.withResolvers();
  }

  async *#read(): AsyncGenerator<In, void, void> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next !== undefined) {
        this.#waitingBytes -= next.bytes;
        if (this.#waitingBytes <= CHANNEL_BYTES_MAX) this.#pipe.resume();
        yield next.message;
        continue;
      }
      if (this.#isClosed) return;
      await new Promise<void>(resolve => {
        this.#wakeReader = resolve;
      });
    }
  }
}

/** With any payload, the other end has closed. */
const closeOf = (payload: Uint8Array): Pick<ChannelClose, 'reason' | 'detail'> => {
  const reported = parseShallowBytes(payload);
  if (!isJsonObject(reported)) return { reason: 'lost', detail: '' };
  const { reason, detail } = reported;
  return {
    reason: CHANNEL_CLOSE_REASONS.find(known => known === reason) ?? 'lost',
    detail: typeof detail === 'string' ? detail.slice(0, DETAIL_MAX) : '',
  };
};

const MESSAGE = 0;
const CLOSE = 1;
const DETAIL_MAX = 300;
/** Above it a sender waits until all of it has left. */
const QUEUED_BYTES_HIGH = 1_048_576;
const END_MS_MAX = 2_000;
