// What a run requested apart from the prompts: part of config.json and of the report, so that the permitted
// length of answers is known. The server's counts are in the series `inputTokens` and `outputTokens`.

import type { Reported } from '../unknown.ts';

export type RunRequests = {
  /** Unknown: prompts are sent unchanged. */
  readonly inputTokens: Reported<RequestedTokens>;
  /** Unknown: it was left to the server. */
  readonly outputTokens: Reported<RequestedTokens>;
  readonly outputSource: OutputSource;
  /**
   * Fields next to max_tokens that keep this kind of server from ending early; none: an answer may be
   * shorter.
   */
  readonly lengthFields: readonly string[];
  /** Limit for each request of the warm-up. */
  readonly warmupTokensMax: number;
  /** How the server's own count of words was found. Unknown: it was not, and a word counted as a token. */
  readonly calibration: Reported<WordCalibration>;
  /**
   * Tokens of the shortest prompt, as the server counted it before the run: template, nonce and one word. All
   * requests have this part in common because of the server.
   */
  readonly shortestTokens: Reported<number>;
  /** System prompts that requests share. */
  readonly prefixes: Reported<SharedPrefixes>;
  /** JSON of the fields that sampling options and --body add to each body. */
  readonly body: string;
};

/** Over all prompts of a run, each once. */
export type RequestedTokens = {
  /** As it was written: "normal(1024,200)". */
  readonly text: string;
  readonly mean: number;
  readonly min: number;
  readonly max: number;
};

/** Short requests before the run, and the measured length of a prompt that was made with their results. */
export type WordCalibration = {
  readonly requests: number;
  readonly requestedTokens: number;
  readonly countedTokens: number;
};

/**
 * Lengths in the order in which requests ask for them. Each list is decimal figures separated by commas,
 * because one line each would bury the rest of config.json; '': all equal, or too many.
 */
export type RequestLengths = { readonly input: string; readonly output: string };

export type SharedPrefixes = { readonly count: number; readonly tokens: number };

/**
 * Where the length of answers comes from: the command line, the lines of the data set, nothing, or the fields
 * of --body.
 */
export type OutputSource = (typeof OUTPUT_SOURCES)[number];

export const OUTPUT_SOURCES = ['option', 'dataset', 'default', 'body'] as const;

/** Requested by default: a model without a limit may answer for minutes. */
export const OUTPUT_TOKENS_DEFAULT = 256;
/** A warm-up needs compiled code and open connections, not answers. */
export const WARMUP_TOKENS_MAX = 16;
/** For what sampling options and --body add, as JSON. */
export const BODY_TEXT_MAX = 16_384;
