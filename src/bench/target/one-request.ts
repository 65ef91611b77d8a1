// One short request before the run, not streamed and of one token: its usage, and the server's id of its build and
// settings.

import { isJsonObject, parseAnyJson } from '../../core/json.ts';
import { userPrompt } from '../dataset/prompt.ts';
import { SHORT_TASK } from '../dataset/word-costs.ts';
import { textOf } from './api/json-reply.ts';
import type { ServerApi } from './api/server-api.ts';
import { fetchText, type TextAnswer } from './fetch-text.ts';
import type { HeaderField } from './load-target.ts';
import { type BenchTarget, endpointPath } from './target-url.ts';

export interface ShortRequest {
  readonly api: ServerApi;
  readonly target: BenchTarget;
  readonly headers: readonly HeaderField[];
  readonly model: string;
  /** As requests of a run have it; undefined: none. */
  readonly nonce?: string | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface OneReply {
  /** NO_FIGURE: not reported. */
  readonly promptTokens: number;
  readonly generatedTokens: number;
  /** `system_fingerprint`; '' if there is none. */
  readonly fingerprint: string;
}

/** undefined: this API has no such request. @throws the signal's reason, and nothing else. */
export const shortRequest = async ({
  api,
  target,
  headers,
  model,
  nonce,
  timeoutMs,
  signal,
}: ShortRequest): Promise<TextAnswer | undefined> => {
  const body = api.body(userPrompt(SHORT_TASK, 1), {
    model,
    isStreaming: false,
    nonce,
    fields: { lengthFields: [], added: {} },
  });
  if (body.kind === 'wrong') return undefined;
  return await fetchText({
    server: target.server,
    path: endpointPath(target, api),
    body: body.value.before + body.value.after,
    headers,
    timeoutMs,
    signal,
  });
};

/** undefined: it failed. @throws the signal's reason, and nothing else. */
export const oneRequest = async (request: Omit<ShortRequest, 'timeoutMs'>): Promise<OneReply | undefined> => {
  const reply = await shortRequest({ ...request, timeoutMs: REQUEST_MS_MAX });
  const json = reply?.kind === 'answer' && reply.status === 200 ? parseAnyJson(reply.text) : undefined;
  if (reply?.kind !== 'answer' || !isJsonObject(json)) return undefined;
  const read = request.api.newReply();
  read.document(reply.text);
  return {
    promptTokens: read.inputTokens,
    generatedTokens: read.outputTokens,
    fingerprint: textOf(json['system_fingerprint']),
  };
};

const REQUEST_MS_MAX = 30_000;
