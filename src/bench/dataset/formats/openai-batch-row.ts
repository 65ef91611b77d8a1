// A request as OpenAI's batch files hold it: {"custom_id": …, "method": "POST", "url": "/v1/chat/completions", "body": {…}}.
// Of the body only what says what is asked is taken; the model is that of the command line.

import type { Parsed } from '../../../core/figure/parse-figure.ts';
import { wrong } from '../../../core/figure/parse-figure.ts';
import type { JsonObject } from '../../../core/json.ts';
import { isJsonObject } from '../../../core/json.ts';

export const isBatchRow = (row: JsonObject): boolean =>
  isJsonObject(row['body']) && typeof row['url'] === 'string';

/** The row that it would be in a data set of our own: messages or a prompt, and max_tokens. */
export const plainBatchRow = (row: JsonObject): Parsed<JsonObject> => {
  const { url, body } = row;
  if (!isJsonObject(body) || typeof url !== 'string') return wrong('it has no body', 'Is it a batch file?');
  if (!BATCH_URLS.some(known => url.endsWith(known)))
    return wrong(`it asks ${JSON.stringify(url.slice(0, 60))}`, `Known: ${BATCH_URLS.join(', ')}.`);
  const limit = body['max_tokens'] ?? body['max_completion_tokens'];
  const asked = body['messages'] === undefined ? { prompt: body['prompt'] } : { messages: body['messages'] };
  return { kind: 'ok', value: limit === undefined ? asked : { ...asked, max_tokens: limit } };
};

const BATCH_URLS = ['/chat/completions', '/completions'];
