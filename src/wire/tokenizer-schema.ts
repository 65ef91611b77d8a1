// The counts of a tokenizer, as stored in report.json.

import type * as v from 'valibot';
import type { TokenizerAccount } from '../core/run/tokenizer-account.ts';
import { count, openObject, reported, text } from './schema.ts';

export const tokenizerSchema: v.GenericSchema<unknown, TokenizerAccount> = openObject({
  name: text,
  sha256: reported(text),
  model: reported(text),
  vocabulary: reported(count),
  answers: count,
  tokens: count,
  uncounted: count,
  filled: count,
  compared: reported(openObject({ answers: count, countedTokens: count, reportedTokens: count })),
});
