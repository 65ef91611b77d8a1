// The port of what a server understands: which paths are asked, how a prompt becomes a body, and how its reply is read. One
// adapter an API, in a folder of its own; server-apis.ts is the table of them. Threads are started with an adapter's name.

import type { Parsed } from '../../../core/figure/parse-figure.ts';
import type { FinishReason } from '../../../core/run/outcome.ts';
import type { Unknown } from '../../../core/unknown.ts';
import type { Prompt } from '../../dataset/prompt.ts';
import type { RequestFields } from '../request-fields.ts';

export interface ServerApi {
  /** On the command line, in config.json and in the report: "chat". */
  readonly name: string;
  /** What the paths of all its endpoints begin with: "/v1". */
  readonly root: string;
  /** Of the POST, behind the root: "/chat/completions". */
  readonly endpoint: string;
  /** Whether it can be asked for streams. */
  readonly canStream: boolean;
  readonly models: ModelsQuestion;
  /** Said of a stream that ended by none of the signs that this API has: "the reply ended without …". */
  readonly withoutEnd: string;
  /** Wrong: this API cannot ask that. */
  body(prompt: Prompt, settings: BodySettings): Parsed<BodyText>;
  /** For one connection, which uses it for one sample after the other. */
  newReply(): ApiReply;
}

/** Asked before a run, when the person did not say which model, and to know what kind of server it is. */
export interface ModelsQuestion {
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

/** What has come of one reply so far. Reading allocates nothing that outlives it but what `defect` says. */
export interface ApiReply {
  /** By its own account: the mark of the end, or a finish reason on each part that was opened (METRICS §1). */
  readonly hasEnded: boolean;
  /** The mark of the end came, or a plain reply whole. What stands behind it does not count. */
  readonly isDone: boolean;
  /** A finish reason came on each part that was opened, and one was. */
  readonly hasFinished: boolean;
  readonly finishReason: FinishReason;
  /** NO_FIGURE: the server told none. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Of the prompt, taken from a cache of prefixes; of the answer, guessed ahead and accepted. NO_FIGURE: not told. */
  readonly cachedTokens: number;
  readonly predictedTokens: number;
  /** Which answered; '': not told. */
  readonly model: string;
  /** The first thing that is wrong: it decides how the sample ends. */
  readonly defect: ReplyDefect | undefined;
  reset(): void;
  /** Data of one event of a stream, valid during the call only. @returns CARRIES_… of what is in it. */
  event(bytes: Buffer, start: number, end: number, isErrorEvent: boolean): number;
  /** A plain reply, or the body of an error. @returns CARRIES_… of what is in it. */
  document(text: string): number;
}

export interface ReplyDefect {
  readonly kind: 'malformed' | 'error-frame';
  readonly detail: string;
}

/** Bits: an event may carry both. A piece of a tool call is an answer. */
export const CARRIES_NOTHING = 0;
export const CARRIES_ANSWER = 1;
export const CARRIES_REASONING = 2;
