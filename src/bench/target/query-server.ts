// Requests the list of models from a target, which also shows what kind of server it is. One request, before the run,
// on its own connection and past every proxy.

import { SERVER_ENGINES, serverEngine } from '../../core/engine/server-engines.ts';
import { counted } from '../../core/figure/figure.ts';
import { isJsonObject, parseAnyJson } from '../../core/json.ts';
import { failureAdvice, OFFERED_MODELS_MAX } from '../../core/run/failure-advice.ts';
import type { ServerReported } from '../../core/run/provenance.ts';
import { isUnknown, type Reported, type Unknown, unknown } from '../../core/unknown.ts';
import { BenchError } from '../bench-error.ts';
import type { ModelList, ServerApi } from './api/server-api.ts';
import { fetchText, type TextAnswer } from './fetch-text.ts';
import { findMetricsPage, pageNextTo } from './find-metrics-page.ts';
import type { HeaderField } from './load-target.ts';
import { cacheConfigOf, serverFacts } from './server-facts.ts';
import { pagePath } from './server-pages.ts';
import { type BenchTarget, modelsPath } from './target-url.ts';

interface ServerQuestion {
  readonly api: ServerApi;
  readonly target: BenchTarget;
  readonly headers: readonly HeaderField[];
  /** The model given with --model. */
  readonly model: string | undefined;
  readonly timeoutMs: number;
  /** Whether a request may be sent to find out which server this is. */
  readonly maySend?: boolean;
  readonly signal: AbortSignal;
}

export interface ServerAnswer {
  readonly model: string;
  readonly serverKind: string | Unknown;
  /** One for each of several servers. */
  readonly serverKinds?: readonly (string | Unknown)[];
  /** The models in its list, if they differ from that one. */
  readonly offeredModels?: readonly string[];
  /** Its version and settings. */
  readonly reported: Reported<readonly ServerReported[]>;
  readonly notices: readonly string[];
  /** Path of its metrics page. Missing: not searched, and it is the server's default. */
  readonly metricsPath?: Reported<string>;
}

/**
 * @throws BenchError `unreachable` when there is no server, or when no model was given and the server does not report
 * one.
 */
export const queryServer = async (question: ServerQuestion): Promise<ServerAnswer> => {
  const { api, target, model, signal } = question;
  const reply = await getModels(question);
  signal.throwIfAborted();
  switch (reply.kind) {
    case 'no-connection':
      throw new BenchError({
        code: 'unreachable',
        problem: `${target.shown} cannot be reached: ${reply.reason}`,
        advice: reply.advice,
      });
    case 'no-answer':
      if (model !== undefined) return unqueried(model, reply.reason);
      throw new BenchError({
        code: 'unreachable',
        problem: `${target.shown} did not list its models: ${reply.reason}`,
        advice: 'Check the URL, or name the model yourself: --model M',
      });
    case 'status':
      if (model !== undefined) {
        return unqueried(model, `GET ${api.models.path} returned status ${reply.status}`);
      }
      throw new BenchError({
        code: 'unreachable',
        problem: `${target.shown} did not list its models: status ${reply.status} to GET ${modelsPath({ ...target, query: '' }, api)}`,
        advice: statusAdvice(reply.status, target),
      });
    case 'models': {
      const serverKind = await kindOf(reply, question);
      const choice = chosen({ ids: reply.ids, serverKind }, target, model);
      const metricsPath = await findMetricsPage({
        ...question,
        model: choice.model,
        ids: reply.ids,
        maySend: question.maySend === true && isUsable(choice.model, reply.ids),
      });
      const reported = await reportedOf(reply, question, { ...choice, serverKind, metricsPath });
      const notices = isUnknown(metricsPath) ? [...choice.notices, metricsPath.reason] : choice.notices;
      return { ...choice, ...offeredBy(reply, choice.model), notices, serverKind, reported, metricsPath };
    }
    default:
      return reply satisfies never;
  }
};

/** The same advice as for requests that fail because a server is down or busy. */
const statusAdvice = (status: number, { shown }: BenchTarget): string => {
  if (status === 401 || status === 403)
    return 'Provide a key that it accepts: --api-key-file F, or OPENAI_API_KEY';
  const context = { target: shown, api: unknown('not known yet'), model: unknown('not known yet') };
  const advice =
    status === 429 || status >= 500
      ? failureAdvice({ kind: 'http-status', statusCode: status, example: '' }, context)
      : '';
  return advice === '' ? 'Check the URL, or name the model yourself: --model M' : advice;
};

/** By the owner of its models, else by a page that only one kind of server has. */
const kindOf = (
  { serverKind }: ModelList,
  { api, target, headers, signal }: ServerQuestion,
): Promise<string | Unknown> | string | Unknown =>
  isUnknown(serverKind)
    ? findServerKind(path =>
        fetchText({
          server: target.server,
          path: pagePath(target, path, api),
          headers,
          timeoutMs: KIND_MS_MAX,
          signal,
        }),
      )
    : serverKind;

/** A request for a model that the server does not list would only fail. */
const isUsable = (model: string, ids: readonly string[]): boolean => ids.includes(model);

const unqueried = (model: string, reason: string): ServerAnswer => ({
  model,
  serverKind: unknown(reason),
  reported: unknown(reason),
  notices: [],
});

/** Its entry in the list of models, and the page with its settings if its kind has one. */
const reportedOf = async (
  { json, server }: ListReply,
  { api, target, headers, signal }: ServerQuestion,
  {
    model,
    serverKind,
    metricsPath,
  }: Pick<ServerAnswer, 'model' | 'serverKind'> & { readonly metricsPath: Reported<string> },
): Promise<readonly ServerReported[]> => {
  const list = isJsonObject(json) ? (json['data'] ?? json['models']) : undefined;
  const models = Array.isArray(list) ? list.filter(isJsonObject) : [];
  const entry = models.find(({ id, name }) => id === model || name === model);
  const page = isUnknown(serverKind) ? undefined : serverEngine(serverKind)?.settingsPath;
  const path = page === undefined ? undefined : pagePath(target, page, api);
  const request = (requested: string | undefined): Promise<TextAnswer | undefined> =>
    requested === undefined
      ? Promise.resolve(undefined)
      : fetchText({ server: target.server, path: requested, headers, timeoutMs: KIND_MS_MAX, signal });
  const elsewhere = page === undefined || isUnknown(metricsPath) ? undefined : pageNextTo(metricsPath, page);
  const fetchSettings = async (): Promise<TextAnswer | undefined> => {
    const below = await request(path);
    return elsewhere === path || pageOf(below) !== undefined ? below : await request(elsewhere);
  };
  const hasInfo = serverKind === 'vLLM' && !isUnknown(metricsPath);
  const [answer, metrics] = await Promise.all([fetchSettings(), request(hasInfo ? metricsPath : undefined)]);
  signal.throwIfAborted();
  const settings = pageOf(answer);
  const metricsText = metrics?.kind === 'answer' && metrics.status === 200 ? metrics.text : '';
  return serverFacts(
    [
      { from: 'header "server"', json: server === '' ? undefined : { server } },
      { from: `GET ${withoutQuery(path)}`, json: settings },
      { from: 'vllm:cache_config_info', json: cacheConfigOf(metricsText) },
      { from: `GET ${api.root}${api.models.path}`, json: entry },
    ],
    headers,
  );
};

const pageOf = (answer: TextAnswer | undefined): unknown =>
  answer?.kind === 'answer' && answer.status === 200 ? parseAnyJson(answer.text) : undefined;

/** Queries may contain keys. */
const withoutQuery = (path = ''): string => path.replace(/\?.*/, '');

const chosen = (
  { ids }: ModelList,
  target: BenchTarget,
  model: string | undefined,
): Pick<ServerAnswer, 'model' | 'notices'> => {
  const [first] = ids;
  if (model !== undefined) {
    // Ollama resolves a name without a tag to its tag `latest`.
    const isListed = ids.length === 0 || ids.includes(model) || ids.includes(`${model}:latest`);
    const notice = `the server does not list the model ${quoted(model)}; it has ${ids.slice(0, 3).map(quoted).join(', ')}`;
    return { model, notices: isListed ? [] : [notice] };
  }
  if (first === undefined) {
    throw new BenchError({
      code: 'unreachable',
      problem: `${target.shown} lists no model`,
      advice: 'Load a model there, or name it yourself: --model M',
    });
  }
  const notices =
    ids.length > 1 ? [`the server has ${counted(ids.length, 'model')}; this run uses ${quoted(first)}`] : [];
  return { model: first, notices };
};

const offeredBy = ({ ids }: ModelList, model: string): Pick<ServerAnswer, 'offeredModels'> =>
  ids.every(id => id === model)
    ? {}
    : { offeredModels: ids.slice(0, OFFERED_MODELS_MAX).map(id => id.slice(0, MODEL_LENGTH_MAX)) };

type Reply =
  | { readonly kind: 'no-connection'; readonly reason: string; readonly advice: string }
  | { readonly kind: 'no-answer'; readonly reason: string }
  | { readonly kind: 'status'; readonly status: number }
  | ListReply;

interface ListReply extends ModelList {
  readonly kind: 'models';
  readonly json: unknown;
  /** The header of that name. */
  readonly server: string;
}

const getModels = async ({ api, target, headers, timeoutMs, signal }: ServerQuestion): Promise<Reply> => {
  const path = modelsPath(target, api);
  const answer = await fetchText({ server: target.server, path, headers, timeoutMs, signal });
  if (answer.kind !== 'answer') return answer;
  if (answer.status !== 200) return { kind: 'status', status: answer.status };
  const json = parseAnyJson(answer.text);
  if (json === undefined) return { kind: 'no-answer', reason: 'its list of models is not JSON' };
  const list = api.models.read(json);
  return isUnknown(list)
    ? { kind: 'no-answer', reason: list.reason }
    : { kind: 'models', ...list, json, server: answer.server };
};

const quoted = (model: string): string =>
  JSON.stringify(model.length > 60 ? `${model.slice(0, 60)}…` : model);

const MODEL_LENGTH_MAX = 300;
/** Timeout for each of the requests that determine the kind of server; they are sent in parallel. */
const KIND_MS_MAX = 1_000;

// The headers that an API requires, in addition to the user's own, which override them.
export const withApiHeaders = (
  given: readonly HeaderField[],
  { headers = [] }: Pick<ServerApi, 'headers'>,
): readonly HeaderField[] => {
  const names = new Set(given.map(({ name }) => name.toLowerCase()));
  return [...headers.filter(({ name }) => !names.has(name)), ...given];
};

// Recognizes the kind of a server by a path that only that kind serves. Requested once before a run, and only if the
// list of models did not show it; for people to read, nothing depends on it.
export type KindAnswer =
  | { readonly kind: 'no-connection' | 'no-answer' }
  | { readonly kind: 'answer'; readonly status: number; readonly text: string; readonly server: string };

/** @param get requests a path of the server; rejects only for an abort. */
export const findServerKind = async (
  get: (path: string) => Promise<KindAnswer>,
): Promise<string | Unknown> => {
  const found = await Promise.all(
    SERVER_ENGINES.map(async ({ sign, name }) => {
      if (sign === undefined) return undefined;
      const answer = await get(sign.path);
      if (answer.kind !== 'answer') return undefined;
      const byHeader = engineOfHeader(answer.server);
      if (byHeader !== undefined) return byHeader;
      if (answer.status !== 200) return undefined;
      const json = parseAnyJson(answer.text);
      return isJsonObject(json) && sign.isOurs(json) ? name : undefined;
    }),
  );
  // In the order of the table: the more specific ones come first.
  return found.find(name => name !== undefined) ?? unknown('the server does not report it');
};

const engineOfHeader = (server: string): string | undefined =>
  SERVER_ENGINES.find(({ header }) => header !== undefined && server.toLowerCase().startsWith(header))?.name;
