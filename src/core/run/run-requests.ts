// What a run requested apart from the prompts: part of config.json and of the report, so that the permitted
// length of answers is known. The server's counts are in the series `inputTokens` and `outputTokens`.

import * as v from 'valibot';
import {
  count,
  figure,
  type Infer,
  list,
  nonNegative,
  openObject,
  reported,
  share,
  text,
} from '../schema.ts';

export const requestedTokensSchema = openObject({
  /** As it was written: "normal(1024,200)". */
  text,
  mean: nonNegative,
  min: count,
  max: count,
});

/** Over all prompts of a run, each once. */
export type RequestedTokens = Infer<typeof requestedTokensSchema>;

const calibrationSchema = openObject({ requests: count, requestedTokens: count, countedTokens: count });

/** Short requests before the run, and the measured length of a prompt that was made with their results. */
export type WordCalibration = Infer<typeof calibrationSchema>;

/** Limit for the text of one list. */
const LENGTHS_TEXT_MAX = 32_768;

/** "512,498,530", or nothing. */
const lengthsText = v.pipe(v.string(), v.maxLength(LENGTHS_TEXT_MAX), v.regex(/^(\d{1,7}(,\d{1,7})*)?$/));

/**
 * Lengths in the order in which requests ask for them. Each list is decimal figures separated by commas,
 * because one line each would bury the rest of config.json; '': all equal, or too many.
 */
export const requestLengthsSchema = openObject({ input: lengthsText, output: lengthsText });

export type RequestLengths = Infer<typeof requestLengthsSchema>;

export const prefixesSchema = openObject({ count, tokens: count });

export type SharedPrefixes = Infer<typeof prefixesSchema>;

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

export const runRequestsSchema = openObject({
  /** Unknown: prompts are sent unchanged. */
  inputTokens: reported(requestedTokensSchema),
  /** Unknown: it was left to the server. */
  outputTokens: reported(requestedTokensSchema),
  outputSource: v.picklist(OUTPUT_SOURCES),
  /**
   * Fields next to max_tokens that keep this kind of server from ending early; none: an answer may be
   * shorter.
   */
  lengthFields: list(text),
  /** Limit for each request of the warm-up. */
  warmupTokensMax: count,
  /** How the server's own count of words was found. Unknown: it was not, and a word counted as a token. */
  calibration: reported(calibrationSchema),
  /**
   * Tokens of the shortest prompt, as the server counted it before the run: template, nonce and one word. All
   * requests have this part in common because of the server.
   */
  shortestTokens: reported(figure),
  /** System prompts that requests share. */
  prefixes: reported(prefixesSchema),
  /** The share of prompt tokens that they are long enough for, if a person requested one. */
  hitRate: v.exactOptional(share),
  /** JSON of the fields that sampling options and --body add to each body. */
  body: v.pipe(v.string(), v.maxLength(BODY_TEXT_MAX)),
});

export type RunRequests = Infer<typeof runRequestsSchema>;
