// The events of one shape of stream, built once and used by every reply of that shape: the sending path only picks.

import type {
  ChunkShape,
  ClosedAnswer,
  MockApi,
  Speech,
  TokenCounts,
  ToolCallPart,
} from '../api/mock-api.ts';
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
  readonly #done: readonly StreamEvent[];

  constructor(api: MockApi, shape: ChunkShape, settings: MockSettings, isChunked: boolean) {
    this.#api = api;
    this.#shape = shape;
    this.#settings = settings;
    this.#isChunked = isChunked;
    this.#unstamped = { ...shape, isStamped: false };
    const role = api.messages?.role?.(this.#unstamped);
    this.#role = role === undefined ? [] : [this.of(role)];
    this.#done = api.done === undefined ? [] : [this.of(api.done)];
  }

  role(): readonly StreamEvent[] {
    return this.#role;
  }

  opening(counts: TokenCounts | undefined, id?: string): readonly StreamEvent[] {
    return this.#api.opening?.({ ...this.#unstamped, id }, counts).map(data => this.of(data)) ?? [];
  }

  /** Empty if the API has no end marker. */
  done(): readonly StreamEvent[] {
    return this.#done;
  }

  /**
   * One event; if a part of the answer begins with it, together with the events that mark the beginning, in the same
   * write.
   */
  speech(speech: Speech, firstWord: number, tokens: number, at: EventPosition): readonly StreamEvent[] {
    const word = firstWord % WORD_COUNT;
    const { placed } = this.#api;
    if (placed === 'each') return [this.#speech(speech, word, tokens, at)];
    if (placed === 'first' && at.isFirst) {
      const key = `first ${speech} ${at.isSecond} ${word} ${tokens}`;
      return [this.#remember(key, () => this.#speech(speech, word, tokens, at))];
    }
    if (tokens === this.#settings.tokensPerChunk) {
      const cached = this.#whole[speech][word];
      if (cached !== undefined) return [cached];
      const event = this.#speech(speech, word, tokens, at);
      this.#whole[speech][word] = event;
      return [event];
    }
    return [this.#remember(`${speech} ${word} ${tokens}`, () => this.#speech(speech, word, tokens, at))];
  }

  closing(answer: ClosedAnswer, id?: string): readonly StreamEvent[] {
    return this.#api.closing({ ...this.#shape, id }, answer).map(data => this.of(data));
  }

  toolCall(part: ToolCallPart, tokens: number): readonly StreamEvent[] {
    const { messages } = this.#api;
    return messages === undefined ? [] : [this.#content(messages.toolCall(this.#shape, part), tokens)];
  }

  /** Any data as an event without content. */
  of(data: string, type?: string): StreamEvent {
    return this.raw(
      type === undefined || this.#api.framing === 'lines'
        ? this.#text(data)
        : eventText(data, this.#settings, type),
    );
  }

  raw(text: string): StreamEvent {
    const sse = Buffer.from(text);
    const wire = this.#isChunked ? chunked(sse, this.#settings) : sse;
    return { sse, wire, tokens: 0, chunks: 0, isStamped: false };
  }

  #speech(speech: Speech, word: number, tokens: number, at: EventPosition): StreamEvent {
    const position = {
      ...at,
      textSoFar: this.#api.placed === 'each' ? wordsFrom(at.firstOfAll, at.tokensSoFar) : '',
    };
    return this.#content(this.#api.speech(this.#shape, speech, wordsFrom(word, tokens), position), tokens);
  }

  /** The last of them has the content. */
  #content(jsons: readonly string[], tokens: number): StreamEvent {
    const before = jsons.slice(0, -1).map(json => this.#text(json));
    const event = this.raw(before.join('') + this.#padded(jsons.at(-1) ?? ''));
    return { ...event, tokens, chunks: 1, isStamped: this.#shape.isStamped };
  }

  /** An unused field pads the event to the requested size; a larger event stays as it is. */
  #padded(json: string): string {
    const text = this.#text(json);
    const missing = this.#settings.eventBytes - Buffer.byteLength(text);
    if (missing <= 0) return text;
    const filler = 'x'.repeat(Math.max(0, missing - PADDING_FIELD_BYTES));
    return this.#text(`{"padding":"${filler}",${json.slice(1)}`, typeOfEvent(json));
  }

  #text(data: string, type = typeOfEvent(data)): string {
    if (this.#api.framing === 'lines') return `${data}${this.#settings.framing === 'crlf' ? '\r\n' : '\n'}`;
    return eventText(data, this.#settings, this.#api.namesEvents === true ? type : undefined);
  }

  /** For what depends on more than a word: bounded, because requests control it. */
  #remember(key: string, build: () => StreamEvent): StreamEvent {
    const cached = this.#rare.get(key);
    if (cached !== undefined) return cached;
    const event = build();
    if (this.#rare.size >= RARE_EVENTS_MAX) this.#rare.clear();
    this.#rare.set(key, event);
    return event;
  }
}

/** The position of an event in its answer. */
interface EventPosition {
  readonly isFirst: boolean;
  readonly isSecond: boolean;
  readonly tokensSoFar: number;
  /** Word of the answer's first token. */
  readonly firstOfAll: number;
  readonly counts: TokenCounts | undefined;
}

/** The type that it contains at its beginning. */
const typeOfEvent = (json: string): string | undefined => /^\{"type":"([\w.]+)"/.exec(json)?.[1];

/** From the first digit of a stamp to the end of an event's bytes, blank line included. */
export const stampFromEnd = (
  { framing }: Pick<MockSettings, 'framing'>,
  api: Pick<MockApi, 'framing'>,
): number => {
  const endBytes = framing === 'crlf' ? 2 : 1;
  return STAMP_BYTES + '}'.length + (api.framing === 'lines' ? endBytes : 2 * endBytes);
};

const PADDING_FIELD_BYTES = Buffer.byteLength('"padding":"",');
const RARE_EVENTS_MAX = 4_096;
