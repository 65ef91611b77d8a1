// A channel between coordinator and agent over any transport of frames: the part that all transports share. A frame
// is one byte, 0 for a message and 1 for the end and its reason, and a payload.

import { isJsonObject } from '../../core/json.ts';
import { errorMessage } from '../../core/problem.ts';
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

/** The interface of a transport. Frames are whole, in order, and at most AGENT_MESSAGE_BYTES_MAX + 1 long. */
export interface FrameLine {
  /** Resolves when there is room for the next one. Never rejects: `frames` ends when the connection is lost. */
  write(frame: Uint8Array): Promise<void>;
  /**
   * For one reader, which reads only when it has room. Ends, or rejects with the reason, when the connection is lost.
   */
  readonly frames: AsyncIterable<Uint8Array>;
  /** Closes after everything that was written. Idempotent. */
  end(): Promise<void>;
}

export const channelToAgent = (line: FrameLine, peer: string): AgentChannel =>
  new FramedChannel<CoordinatorMessage, AgentMessage>(line, peer, decodeAgentMessage);

export const channelToCoordinator = (line: FrameLine, peer: string): CoordinatorChannel =>
  new FramedChannel<AgentMessage, CoordinatorMessage>(line, peer, decodeCoordinatorMessage);

class FramedChannel<Out extends CoordinatorMessage | AgentMessage, In> implements MessageChannel<Out, In> {
  readonly peer: string;
  readonly #line: FrameLine;
  readonly #decode: (bytes: Uint8Array) => DecodedAgentMessage<In>;
  readonly #closing = Promise.withResolvers<ChannelClose>();
  readonly closed: Promise<ChannelClose> = this.#closing.promise;
  readonly #waiting: { readonly message: In; readonly bytes: number }[] = [];
  #waitingBytes = 0;
  #isClosed = false;
  #wakeReader: (() => void) | undefined;
  #wakePump: (() => void) | undefined;
  readonly #pumped: Promise<void>;

  constructor(line: FrameLine, peer: string, decode: (bytes: Uint8Array) => DecodedAgentMessage<In>) {
    this.peer = peer;
    this.#line = line;
    this.#decode = decode;
    this.#pumped = this.#pump();
  }

  get messages(): AsyncIterable<In> {
    return { [Symbol.asyncIterator]: () => this.#read() };
  }

  async send(message: Out): Promise<boolean> {
    const payload = encodeAgentMessage(message);
    if (this.#isClosed) return false;
    await this.#line.write(framed(MESSAGE, payload));
    return true;
  }

  async close(reason: ChannelCloseReason, detail = ''): Promise<void> {
    if (this.#isClosed) return await this.#pumped;
    this.#end({ reason, by: 'this end', detail });
    const reported = new TextEncoder().encode(
      JSON.stringify({ reason, detail: detail.slice(0, DETAIL_MAX) }),
    );
    await this.#line.write(framed(CLOSE, reported));
    await this.#line.end();
    await this.#pumped;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close('done');
  }

  async #pump(): Promise<void> {
    try {
      for await (const frame of this.#line.frames) {
        if (this.#isClosed) return;
        this.#take(frame);
        while (this.#waitingBytes > CHANNEL_BYTES_MAX && !this.#isClosed) {
          await new Promise<void>(resolve => {
            this.#wakePump = resolve;
          });
        }
      }
      this.#end({ reason: 'lost', by: 'other end', detail: '' });
    } catch (error) {
      if (error instanceof DecodeError) await this.#refuse(error.message);
      else this.#end({ reason: 'lost', by: 'other end', detail: errorMessage(error).slice(0, DETAIL_MAX) });
    }
    await this.#line.end();
  }

  #take(frame: Uint8Array): void {
    const payload = frame.subarray(1);
    if (frame[0] === CLOSE) {
      this.#end({ ...closeOf(payload), by: 'other end' });
      return;
    }
    if (frame[0] !== MESSAGE) throw new DecodeError('a frame of an unknown kind');
    const decoded = this.#decode(payload);
    if (decoded.kind === 'unknown') return;
    this.#waiting.push({ message: decoded.message, bytes: payload.length });
    this.#waitingBytes += payload.length;
    this.#wakeReader?.();
  }

  async #refuse(detail: string): Promise<void> {
    this.#end({ reason: 'malformed', by: 'this end', detail });
    const reported = new TextEncoder().encode(JSON.stringify({ reason: 'malformed', detail }));
    await this.#line.write(framed(CLOSE, reported));
  }

  #end(close: ChannelClose): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#closing.resolve(close);
    this.#wakeReader?.();
    this.#wakePump?.();
  }

  async *#read(): AsyncGenerator<In, void, void> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next !== undefined) {
        this.#waitingBytes -= next.bytes;
        this.#wakePump?.();
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

const framed = (kind: number, payload: Uint8Array): Uint8Array => {
  const frame = new Uint8Array(1 + payload.length);
  frame[0] = kind;
  frame.set(payload, 1);
  return frame;
};

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
