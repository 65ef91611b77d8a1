// Asks a target which models it serves, and so what kind of server it is. One request, before the run, on a connection of
// its own and past every proxy.

import { isUnknown, type Unknown, unknown } from '../../core/unknown.ts';
import { BenchError } from '../bench-error.ts';
import { getText } from './get-text.ts';
import type { HeaderField } from './load-target.ts';
import { findServerKind } from './server-kind.ts';
import type { BenchTarget } from './target-url.ts';

export interface AskOptions {
  readonly target: BenchTarget;
  readonly headers: readonly HeaderField[];
  /** The one that was given with --model. */
  readonly model: string | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface ServerAnswer {
  readonly model: string;
  readonly serverKind: string | Unknown;
  readonly notices: readonly string[];
}

/** @throws BenchError `unreachable` when nobody is there, or when the model is not known and the server does not say. */
export const askServer = async (options: AskOptions): Promise<ServerAnswer> => {
  const { target, model, signal } = options;
  const reply = await getModels(options);
  signal.throwIfAborted();
  switch (reply.kind) {
    case 'no-connection':
      throw new BenchError({
        code: 'unreachable',
        problem: `${target.shown} cannot be reached: ${reply.reason}`,
        advice: 'Start the server, or look at host and port.',
      });
    case 'no-answer':
      if (model !== undefined) return { model, serverKind: unknown(reply.reason), notices: [] };
      throw new BenchError({
        code: 'unreachable',
        problem: `${target.shown} did not say which models it has: ${reply.reason}`,
        advice: 'Look at the URL, or name the model yourself: --model M',
      });
    case 'status':
      if (model !== undefined) {
        return { model, serverKind: unknown(`GET /models gave status ${reply.status}`), notices: [] };
      }
      throw new BenchError({
        code: 'unreachable',
        problem: `${target.shown} did not say which models it has: status ${reply.status} to GET ${shownPath(target)}`,
        advice:
          reply.status === 401 || reply.status === 403
            ? 'Give a key that it takes: --api-key-file F, or OPENAI_API_KEY'
            : 'Look at the URL, or name the model yourself: --model M',
      });
    case 'models':
      return chosen({ ...reply, serverKind: await kindOf(reply, options) }, target, model);
    default:
      return reply satisfies never;
  }
};

/** By the owner of its models, else by what only one kind of server answers. */
const kindOf = (
  { serverKind }: ModelsReply,
  { target, headers, signal }: AskOptions,
): Promise<string | Unknown> | string | Unknown =>
  isUnknown(serverKind)
    ? findServerKind(path => getText({ load: target.load, path, headers, timeoutMs: KIND_MS_MAX, signal }))
    : serverKind;

const chosen = (
  { ids, serverKind }: ModelsReply,
  target: BenchTarget,
  model: string | undefined,
): ServerAnswer => {
  const [first] = ids;
  if (model !== undefined) {
    const isListed = ids.length === 0 || ids.includes(model);
    const notice = `the server does not list the model ${quoted(model)}; it has ${ids.slice(0, 3).map(quoted).join(', ')}`;
    return { model, serverKind, notices: isListed ? [] : [notice] };
  }
  if (first === undefined) {
    throw new BenchError({
      code: 'unreachable',
      problem: `${target.shown} lists no model`,
      advice: 'Load one there, or name it yourself: --model M',
    });
  }
  const notices =
    ids.length > 1 ? [`the server has ${ids.length} models; this run asks ${quoted(first)}`] : [];
  return { model: first, serverKind, notices };
};

type Reply =
  | { readonly kind: 'no-connection'; readonly reason: string }
  | { readonly kind: 'no-answer'; readonly reason: string }
  | { readonly kind: 'status'; readonly status: number }
  | ModelsReply;

interface ModelsReply {
  readonly kind: 'models';
  readonly ids: readonly string[];
  readonly serverKind: string | Unknown;
}

const getModels = async ({ target, headers, timeoutMs, signal }: AskOptions): Promise<Reply> => {
  const answer = await getText({ load: target.load, path: target.modelsPath, headers, timeoutMs, signal });
  switch (answer.kind) {
    case 'no-connection':
    case 'no-answer':
      return answer;
    case 'answer':
      if (answer.status !== 200) return { kind: 'status', status: answer.status };
      return modelsOf(answer.text);
    default:
      return answer satisfies never;
  }
};

const modelsOf = (text: string): Reply => {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { kind: 'no-answer', reason: 'its list of models is not JSON' };
  }
  const data = isObject(json) ? json['data'] : undefined;
  if (!Array.isArray(data)) return { kind: 'no-answer', reason: 'its list of models has no "data"' };
  const ids = data.flatMap(model =>
    isObject(model) && typeof model['id'] === 'string' ? [model['id']] : [],
  );
  const owners = data.flatMap(model =>
    isObject(model) && typeof model['owned_by'] === 'string' ? [model['owned_by'].toLowerCase()] : [],
  );
  const kinds = owners.map(owner => SERVER_KINDS.get(owner)).filter(kind => kind !== undefined);
  return { kind: 'models', ids, serverKind: kinds[0] ?? unknown('the server does not say') };
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const shownPath = ({ modelsPath }: BenchTarget): string => modelsPath.split('?')[0] ?? '';

const quoted = (model: string): string =>
  JSON.stringify(model.length > 60 ? `${model.slice(0, 60)}…` : model);

/** What servers write into `owned_by` of their models. */
const SERVER_KINDS: ReadonlyMap<string, string> = new Map([
  ['vllm', 'vLLM'],
  ['sglang', 'SGLang'],
  ['llamacpp', 'llama.cpp'],
  ['library', 'Ollama'],
  ['plimsoll-mock', 'Plimsoll mock'],
]);
/** For each of the questions that tell what kind of server it is; they are asked at once. */
const KIND_MS_MAX = 1_000;
