// What must be known of a server before requests can be planned: its model, its kind, and what words cost in its tokens.
// Found out by whoever runs alone, or by one agent for all, so that all of them plan the same requests.

import type { RunRequests } from '../../core/run/run-requests.ts';
import { isKnown, isUnknown, unknown } from '../../core/unknown.ts';
import { type PromptWish, sizedWish } from '../dataset/planned-prompts.ts';
import type { WordCosts } from '../dataset/word-costs.ts';
import { withApiHeaders } from '../target/api-headers.ts';
import { askServer, type ServerAnswer } from '../target/ask-server.ts';
import { type CalibratedWords, calibrateWords, uncalibrated } from '../target/calibrate-words.ts';
import { oneRequest } from '../target/one-request.ts';
import { serverFacts } from '../target/server-facts.ts';
import type { BenchTarget } from '../target/target-url.ts';
import type { BenchRequest } from './bench-request.ts';
import { askTargets } from './target-spread.ts';

export interface ServerSurvey extends ServerAnswer {
  readonly costs: WordCosts;
  readonly calibration: RunRequests['calibration'];
  readonly shortestTokens: RunRequests['shortestTokens'];
}

interface SurveyOptions {
  readonly request: BenchRequest;
  readonly prompts: PromptWish;
  readonly noncePrefix: string;
  /** For the server to tell its models, and for each short request that tells what words cost. */
  readonly settings: { readonly askMsMax: number; readonly calibrationMsMax: number };
  readonly signal: AbortSignal;
}

/** @throws BenchError `unreachable` when nobody is there; the signal's reason. */
export const surveyServer = async (options: SurveyOptions): Promise<ServerSurvey> => {
  const server = await findServer(options);
  const words = await findWordCosts(options, server);
  const look = await lookClosely(options, server, words);
  const notice =
    isUnknown(words.told) && sizedWish(options.prompts) !== undefined ? [wordNotice(words.told.reason)] : [];
  return {
    ...server,
    told: withFingerprint(server.told, look.fingerprint, options.request),
    notices: [...server.notices, ...notice],
    costs: words.costs,
    calibration: words.told,
    shortestTokens: look.shortestTokens,
  };
};

/** What one short request shows: what the shortest prompt costs, and what the server calls its build. */
const lookClosely = async (
  { request, noncePrefix, signal }: SurveyOptions,
  { model, serverKind }: ServerAnswer,
  words: CalibratedWords,
): Promise<Look> => {
  if (isKnown(words.told))
    return { shortestTokens: Math.ceil(words.costs.shortTokens), fingerprint: words.fingerprint };
  const { api, target, targets, warmup, hasNonce } = request;
  const isWanted = isKnown(serverKind) && LOOKED_AT.has(serverKind) && targets === undefined;
  const notFound = { shortestTokens: unknown('no short request was sent to find out'), fingerprint: '' };
  if (!isWanted || warmup.kind === 'none' || !api.writesAnswers) return notFound;
  const reply = await oneRequest({
    api,
    target,
    headers: withApiHeaders(request.headers, api),
    model,
    nonce: hasNonce ? `${noncePrefix}00000000` : undefined,
    signal,
  });
  if (reply === undefined) return notFound;
  const { promptTokens, fingerprint } = reply;
  return {
    shortestTokens: promptTokens > 0 ? promptTokens : unknown('the server reports no usage'),
    fingerprint,
  };
};

interface Look {
  readonly shortestTokens: RunRequests['shortestTokens'];
  /** '': none. */
  readonly fingerprint: string;
}

/** First, since it is what the server calls this very build and these settings. */
const withFingerprint = (
  told: ServerAnswer['told'],
  fingerprint: string,
  { headers, api }: BenchRequest,
): ServerAnswer['told'] =>
  fingerprint === '' || isUnknown(told)
    ? told
    : [
        ...serverFacts(
          [{ from: `POST ${api.root}${api.endpoint}`, json: { system_fingerprint: fingerprint } }],
          headers,
        ),
        ...told,
      ];

/** Without a warm-up no request goes out before time zero, so that the server is not asked either. */
const findServer = async ({ request, settings, signal }: SurveyOptions): Promise<ServerAnswer> => {
  const { target, targets, api, model, warmup, timeouts } = request;
  const headers = withApiHeaders(request.headers, api);
  if (warmup.kind === 'none' && model !== undefined) {
    const reason = unknown('not asked, because of --no-warmup');
    return { model, serverKind: reason, told: reason, notices: [] };
  }
  const timeoutMs = Math.min(settings.askMsMax, timeouts.totalMs);
  const ask = (asked: BenchTarget): Promise<ServerAnswer> =>
    askServer({ api, target: asked, headers, model, timeoutMs, maySend: warmup.kind !== 'none', signal });
  return targets === undefined ? await ask(target) : await askTargets(targets, ask);
};

/** Only where tokens are asked for of generated prompts: else nothing depends on what words cost. */
const findWordCosts = async (
  { request, prompts, noncePrefix, settings, signal }: SurveyOptions,
  { model }: ServerAnswer,
): Promise<CalibratedWords> => {
  const wish = sizedWish(prompts);
  if (wish === undefined) return uncalibrated('no prompts of a length in tokens were asked for');
  if (request.warmup.kind === 'none')
    return uncalibrated('--no-warmup lets no request go out before time zero');
  return await calibrateWords({
    ...request,
    headers: withApiHeaders(request.headers, request.api),
    model,
    wish,
    added: request.requests.fields,
    noncePrefix: request.hasNonce || request.depth !== undefined ? noncePrefix : undefined,
    timeoutMs: Math.min(settings.calibrationMsMax, request.timeouts.totalMs),
    signal,
  });
};

const wordNotice = (reason: string): string =>
  `prompts have a word for each token, because the server's count of words is not known: ${reason}`;

/** Engines whose cache of prefixes finds the template of every chat. */
const LOOKED_AT: ReadonlySet<string> = new Set([
  'vLLM',
  'llama.cpp',
  'SGLang',
  'MLX',
  'TGI',
  'Ollama',
  'LM Studio',
]);
