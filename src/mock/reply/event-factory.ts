// The events of one shape of stream, built once and used by every reply of that shape: the sending path only picks.

import type { MockSettings } from '../mock-settings.ts';
import type { ChunkShape, Speech, ToolCallPart } from './chunk-json.ts';
import { finishChunk, roleChunk, speechChunk, toolCallChunk, usageChunk } from './chunk-json.ts';
import { chunked } from './http-chunk.ts';
import type { ReplySubject } from './reply-subject.ts';
import { eventText } from './sse.ts';
import { STAMP_BYTES } from './stamp.ts';
import { WORD_COUNT, wordsFrom } from './vocabulary.ts';

export interface StreamEvent {
  /** With its blank line. */
  readonly sse: Buffer;
  /** As it goes over the wire where nothing else is cut or joined. */
  readonly wire: Buffer;
  readonly tokens: number;
  /** 1 when it carries content. */
  readonly chunks: number;
  readonly isStamped: boolean;
}

export class EventFactory {
  readonly #shape: ChunkShape;
  readonly #settings: MockSettings;
  readonly #isChunked: boolean;
  readonly #whole: Readonly<Record<Speech, (StreamEvent | undefined)[]>> = { content: [], reasoning: [] };
  readonly #rare = new Map<string, StreamEvent>();
  readonly #role: StreamEvent;
  readonly #done: StreamEvent;

  constructor(shape: ChunkShape, settings: MockSettings, isChunked: boolean) {
    this.#shape = shape;
    this.#settings = settings;
    this.#isChunked = isChunked;
    this.#role = this.of(roleChunk(shape));
    this.#done = this.of('[DONE]');
  }

  role(): StreamEvent {
    return this.#role;
  }

  done(): StreamEvent {
    return this.#done;
  }

  speech(speech: Speech, firstWord: number, tokens: number): StreamEvent {
    const word = firstWord % WORD_COUNT;
    if (tokens === this.#settings.tokensPerChunk) {
      const held = this.#whole[speech][word];
      if (held !== undefined) return held;
      const event = this.#speech(speech, word, tokens);
      this.#whole[speech][word] = event;
      return event;
    }
    return this.#remember(`${speech} ${word} ${tokens}`, () => this.#speech(speech, word, tokens));
  }

  finish(reason: string): StreamEvent {
    return this.#remember(`finish ${reason}`, () => this.of(finishChunk(this.#shape, reason)));
  }

  usage(subject: ReplySubject): StreamEvent {
    return this.#remember(
      `usage ${subject.promptTokens} ${subject.outputTokens} ${subject.reasoningTokens}`,
      () => this.of(usageChunk(this.#shape, subject)),
    );
  }

  toolCall(part: ToolCallPart, tokens: number): StreamEvent {
    return this.#content(toolCallChunk(this.#shape, part), tokens);
  }

  /** Any data as an event without content. */
  of(data: string, type?: string): StreamEvent {
    return this.raw(eventText(data, this.#settings, type));
  }

  raw(text: string): StreamEvent {
    const sse = Buffer.from(text);
    const wire = this.#isChunked ? chunked(sse, this.#settings) : sse;
    return { sse, wire, tokens: 0, chunks: 0, isStamped: false };
  }

  #speech(speech: Speech, word: number, tokens: number): StreamEvent {
    return this.#content(speechChunk(this.#shape, speech, wordsFrom(word, tokens)), tokens);
  }

  #content(json: string, tokens: number): StreamEvent {
    const event = this.raw(this.#padded(json));
    return { ...event, tokens, chunks: 1, isStamped: this.#shape.isStamped };
  }

  /** A field that nobody reads fills the event up to the size asked for; a smaller one stays as it is. */
  #padded(json: string): string {
    const text = eventText(json, this.#settings);
    const missing = this.#settings.eventBytes - Buffer.byteLength(text);
    if (missing <= 0) return text;
    const filler = 'x'.repeat(Math.max(0, missing - PADDING_FIELD_BYTES));
    return eventText(`{"padding":"${filler}",${json.slice(1)}`, this.#settings);
  }

  /** For what depends on more than a word: bounded, because requests choose it. */
  #remember(key: string, build: () => StreamEvent): StreamEvent {
    const held = this.#rare.get(key);
    if (held !== undefined) return held;
    const event = build();
    if (this.#rare.size >= RARE_EVENTS_MAX) this.#rare.clear();
    this.#rare.set(key, event);
    return event;
  }
}

/** From the first digit of a stamp to the end of an event's bytes, blank line included. */
export const stampFromEnd = ({ framing }: Pick<MockSettings, 'framing'>): number =>
  STAMP_BYTES + '}'.length + (framing === 'crlf' ? 4 : 2);

const PADDING_FIELD_BYTES = Buffer.byteLength('"padding":"",');
const RARE_EVENTS_MAX = 4_096;
