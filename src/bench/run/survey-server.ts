// What a plan needs to know of a server: its model, its kind, and what words cost in its tokens. Found by a single
// machine, or by one agent for all, so that all of them plan the same requests.

import { serverEngine } from '../../core/engine/server-engines.ts';
import type { RunRequests } from '../../core/run/run-requests.ts';
import { isKnown, isUnknown, unknown } from '../../core/unknown.ts';
import { type PromptOptions, sizedPromptOptions } from '../dataset/planned-prompts.ts';
import type { WordCosts } from '../dataset/word-costs.ts';
import { type CalibratedWords, calibrateWords, uncalibrated } from '../target/calibrate-words.ts';
import { oneRequest } from '../target/one-request.ts';
import { queryServer, type ServerAnswer, withApiHeaders } from '../target/query-server.ts';
import { serverFacts } from '../target/server-facts.ts';
import type { BenchTarget } from '../target/target-url.ts';
import type { BenchRequest } from './bench-request.ts';
import { queryTargets } from './target-spread.ts';

export interface ServerSurvey extends ServerAnswer {
  readonly costs: WordCosts;
  readonly calibration: RunRequests['calibration'];
  readonly shortestTokens: RunRequests['shortestTokens'];
}

interface SurveyOptions {
  readonly request: BenchRequest;
  readonly prompts: PromptOptions;
  readonly noncePrefix: string;
  /** Timeouts: for the server to list its models, and for each short request that measures what words cost. */
  readonly settings: { readonly requestMsMax: number; readonly calibrationMsMax: number };
  readonly signal: AbortSignal;
}

/** @throws BenchError `unreachable` when there is no server; the signal's reason. */
export const surveyServer = async (options: SurveyOptions): Promise<ServerSurvey> => {
  const server = await findServer(options);
  const calibrated = await findWordCosts(options, server);
  const look = await lookClosely(options, server, calibrated);
  const notice =
    isUnknown(calibrated.reported) && sizedPromptOptions(options.prompts) !== undefined
      ? [wordNotice(calibrated.reported.reason)]
      : [];
  return {
    ...server,
    reported: withFingerprint(server.reported, look.fingerprint, options.request),
    notices: [...server.notices, ...notice],
    costs: calibrated.costs,
    calibration: calibrated.reported,
    shortestTokens: look.shortestTokens,
  };
};

/** Facts from one short request: what the shortest prompt costs, and the server's name of its build. */
const lookClosely = async (
  { request, noncePrefix, signal }: SurveyOptions,
  { model, serverKind }: ServerAnswer,
  calibrated: CalibratedWords,
): Promise<Look> => {
  if (isKnown(calibrated.reported))
    return { shortestTokens: Math.ceil(calibrated.costs.shortTokens), fingerprint: calibrated.fingerprint };
  const { api, target, targets, warmup, hasNonce } = request;
  const isWanted =
    isKnown(serverKind) && serverEngine(serverKind)?.cachesTemplates === true && targets === undefined;
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
  /** '' if there is none. */
  readonly fingerprint: string;
}

/** First, since it identifies this build and these settings. */
const withFingerprint = (
  reported: ServerAnswer['reported'],
  fingerprint: string,
  { headers, api }: BenchRequest,
): ServerAnswer['reported'] =>
  fingerprint === '' || isUnknown(reported)
    ? reported
    : [
        ...serverFacts(
          [{ from: `POST ${api.root}${api.endpoint}`, json: { system_fingerprint: fingerprint } }],
          headers,
        ),
        ...reported,
      ];

/** Without a warm-up no request is sent before time zero, so the server is not queried either. */
const findServer = async ({ request, settings, signal }: SurveyOptions): Promise<ServerAnswer> => {
  const { target, targets, api, model, warmup, timeouts } = request;
  const headers = withApiHeaders(request.headers, api);
  if (warmup.kind === 'none' && model !== undefined) {
    const reason = unknown('not queried, because of --no-warmup');
    return { model, serverKind: reason, reported: reason, notices: [] };
  }
  const timeoutMs = Math.min(settings.requestMsMax, timeouts.totalMs);
  const query = (requested: BenchTarget): Promise<ServerAnswer> =>
    queryServer({
      api,
      target: requested,
      headers,
      model,
      timeoutMs,
      maySend: warmup.kind !== 'none',
      signal,
    });
  return targets === undefined ? await query(target) : await queryTargets(targets, query);
};

/** Only if generated prompts are requested in tokens: nothing else depends on what words cost. */
const findWordCosts = async (
  { request, prompts, noncePrefix, settings, signal }: SurveyOptions,
  { model }: ServerAnswer,
): Promise<CalibratedWords> => {
  const options = sizedPromptOptions(prompts);
  if (options === undefined) return uncalibrated('no prompts of a length in tokens were requested');
  if (prompts.documents !== undefined)
    return uncalibrated('a server of rankings counts a query and its documents together');
  if (request.warmup.kind === 'none')
    return uncalibrated('--no-warmup lets no request go out before time zero');
  return await calibrateWords({
    ...request,
    headers: withApiHeaders(request.headers, request.api),
    model,
    options,
    added: request.requests.fields,
    noncePrefix: request.hasNonce || request.depth !== undefined ? noncePrefix : undefined,
    timeoutMs: Math.min(settings.calibrationMsMax, request.timeouts.totalMs),
    signal,
  });
};

const wordNotice = (reason: string): string =>
  `prompts have a word for each token, because the server's count of words is not known: ${reason}`;
