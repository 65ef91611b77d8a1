// The port of what a server understands: which paths are asked, how a prompt becomes a body, and how its reply is read. One
// adapter an API, in a folder of its own; server-apis.ts is the table of them. Threads are started with an adapter's name.

import type { Parsed } from '../../../core/figure/parse-figure.ts';
import type { FinishReason } from '../../../core/run/outcome.ts';
import type { ServedTimes } from '../../../core/run/served-times.ts';
import type { Unknown } from '../../../core/unknown.ts';
import type { Message } from '../../dataset/message.ts';
import type { Prompt } from '../../dataset/prompt.ts';
import type { HeaderField } from '../load-target.ts';
import type { LengthField, RequestFields } from '../request-fields.ts';
import type { AnswerParts } from './answer-parts.ts';
import type { AnswerText } from './answer-text.ts';

export interface ServerApi {
  /** On the command line, in config.json and in the report: "chat". */
  readonly name: string;
  /** What the paths of all its endpoints begin with: "/v1". */
  readonly root: string;
  /** Of the POST, behind the root: "/chat/completions". */
  readonly endpoint: string;
  /** Whether it can be asked for streams. */
  readonly canStream: boolean;
  /** What a stream is made of: server-sent events, or lines of JSON. */
  readonly framing: 'events' | 'lines';
  /** false: what it sends has no tokens, no first one and no reason to end, as an embedding. */
  readonly writesAnswers: boolean;
  /** That it has a place for, whatever the server behind it. */
  readonly lengthFields: readonly LengthField[];
  /** That it asks for, sent where a person gives none of that name. */
  readonly headers?: readonly HeaderField[];
  readonly models: ModelsQuestion;
  /** Said of a stream that ended by none of the signs that this API has: "the reply ended without …". */
  readonly withoutEnd: string;
  /** Wrong: this API cannot ask that. */
  body(prompt: Prompt, settings: BodySettings): Parsed<BodyText>;
  /** How a conversation that goes on is asked; undefined: it cannot be. Its replies then have a `keptAnswer`. */
  readonly conversation?: ConversationForm;
  /** For one connection, which uses it for one sample after the other. */
  newReply(): ApiReply;
}

/** Asked before a run, when the person did not say which model, and to know what kind of server it is. */
interface ModelsQuestion {
  /** Of the GET, behind the root: "/models". */
  readonly path: string;
  /** Unknown: what came is no list, and why. */
  read(json: unknown): ModelList | Unknown;
}

export interface ModelList {
  readonly ids: readonly string[];
  readonly serverKind: string | Unknown;
}

export interface BodySettings {
  /** As it goes into the request. */
  readonly model: string;
  readonly isStreaming: boolean;
  /**
   * Stands as near to the start of the prompt as can be, because a cache of prefixes holds whatever stands before it; behind a
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

/** A body whose messages are entries of one list, so that history and answers are spliced in as they are. */
export interface ConversationForm {
  /** All that stands before the first entry; `start` is what the conversation's first turn says. Wrong: as `entries`. */
  before(settings: BodySettings, start: ConversationStart): Parsed<string>;
  /** All that stands behind the last entry. */
  after(maxTokens: number | undefined, settings: BodySettings): string;
  /** Texts of the system stand in `before`, and only where a conversation begins. */
  readonly isSystemApart?: true;
  /** What a turn adds, with commas between them. Of a nonce as BodyText has it; wrong: this API cannot ask that. */
  entries(
    messages: readonly Message[],
    place: { readonly isFirst: boolean; readonly nonce: string | undefined },
  ): Parsed<BodyText>;
  /** How a turn is asked of a server that keeps what was said; undefined: this API has no way to. */
  readonly kept?: KeptConversationForm;
  /** Answers may call tools as OpenAI's chat has them: messages of the role `tool` name the call that they answer. */
  readonly takesCalls?: true;
  /** The entry of an answer, around its fields but the role. */
  readonly answer: { readonly before: string; readonly after: string };
}

/** A body that names the answer before it instead of sending what came before. */
export interface KeptConversationForm {
  before(settings: BodySettings): string;
  /** Around the id of the answer before, inside the quotes of a JSON text. A first turn has none of it. */
  readonly previous: { readonly before: string; readonly after: string };
  /** Behind that, and before the entries of the turn. */
  readonly list: string;
  after(maxTokens: number | undefined, settings: BodySettings): string;
}

export type ConversationStart = Pick<Prompt, 'prefix' | 'messages'>;

/** What has come of one reply so far. Reading allocates nothing that outlives it but what `defect` says. */
export interface ApiReply extends ServedTimes {
  /** By its own account: the mark of the end, or a finish reason on each part that was opened (METRICS §1). */
  readonly hasEnded: boolean;
  /** The mark of the end came, or a plain reply whole. What stands behind it does not count. */
  readonly isDone: boolean;
  /** A finish reason came on each part that was opened, and one was. */
  readonly hasFinished: boolean;
  readonly finishReason: FinishReason;
  /** As the server wrote it, if it is a name that nobody knows; '' otherwise. */
  readonly finishName: string;
  /** NO_FIGURE: the server told none. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Of the prompt, taken from a cache of prefixes; of the answer, guessed ahead and accepted. NO_FIGURE: not told. */
  readonly cachedTokens: number;
  readonly predictedTokens: number;
  /** Of the answer, thought with. NO_FIGURE: not reported. */
  readonly reasoningTokens: number;
  /** It gave two counts of tokens that cannot both be true. */
  readonly isContradictory: boolean;
  /** The choices of which the last event carried something. */
  readonly carried: readonly number[];
  /** How many choices have come. */
  readonly choices: number;
  /** Which answered; '': not told. */
  readonly model: string;
  /** Of the text of the answer so far, however it was cut into pieces; NO_FIGURE: none. */
  readonly answerHash: number;
  /** The first thing that is wrong: it decides how the sample ends. */
  readonly defect: ReplyDefect | undefined;
  /** All that the model wrote, reasoning and calls too, where it is kept. */
  readonly written: AnswerText;
  /** What it says beside reasoning and calls of tools, where it is kept. */
  readonly keptAnswer?: AnswerText;
  /** By which a server finds it again; '': it told none. */
  readonly keptId?: string;
  /** Of an answer that is to be checked: an adapter that can be asked for tools and schemas fills it. */
  readonly parts?: AnswerParts;
  reset(): void;
  /** Data of one event of a stream, valid during the call only. @returns CARRIES_… of what is in it. */
  event(bytes: Buffer, start: number, end: number, isErrorEvent: boolean): number;
  /** A plain reply, or the body of an error. @returns CARRIES_… of what is in it. */
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
/** Text, of an answer or of reasoning: a call of a tool comes in any number of pieces, and what is encrypted cannot be read. */
export const CARRIES_TEXT = 8;
/** What came before this event was reasoning too, although nothing showed it. */
export const THOUGHT_UNTIL_NOW = 4;
