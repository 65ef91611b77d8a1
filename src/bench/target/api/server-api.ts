// The port of a server's API: its paths, how a prompt becomes a body, and how its reply is read. One adapter for each
// API, in its own folder; server-apis.ts is the table of them. Threads are started with an adapter's name.

import type { Parsed } from '../../../core/figure/parse-figure.ts';
import type { ReplyCounts, ServedTimes } from '../../../core/run/event-record.ts';
import type { FinishReason } from '../../../core/run/outcome.ts';
import type { Unknown } from '../../../core/unknown.ts';
import type { Message } from '../../dataset/message.ts';
import type { Prompt } from '../../dataset/prompt.ts';
import type { HeaderField } from '../load-target.ts';
import type { LengthField, RequestFields } from '../request-fields.ts';
import type { AnswerParts, AnswerText } from './answer-parts.ts';

export interface ServerApi {
  /** Name on the command line, in config.json and in the report: "chat". */
  readonly name: string;
  /** Common start of the paths of its endpoints: "/v1". */
  readonly root: string;
  /** Path of the POST after the root: "/chat/completions". */
  readonly endpoint: string;
  /** Whether it supports streams. */
  readonly canStream: boolean;
  /** Format of a stream: server-sent events, or lines of JSON. */
  readonly framing: 'events' | 'lines';
  /** false: its replies have no tokens, no first one and no finish reason, as for embeddings. */
  readonly writesAnswers: boolean;
  /** Its prompts have documents. */
  readonly ranksDocuments?: true;
  /** Supported by the API, independent of the server. */
  readonly lengthFields: readonly LengthField[];
  /** Required headers, sent unless the user gives one of that name. */
  readonly headers?: readonly HeaderField[];
  readonly models: ModelsQuestion;
  /** Error for a stream that ended without any of the API's end signals: "the reply ended without …". */
  readonly withoutEnd: string;
  /** Returns the error if this API does not support the prompt. */
  body(prompt: Prompt, settings: BodySettings): Parsed<BodyText>;
  /** How a conversation continues; undefined: not supported. Its replies then have a `keptAnswer`. */
  readonly conversation?: ConversationForm;
  /** For one connection, which reuses it for each sample. */
  newReply(): ApiReply;
}

/** Requested before a run to find the model, if the user named none, and the kind of server. */
interface ModelsQuestion {
  /** Path of the GET after the root: "/models". */
  readonly path: string;
  /** Unknown, with the reason, if the reply is not a list of models. */
  read(json: unknown): ModelList | Unknown;
}

export interface ModelList {
  readonly ids: readonly string[];
  readonly serverKind: string | Unknown;
}

export interface BodySettings {
  /** As written in the request. */
  readonly model: string;
  readonly isStreaming: boolean;
  /**
   * As near to the start of the prompt as possible, because a prefix cache stores everything before it; after a
   * prefix that is shared on purpose.
   */
  readonly nonce: string | undefined;
  readonly fields: RequestFields;
}

/** JSON in two parts: the nonce's first character is the first of `after`. Without a nonce `before` is empty. */
export interface BodyText {
  readonly before: string;
  readonly after: string;
}

/** A body whose messages are entries of one list, so that history and answers are inserted unchanged. */
export interface ConversationForm {
  /** Everything before the first entry; `start` is from the conversation's first turn. Errors as for `entries`. */
  before(settings: BodySettings, start: ConversationStart): Parsed<string>;
  /** Everything after the last entry. */
  after(maxTokens: number | undefined, settings: BodySettings): string;
  /** System texts are in `before`, and only where a conversation begins. */
  readonly isSystemApart?: true;
  /**
   * The entries of a turn, separated by commas. The nonce is as in BodyText; an error if this API does not support
   * them.
   */
  entries(
    messages: readonly Message[],
    position: { readonly isFirst: boolean; readonly nonce: string | undefined },
  ): Parsed<BodyText>;
  /** How a turn is requested from a server that stores the history; undefined: not supported. */
  readonly kept?: KeptConversationForm;
  /** Answers may call tools as in OpenAI's chat: messages with the role `tool` name the call that they answer. */
  readonly takesCalls?: true;
  /** The entry of an answer, around its fields except the role. */
  readonly answer: { readonly before: string; readonly after: string };
}

/** A body that refers to the previous answer instead of repeating the history. */
export interface KeptConversationForm {
  before(settings: BodySettings): string;
  /** Around the id of the previous answer, inside the quotes of a JSON text. A first turn has none. */
  readonly previous: { readonly before: string; readonly after: string };
  /** Between that and the entries of the turn. */
  readonly list: string;
  after(maxTokens: number | undefined, settings: BodySettings): string;
}

export type ConversationStart = Pick<Prompt, 'prefix' | 'messages'>;

/** The state of one reply so far. Reading allocates nothing that outlives it except `defect`. */
export interface ApiReply extends ServedTimes, ReplyCounts {
  /** By its own signals: the end marker, or a finish reason for each part that was opened (METRICS §1). */
  readonly hasEnded: boolean;
  /** The end marker arrived, or a plain reply is whole. Anything after it does not count. */
  readonly isDone: boolean;
  /** A finish reason came on each part that was opened, and one was. */
  readonly hasFinished: boolean;
  readonly finishReason: FinishReason;
  /** As the server wrote it, if the name is unknown to us; '' otherwise. */
  readonly finishName: string;
  /** NO_FIGURE: not reported by the server. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Of the prompt, read from a prefix cache; of the answer, speculated and accepted. NO_FIGURE: not reported. */
  readonly cachedTokens: number;
  readonly predictedTokens: number;
  /** Tokens of the answer that are reasoning. NO_FIGURE: not reported. */
  readonly reasoningTokens: number;
  /** It contains two token counts that contradict each other. */
  readonly isContradictory: boolean;
  /** The choices with content in the last event. */
  readonly carried: readonly number[];
  /** Number of choices so far. */
  readonly choices: number;
  /** The model that answered; '': not reported. */
  readonly model: string;
  /** Hash of the answer's text so far, independent of its chunking; NO_FIGURE: none. */
  readonly answerHash: number;
  /** The first error, which decides how the sample ends. */
  readonly defect: ReplyDefect | undefined;
  /** Everything that the model wrote, including reasoning and calls, if it is kept. */
  readonly written: AnswerText;
  /** The text apart from reasoning and tool calls, if it is kept. */
  readonly keptAnswer?: AnswerText;
  /** The id under which a server stores it; '': none. */
  readonly keptId?: string;
  /** For an answer that is checked: filled by adapters that support tools and schemas. */
  readonly parts?: AnswerParts;
  reset(): void;
  /** Data of one event of a stream, valid during the call only. @returns CARRIES_… of its content. */
  event(bytes: Buffer, start: number, end: number, isErrorEvent: boolean): number;
  /** A plain reply, or the body of an error. @returns CARRIES_… of its content. */
  document(text: string): number;
}

export interface ReplyDefect {
  readonly kind: 'malformed' | 'error-frame' | 'aborted';
  readonly detail: string;
}

/** Bits: an event may carry both. A piece of a tool call is an answer. */
export const CARRIES_NOTHING = 0;
export const CARRIES_ANSWER = 1;
export const CARRIES_REASONING = 2;
/**
 * Text, of an answer or of reasoning: a tool call comes in any number of pieces, and encrypted reasoning cannot be
 * read.
 */
export const CARRIES_TEXT = 8;
/** Earlier content was reasoning too, although it was not marked. */
export const THOUGHT_UNTIL_NOW = 4;
