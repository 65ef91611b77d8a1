// What a person wants of each request beside its prompt: lengths, shared prefixes, sampling, and fields of their own.

import type { JsonObject } from '../../core/json.ts';
import type { SharedPrefixes } from '../../core/run/run-requests.ts';
import type { LengthChoice } from '../dataset/length-choice.ts';

export interface RequestSettings {
  /** undefined: as the data set says, else OUTPUT_TOKENS_DEFAULT. */
  readonly outputTokens: LengthChoice | undefined;
  /** Of generated prompts; undefined: PROMPT_WORDS words. */
  readonly inputTokens: LengthChoice | undefined;
  readonly prefixes: SharedPrefixes | undefined;
  /** Sampling and --body: fields of each body, null for one that is to be left out. Not secret: kept in config.json. */
  readonly fields: JsonObject;
}
