// A request in the format of OpenAI's batch files: {"custom_id": …, "method": "POST", "url": "/v1/chat/completions",
// "body": {…}}. Its body is sent as it is, except for what the run decides: the model, the limit under its name here,
// and streaming.

import { type Parsed, wrong } from '../../../core/figure/parse-figure.ts';
import { isJsonObject, type JsonObject } from '../../../core/json.ts';

export const isBatchRow = (row: JsonObject): boolean =>
  isJsonObject(row['body']) && typeof row['url'] === 'string';

interface PlainBatchRow {
  /** The equivalent row of our own format: messages or a prompt, and max_tokens. */
  readonly row: JsonObject;
  /** Other fields of its body. */
  readonly fields: JsonObject;
  readonly lineId: string | undefined;
}

export const plainBatchRow = (row: JsonObject): Parsed<PlainBatchRow> => {
  const { url, body } = row;
  if (!isJsonObject(body) || typeof url !== 'string') return wrong('it has no body', 'Is it a batch file?');
  if (!BATCH_URLS.some(known => url.endsWith(known)))
    return wrong(`it asks ${JSON.stringify(url.slice(0, 60))}`, `Known: ${BATCH_URLS.join(', ')}.`);
  const limit = body['max_tokens'] ?? body['max_completion_tokens'];
  const requested =
    body['messages'] === undefined ? { prompt: body['prompt'] } : { messages: body['messages'] };
  const fields = Object.fromEntries(Object.entries(body).filter(([name]) => !OF_THE_RUN.has(name)));
  const { custom_id: lineId } = row;
  return {
    kind: 'ok',
    value: {
      row: limit === undefined ? requested : { ...requested, max_tokens: limit },
      fields,
      lineId: typeof lineId === 'string' ? lineId : undefined,
    },
  };
};

const OF_THE_RUN: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'prompt',
  'max_tokens',
  'max_completion_tokens',
  'stream',
  'stream_options',
]);
const BATCH_URLS = ['/chat/completions', '/completions'];
