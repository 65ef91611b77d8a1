// The port for the APIs of the mock: one adapter per API, a row each in mock-apis.ts. An adapter defines the path, the
// prompt of a request, and how each piece of a reply is written; timing and failures are the same for all.

import type { JsonObject } from '../../core/json.ts';

export interface MockApi {
  /** "/v1/chat/completions" */
  readonly path: string;
  /** What a stream is made of: server-sent events, or lines of JSON. */
  readonly framing: 'events' | 'lines';
  /** Each event contains its type, and the event's name repeats it. */
  readonly namesEvents?: true;
  /**
   * What an event depends on other than its text: nothing, whether it is the first of its kind, or everything before
   * it.
   */
  readonly placed: 'no' | 'first' | 'each';
  /** It sends vectors or a ranking instead of an answer. */
  readonly isEmbedding?: true;
  /** A call of a tool is one event, however long. */
  readonly hasWholeCalls?: true;
  /** Converts the request: model, limits and `stream` where OpenAI's completions have them. */
  plain?(body: JsonObject): JsonObject;
  /** All prompt texts of a request; undefined: it has none, and is refused with `noPrompt`. */
  promptText(body: JsonObject): string | undefined;
  /** Of a request with a prompt; 0 if it is not made of messages. */
  messageCount(body: JsonObject): number;
  /** Texts that are embedded or ranked; of others 1. */
  inputCount?(body: JsonObject): number;
  readonly noPrompt: string;
  /** For a request that continues an answer stored by the server: its id. */
  previousId?(body: JsonObject): string | undefined;
  /** Whether its answer is stored for a later request. */
  isKept?(body: JsonObject): boolean;
  /** What a chat has in addition to text, reasoning included; undefined: an answer is text alone. */
  readonly messages: MessageJson | undefined;
  /** Data of the events before the first piece, which a setting cannot leave out. */
  opening?(shape: ChunkShape, counts: TokenCounts | undefined): readonly string[];
  /** Data of a piece of the answer: of the last event; those before it open a part of the answer and end another. */
  speech(shape: ChunkShape, speech: Speech, text: string, position: SpeechPosition): readonly string[];
  /** Data of the events after the last piece. */
  closing(shape: ChunkShape, answer: ClosedAnswer): readonly string[];
  /** Data of the end marker; undefined: there is none apart from `closing`. */
  readonly done: string | undefined;
  /** A whole reply. */
  whole(shape: ChunkShape, answer: WholeAnswer): string;
}

interface MessageJson {
  /** Data of the event before the first piece; undefined: there is none. */
  role?(shape: ChunkShape): string;
  toolCall(shape: ChunkShape, part: ToolCallPart): readonly string[];
}

interface SpeechPosition {
  /** Of its kind. */
  readonly isFirst: boolean;
  /** Something of another kind came before it. */
  readonly isSecond: boolean;
  /** All of the answer, with this piece. */
  readonly textSoFar: string;
  /** Counts so far, if they are sent. */
  readonly counts: TokenCounts | undefined;
}

export interface ClosedAnswer {
  readonly finishReason: string;
  /** undefined: it is not sent. */
  readonly usage: TokenCounts | undefined;
  /** The kind of the last piece. */
  readonly last: Speech | 'call' | 'nothing';
  /** Number of parts of the answer: reasoning, text and calls. */
  readonly parts: number;
  readonly content: string;
}

export type Speech = 'content' | 'reasoning';

export interface ChunkShape {
  readonly model: string;
  /** Of an answer that is kept. */
  readonly id?: string | undefined;
  readonly isStamped: boolean;
}

export interface ToolCallPart {
  readonly index: number;
  /** Whether it is the first of its call. */
  readonly isFirst: boolean;
  /** Whether reasoning precedes the first call. */
  readonly isBehindThought: boolean;
  readonly argumentsText: string;
}

export interface TokenCounts {
  readonly promptTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  /** 0: not mentioned. */
  readonly cachedTokens: number;
  readonly predictedTokens: number;
}

export interface WholeAnswer {
  readonly content: string;
  readonly reasoning: string;
  readonly toolArguments: readonly string[];
  /** Texts that are embedded or ranked. */
  readonly inputs: number;
  readonly finishReason: string;
  /** undefined: it is not sent. */
  readonly usage: TokenCounts | undefined;
}
