// What a server reports about its model: the size of its context, and of the model. Each kind of server has its own
// place for it; what none reports is unknown.

import { isJsonObject, type JsonObject, parseAnyJson } from '../../core/json.ts';
import { type Reported, unknown } from '../../core/unknown.ts';
import type { ServerApi } from './api/server-api.ts';
import { fetchText } from './fetch-text.ts';
import type { HeaderField } from './load-target.ts';
import { pagePath } from './server-pages.ts';
import type { BenchTarget } from './target-url.ts';

export interface ModelLimits {
  /** Tokens of one request, prompt and answer. */
  readonly contextMax: Reported<number>;
  readonly sizeBytes: Reported<number>;
  readonly parameters: Reported<number>;
  /** The file that the server has open, by its own name. */
  readonly modelPath: string | undefined;
  /** Its id at the Hugging Face hub, or a candidate for it. */
  readonly modelId: string | undefined;
  /** Share of its bytes, 0..1, that is not on the device. */
  readonly offloadedShare: Reported<number>;
  /** Version of the server. */
  readonly version: Reported<string>;
}

interface LimitsQuestion {
  readonly target: BenchTarget;
  readonly api: ServerApi;
  readonly headers: readonly HeaderField[];
  /** undefined: the first in its list. */
  readonly model: string | undefined;
  readonly signal: AbortSignal;
}

/** @throws the signal's reason, and nothing else. */
export const fetchModelLimits = async (question: LimitsQuestion): Promise<ModelLimits> => {
  const paths = [
    ...['/v1/models', '/props', '/info', '/api/v0/models'],
    ...['/api/ps', '/version', '/api/version'],
  ];
  const [listed, props, info, studio, running, version, ollama] = await Promise.all(
    paths.map(path => request(question, path)),
  );
  const model = chosen(listed?.['data'], question.model, 'id');
  const meta = objectOf(model?.['meta']);
  const contextMax =
    count(model?.['max_model_len']) ??
    count(objectOf(props?.['default_generation_settings'])?.['n_ctx']) ??
    count(info?.['max_total_tokens']) ??
    count(chosen(studio?.['data'], question.model, 'id')?.['loaded_context_length']) ??
    count(chosen(running?.['models'], question.model, 'name')?.['context_length']);
  return {
    contextMax: contextMax ?? unknown('the server does not report the size of its context'),
    sizeBytes:
      count(meta?.['size']) ??
      count(chosen(running?.['models'], question.model, 'name')?.['size']) ??
      unknown('the server does not report it'),
    parameters: count(meta?.['n_params']) ?? unknown('the server does not report it'),
    offloadedShare: offloadedShare(chosen(running?.['models'], question.model, 'name')),
    modelPath: textIn(props?.['model_path']) ?? pathIn(model?.['root']),
    modelId: textIn(model?.['root']) ?? textIn(model?.['id']),
    version:
      textIn(props?.['build_info']) ??
      textIn(version?.['version']) ??
      textIn(ollama?.['version']) ??
      textIn(info?.['version']) ??
      unknown('the server does not report its version'),
  };
};

/** Ollama reports a loaded model's size, and how much of it is on the device. */
const offloadedShare = (running: JsonObject | undefined): Reported<number> => {
  const size = count(running?.['size']);
  const vramBytes = running?.['size_vram'];
  if (size === undefined || typeof vramBytes !== 'number' || !(vramBytes >= 0))
    return unknown('the server does not report where the model is loaded');
  return Math.max(0, 1 - vramBytes / size);
};

const request = async (
  { target, api, headers, signal }: LimitsQuestion,
  path: string,
): Promise<JsonObject | undefined> => {
  const answer = await fetchText({
    server: target.server,
    path: pagePath(target, path, api),
    headers,
    timeoutMs: REQUEST_TIMEOUT_MS,
    signal,
  });
  const json = answer.kind === 'answer' && answer.status === 200 ? parseAnyJson(answer.text) : undefined;
  return isJsonObject(json) ? json : undefined;
};

const chosen = (list: unknown, name: string | undefined, key: string): JsonObject | undefined => {
  if (!Array.isArray(list)) return undefined;
  const models = list.filter(isJsonObject);
  return name === undefined ? models[0] : models.find(model => model[key] === name);
};

const objectOf = (value: unknown): JsonObject | undefined => (isJsonObject(value) ? value : undefined);

const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value.slice(0, TEXT_LENGTH_MAX) : undefined;

/** vLLM lists a folder or an id there. */
const pathIn = (value: unknown): string | undefined => {
  const text = textIn(value);
  return text?.startsWith('/') === true ? text : undefined;
};

/** Servers without a limit write zero. */
const count = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;

/** Timeout for each of the pages, which are requested in parallel. */
const REQUEST_TIMEOUT_MS = 2_000;
const TEXT_LENGTH_MAX = 1_000;
