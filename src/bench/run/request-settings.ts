// Options of each request other than its prompt: lengths, shared prefixes, sampling, and custom fields.

import type { JsonObject } from '../../core/json.ts';
import type { SharedPrefixes } from '../../core/run/run-requests.ts';
import type { LengthChoice } from '../dataset/length-choice.ts';

export interface RequestSettings {
  /** undefined: from the data set, else OUTPUT_TOKENS_DEFAULT. */
  readonly outputTokens: LengthChoice | undefined;
  /** Length of generated prompts; undefined: PROMPT_WORDS words. */
  readonly inputTokens: LengthChoice | undefined;
  readonly prefixes: SharedPrefixes | undefined;
  /** Sampling and --body: fields of each body, null for one that is left out. Not secret: stored in config.json. */
  readonly fields: JsonObject;
}
