// The events of one shape of stream, built once and used by every reply of that shape: the sending path only picks.

import type { ChunkShape, MockApi, Speech, TokenCounts, ToolCallPart } from '../api/mock-api.ts';
import type { MockSettings } from '../mock-settings.ts';
import { chunked, eventText, STAMP_BYTES } from './framing.ts';
import { WORD_COUNT, wordsFrom } from './vocabulary.ts';

export interface StreamEvent {
  /** With its blank line. */
  readonly sse: Buffer;
  /** As it goes over the wire if nothing else is cut or joined. */
  readonly wire: Buffer;
  readonly tokens: number;
  /** 1 when it carries content. */
  readonly chunks: number;
  readonly isStamped: boolean;
}

export class EventFactory {
  readonly #api: MockApi;
  readonly #shape: ChunkShape;
  readonly #unstamped: ChunkShape;
  readonly #settings: MockSettings;
  readonly #isChunked: boolean;
  readonly #whole: Readonly<Record<Speech, (StreamEvent | undefined)[]>> = { content: [], reasoning: [] };
  readonly #rare = new Map<string, StreamEvent>();
  /** The event before the first piece, if any; it has no content. */
  readonly #role: readonly StreamEvent[];
  readonly #done: StreamEvent;

  constructor(api: MockApi, shape: ChunkShape, settings: MockSettings, isChunked: boolean) {
    this.#api = api;
    this.#shape = shape;
    this.#settings = settings;
    this.#isChunked = isChunked;
    this.#unstamped = { ...shape, isStamped: false };
    this.#role = api.messages === undefined ? [] : [this.of(api.messages.role(this.#unstamped))];
    this.#done = this.of('[DONE]');
  }

  role(): readonly StreamEvent[] {
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
    return this.#remember(`finish ${reason}`, () => this.of(this.#api.finish(this.#unstamped, reason)));
  }

  usage(counts: TokenCounts): StreamEvent {
    const { promptTokens, outputTokens, reasoningTokens, cachedTokens } = counts;
    return this.#remember(`usage ${promptTokens} ${outputTokens} ${reasoningTokens} ${cachedTokens}`, () =>
      this.of(this.#api.usage(this.#shape, counts)),
    );
  }

  toolCall(part: ToolCallPart, tokens: number): readonly StreamEvent[] {
    const { messages } = this.#api;
    return messages === undefined ? [] : [this.#content(messages.toolCall(this.#shape, part), tokens)];
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
    return this.#content(this.#api.speech(this.#shape, speech, wordsFrom(word, tokens)), tokens);
  }

  #content(json: string, tokens: number): StreamEvent {
    const event = this.raw(this.#padded(json));
    return { ...event, tokens, chunks: 1, isStamped: this.#shape.isStamped };
  }

  /** An unused field pads the event to the requested size; a larger event stays as it is. */
  #padded(json: string): string {
    const text = eventText(json, this.#settings);
    const missing = this.#settings.eventBytes - Buffer.byteLength(text);
    if (missing <= 0) return text;
    const filler = 'x'.repeat(Math.max(0, missing - PADDING_FIELD_BYTES));
    return eventText(`{"padding":"${filler}",${json.slice(1)}`, this.#settings);
  }

  /** For what depends on more than a word: bounded, because requests control it. */
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
