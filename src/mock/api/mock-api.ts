// The port for the APIs of the mock: one adapter per API, a row each in mock-apis.ts. An adapter defines the path, the
// prompt of a request, and how each piece of a reply is written; timing and failures are the same for all.

import type { JsonObject } from '../../core/json.ts';

export interface MockApi {
  /** "/v1/chat/completions" */
  readonly path: string;
  /** All prompt texts of a request; undefined: it has none, and is refused with `noPrompt`. */
  promptText(body: JsonObject): string | undefined;
  /** Of a request with a prompt; 0 if it is not made of messages. */
  messageCount(body: JsonObject): number;
  readonly noPrompt: string;
  /** What a chat has beside text, reasoning too; undefined: an answer is text alone. */
  readonly messages: MessageJson | undefined;
  /** Data of an event with a piece of the answer. */
  speech(shape: ChunkShape, speech: Speech, text: string): string;
  finish(shape: ChunkShape, reason: string): string;
  usage(shape: ChunkShape, counts: TokenCounts): string;
  /** A whole reply. */
  whole(shape: ChunkShape, answer: WholeAnswer): string;
}

export interface MessageJson {
  /** Data of the event before the first piece. */
  role(shape: ChunkShape): string;
  toolCall(shape: ChunkShape, part: ToolCallPart): string;
}

export type Speech = 'content' | 'reasoning';

export interface ChunkShape {
  readonly model: string;
  readonly isStamped: boolean;
}

export interface ToolCallPart {
  readonly index: number;
  /** Whether it is the first of its call. */
  readonly isFirst: boolean;
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
  readonly finishReason: string;
  /** undefined: it is not sent. */
  readonly usage: TokenCounts | undefined;
}
