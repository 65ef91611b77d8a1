// What a reply says of itself beyond its tokens and its end, where it says anything: what spoils a figure without failing a
// request. Most replies have none.

import type { TokenDoubt } from './token-doubts.ts';

export interface SampleRemark {
  /** Tokens of the prompt that the server took from its cache of prefixes; NO_FIGURE: not told. */
  readonly cachedTokens: number;
  /** Tokens of the answer that were guessed ahead and accepted; NO_FIGURE: not told. */
  readonly predictedTokens: number;
  /** Tokens of the answer that the model thought with; NO_FIGURE: not reported. */
  readonly reasoningTokens: number;
  /** The very same request was sent before in this run. */
  readonly isRepeat: boolean;
  /** The reply asked to come again later. */
  readonly hasRetryAfter: boolean;
  /** Completed at the limit of tokens, and none of them were text yet. */
  readonly isWithoutText: boolean;
  /** Counts of tokens that cannot be true. */
  readonly doubts: readonly TokenDoubt[];
  /** What the server called the end, if it is a name that nobody knows; '' otherwise. */
  readonly finishName: string;
  /** The model that answered, where it is another than was asked for; '' otherwise. */
  readonly otherModel: string;
}

/** Whether a server that names `answered` may mean what was asked for: a path for its last part, a version of an alias. */
export const isSameModel = (asked: string, answered: string): boolean => {
  const [one, other] = [asked, answered].map(plainName);
  if (one === undefined || other === undefined || one === other) return true;
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return long.startsWith(short) && VERSION.test(long.slice(short.length));
};

/** "/models/Qwen3-14B.gguf" and "Qwen/Qwen3-14B" are "qwen3-14b". */
const plainName = (model: string): string =>
  (model.toLowerCase().split('/').at(-1) ?? '').replace(/\.(gguf|safetensors|bin)$/, '');

/** ":latest", "-2024-08-06", "@main" behind an alias. */
const VERSION = /^(:[\w.-]+|-\d{4}-?\d{2}-?\d{2}|-\d{4}|-latest|@[\w.-]+)$/;
