// What a reply reports beyond its tokens and its end, if anything: what contaminates a figure without failing
// a request. Most replies have no remark.

import type { TokenDoubt } from './token-doubts.ts';

export interface SampleRemark {
  /** Tokens of the prompt that the server took from its prefix cache; NO_FIGURE: not reported. */
  readonly cachedTokens: number;
  /** Speculative tokens of the answer that were accepted; NO_FIGURE: not reported. */
  readonly predictedTokens: number;
  /** Reasoning tokens of the answer; NO_FIGURE: not reported. */
  readonly reasoningTokens: number;
  /** The identical request was sent before in this run. */
  readonly isRepeat: boolean;
  /** The reply has a Retry-After header. */
  readonly hasRetryAfter: boolean;
  /** Completed at the token limit before any token was text. */
  readonly isWithoutText: boolean;
  /** Token counts that cannot be true. */
  readonly doubts: readonly TokenDoubt[];
  /** The server's finish reason, if it is unknown; '' otherwise. */
  readonly finishName: string;
  /** The model that answered, if it differs from the requested one; '' otherwise. */
  readonly otherModel: string;
}

/**
 * Whether `answered` may be another name of the requested model: the last part of a path, a version of an
 * alias.
 */
export const isSameModel = (requested: string, answered: string): boolean => {
  const [one, other] = [requested, answered].map(plainName);
  if (one === undefined || other === undefined || one === other) return true;
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return long.startsWith(short) && VERSION.test(long.slice(short.length));
};

/** "/models/Qwen3-14B.gguf" and "Qwen/Qwen3-14B" are "qwen3-14b". */
const plainName = (model: string): string =>
  (model.toLowerCase().split('/').at(-1) ?? '').replace(/\.(gguf|safetensors|bin)$/, '');

/** ":latest", "-2024-08-06", "@main" after an alias. */
const VERSION = /^(:[\w.-]+|-\d{4}-?\d{2}-?\d{2}|-\d{4}|-latest|@[\w.-]+)$/;

// What a client notes about a request in addition to its reply: which of several kinds of request it was,
// whether its answer was as requested, and whether it was cancelled on purpose. Most requests have no note.
export interface SampleNote {
  /** The client cancelled it because of --cancel-after: no failure. */
  readonly isCancelledAsPlanned: boolean;
  /** The load was over, and its answer did not arrive within --grace: no failure. */
  readonly isCutAfterGrace: boolean;
  /** Which of the run's variants it was, from 0: a model, a URL. NO_FIGURE: the run has none. */
  readonly variant: number;
  readonly check: AnswerCheck;
}

/** For tool calls and answers with a schema. 'absent': it was requested and is missing. */
export type AnswerCheck = (typeof ANSWER_CHECKS)[number];

/** In the order in which they are stored. */
export const ANSWER_CHECKS = ['none', 'fits', 'not-json', 'misfit', 'absent'] as const;
