// What a run asked of each request beside its prompt: part of config.json and of the report, so that nobody has to guess how
// long the answers were allowed to be. What the server counted stands in the series `inputTokens` and `outputTokens`.

import type { Reported } from '../unknown.ts';

export type RunRequests = {
  /** Unknown: prompts are sent as they are. */
  readonly inputTokens: Reported<AskedTokens>;
  /** Unknown: it was left to the server. */
  readonly outputTokens: Reported<AskedTokens>;
  readonly outputSource: OutputSource;
  /** Fields beside max_tokens that keep this kind of server from ending early; none: an answer may be shorter. */
  readonly lengthFields: readonly string[];
  /** Of each request of the warm-up, at most. */
  readonly warmupTokensMax: number;
  /** How the server's own count of words was found. Unknown: it was not, and a word stood for a token. */
  readonly calibration: Reported<WordCalibration>;
  /**
   * Of the shortest prompt, as the server counted it before the run: template, mark of the request and a word. So much of a prompt is
   * common to all requests by the server's own doing.
   */
  readonly shortestTokens: Reported<number>;
  /** System prompts that requests share. */
  readonly prefixes: Reported<SharedPrefixes>;
  /** JSON of what sampling options and --body add to each body. */
  readonly body: string;
};

/** Over all prompts that a run goes through, each once. */
export type AskedTokens = {
  /** As it was written: "normal(1024,200)". */
  readonly text: string;
  readonly mean: number;
  readonly min: number;
  readonly max: number;
};

/** Short requests before the run, and what became of a prompt made by what they told. */
export type WordCalibration = {
  readonly requests: number;
  readonly askedTokens: number;
  readonly countedTokens: number;
};

/**
 * Lengths in the order in which requests ask for them. Each list is decimal figures with commas between, because a line each
 * would hide the rest of config.json; '': all the same, or too many.
 */
export type RequestLengths = { readonly input: string; readonly output: string };

export type SharedPrefixes = { readonly count: number; readonly tokens: number };

/** Who said how long answers are: the command line, the lines of the data set, nobody, or the fields of --body. */
export type OutputSource = (typeof OUTPUT_SOURCES)[number];

export const OUTPUT_SOURCES = ['option', 'dataset', 'default', 'body'] as const;

/** Asked for where nobody says otherwise: a model without a limit may answer for minutes. */
export const OUTPUT_TOKENS_DEFAULT = 256;
/** A warm-up wants compiled code and open connections, not answers. */
export const WARMUP_TOKENS_MAX = 16;
/** Of what sampling options and --body add, as JSON. */
export const BODY_TEXT_MAX = 16_384;
