// Derives the plan of the load threads, and the configuration in the run directory, from the request.

import type { ArrivalStamps } from '../../core/run/arrival-stamps.ts';
import { cancelText } from '../../core/run/cancel-policy.ts';
import { MIXED_REQUESTS_MIN, type ModelMix, mixedOrder, mixText } from '../../core/run/model-mix.ts';
import { objectiveFields } from '../../core/run/objective.ts';
import { type ReportEnvironment, RUN_CONFIG_SCHEMA, type RunConfig } from '../../core/run/report.ts';
import { type RunRequests, WARMUP_TOKENS_MAX } from '../../core/run/run-requests.ts';
import { idleMsMaxOf } from '../../core/run/run-shape.ts';
import { isUnknown, knownOr, type Reported, unknown } from '../../core/unknown.ts';
import { BenchError } from '../bench-error.ts';
import { type PlannedPrompts, promptsSha256 } from '../dataset/planned-prompts.ts';
import { type Prompt, userPrompt } from '../dataset/prompt.ts';
import type { LoadPlan, RequestedMix } from '../load/load-plan.ts';
import type { ReplayPlan } from '../replay/feed-message.ts';
import type { Share } from '../schedule/arrivals.ts';
import { cancellations } from '../schedule/cancellations.ts';
import { loadProfile } from '../schedule/load-profile.ts';
import { checkedAnswers } from '../target/answer-check.ts';
import type { BodySettings, ServerApi } from '../target/api/server-api.ts';
import { type ServerAnswer, withApiHeaders } from '../target/query-server.ts';
import { commonNonce, numberedNonce, requestBodies } from '../target/request-bodies.ts';
import { lengthFieldsFor, type RequestFields } from '../target/request-fields.ts';
import { nonceMark, sessionBodies } from '../target/session-bodies.ts';
import type { CallProvenance } from './bench-parts.ts';
import type { BenchRequest } from './bench-request.ts';
import { connectionsFor, MAX_THROUGHPUT_CONNECTIONS, threadsFor } from './load-size.ts';
import { loadTarget, mixedUrls, shownTarget, targetSpread } from './target-spread.ts';

export interface PlanOptions {
  readonly request: BenchRequest;
  readonly dataset: PlannedPrompts;
  readonly server: ServerAnswer;
  readonly cores: number;
  /** 8 hex digits, random for each run. */
  readonly noncePrefix: string;
  readonly heartbeatMsMax: number;
  readonly share: Share;
  /** Above the number that the pattern opens. */
  readonly connectionsMax?: number;
  /** Addresses of the target's name, if it has several. */
  readonly addresses?: readonly string[] | undefined;
}

export const loadPlan = (options: PlanOptions): LoadPlan => {
  const { request, dataset, server, cores, share } = options;
  const threads = threadsFor(request, cores, share);
  const { prompts, sessions } = dataset;
  const bodySettings = {
    api: request.api,
    model: server.model,
    isStreaming: request.isStreaming,
    fields: fieldsOf(options),
  };
  const inFlightCap = knownOr(request.shape.inFlightCap, undefined);
  const spread = targetSpread(request);
  const primes = primePrompts(options);
  const mixed = request.models === undefined ? undefined : mixedBodies(request.models, dataset, request.seed);
  return {
    target: {
      ...loadTarget(request.target, request.api),
      ...(options.addresses === undefined ? {} : { addresses: options.addresses }),
    },
    ...(spread === undefined ? {} : { spread }),
    headers: withApiHeaders(request.headers, request.api),
    api: request.api.name,
    model: server.model,
    ...checkOf(request),
    ...(request.tokenizer === undefined ? {} : { keepsAnswers: true }),
    ...(mixed === undefined ? {} : { mix: { models: mixed.models, order: mixed.order } }),
    // Sessions build their own requests: these are for the warm-up.
    bodies: requestBodies(
      mixed?.prompts ?? primes ?? (sessions === undefined ? prompts : prompts.slice(0, WARMUP_BODIES)),
      {
        ...bodySettings,
        ...(mixed === undefined ? {} : { modelOf: mixed.modelOf }),
        hasNonce: request.hasNonce && primes === undefined,
        noncePrefix: options.noncePrefix,
        warmupBodies: request.warmup.kind === 'none' ? 0 : (primes?.length ?? WARMUP_BODIES),
      },
    ),
    sessions:
      sessions === undefined || isUnknown(request.shape.sessions)
        ? undefined
        : {
            bodies: sessionBodies(sessions, {
              ...bodySettings,
              noncePrefix: request.hasNonce ? options.noncePrefix : undefined,
              history: request.shape.sessions.history,
              repeatFrom: dataset.repeatFrom,
            }),
            concurrencyOf: request.shape.sessions.concurrencyOf,
          },
    isStreaming: request.isStreaming,
    replay: replayPlan(options, bodySettings),
    pattern: request.pattern,
    course: loadProfile(request.pattern, request.shape, MAX_THROUGHPUT_CONNECTIONS),
    inFlightCap,
    ...idleOf(request),
    share,
    seed: request.seed,
    limits: {
      samplesMax: request.samplesMax,
      durationNs: request.durationMs === undefined ? undefined : Math.round(request.durationMs * 1e6),
    },
    timeouts: request.timeouts,
    ...(request.cancel === undefined ? {} : { cancelAfterMs: cancellations(request.cancel, request.seed) }),
    warmupRequests: warmupRequests(request, threads * targetsOf(request)),
    threads: { load: threads, parse: threads },
    connections: bounded(connectionsFor(request), options.connectionsMax),
    pacing: 'sleep',
    heartbeatMsMax: options.heartbeatMsMax,
  };
};

const replayPlan = (
  { request, dataset, noncePrefix }: PlanOptions,
  {
    api,
    fields,
    ...settings
  }: Pick<BodySettings, 'model' | 'isStreaming' | 'fields'> & { readonly api: ServerApi },
): ReplayPlan | undefined =>
  dataset.replay === undefined
    ? undefined
    : {
        ...dataset.replay,
        ...settings,
        ...fields,
        api: api.name,
        seed: request.seed,
        nonce: request.hasNonce ? commonNonce(noncePrefix) : undefined,
        isOutputInBody: dataset.outputSource === 'body',
      };

const idleOf = ({ shape }: BenchRequest): Pick<LoadPlan, 'idleNsMax'> => {
  const idleMsMax = idleMsMaxOf(shape);
  return idleMsMax === undefined ? {} : { idleNsMax: Math.round(idleMsMax * 1e6) };
};

/** With the nonces that their sessions will have, so that their turns find them in the server's cache. */
const primePrompts = ({ dataset, request, noncePrefix }: PlanOptions): readonly Prompt[] | undefined => {
  const { primes, sessions = [] } = dataset;
  return primes?.map(({ session, piecesBeforeNonce, beforeNonce, afterNonce }) => {
    const firstTurn = sessions.slice(0, session).reduce((sum, { turns }) => sum + turns.length, 0);
    const mark = nonceMark(piecesBeforeNonce);
    const nonce = request.hasNonce
      ? `${mark.before}${numberedNonce(noncePrefix, primes.length + firstTurn)}${mark.after}`
      : '';
    return userPrompt(`${beforeNonce}${nonce}${afterNonce}`, WARMUP_TOKENS_MAX);
  });
};

const checkOf = ({ api, requests }: BenchRequest): Pick<LoadPlan, 'check'> => {
  const check = api.name === 'chat' ? checkedAnswers(requests.fields) : undefined;
  return check === undefined ? {} : { check };
};

interface ConfigOptions {
  readonly request: BenchRequest;
  readonly plan: LoadPlan;
  readonly dataset: PlannedPrompts;
  readonly calibration: RunRequests['calibration'];
  readonly shortestTokens: RunRequests['shortestTokens'];
  readonly server: ServerAnswer;
  readonly stamps: Reported<ArrivalStamps>;
  readonly runId: string;
  readonly startedAt: string;
  readonly command?: Reported<string>;
  readonly version: string;
  readonly environment: ReportEnvironment;
  readonly provenance?: CallProvenance;
}

export const runConfig = ({ request, plan, dataset, server, ...options }: ConfigOptions): RunConfig => ({
  schema: RUN_CONFIG_SCHEMA,
  plimsoll: { version: options.version },
  run: {
    id: options.runId,
    startedAt: options.startedAt,
    target: shownTarget(request),
    ...urlsOf(request, server),
    ...addressesOf(plan),
    serverKind: server.serverKind,
    api: request.api.name,
    model: request.models === undefined ? server.model : mixText(request.models),
    ...(request.models === undefined ? {} : { models: request.models }),
    pattern: request.pattern,
    shape: request.shape,
    name: request.name ?? unknown('not given'),
    tags: request.tags,
    dataset: dataset.description,
    seed: request.seed,
    streaming: request.isStreaming,
    ...(request.cancel === undefined ? {} : { cancelled: cancelText(request.cancel) }),
    warmupRequests: plan.warmupRequests,
    hasNonce: request.hasNonce,
    stamps: options.stamps,
    ...(request.isUnguarded ? { isUnguarded: true as const } : {}),
    ...(request.price.length === 0 ? {} : { price: request.price }),
    ...(request.scenario === undefined ? {} : { scenario: request.scenario }),
    command: options.command ?? unknown('a part of something else'),
    ...(server.offeredModels === undefined ? {} : { offeredModels: server.offeredModels }),
    requests: {
      inputTokens: dataset.inputTokens,
      outputTokens: request.api.writesAnswers ? dataset.outputTokens : unknown('its replies have no tokens'),
      outputSource: dataset.outputSource,
      lengthFields: fieldsOf({ request, dataset, server }).lengthFields,
      warmupTokensMax: WARMUP_TOKENS_MAX,
      calibration: options.calibration,
      shortestTokens: options.shortestTokens,
      prefixes: request.requests.prefixes ?? unknown('none'),
      ...(request.requests.hitRate === undefined ? {} : { hitRate: request.requests.hitRate }),
      body: JSON.stringify(request.requests.fields),
    },
  },
  ...objectiveFields(request.objectives, request.attainment),
  requestLengths: dataset.lengths,
  ...(request.depth === undefined ? {} : { depth: request.depth }),
  environment: options.environment,
  provenance:
    options.provenance === undefined
      ? unknown('not reported by its caller')
      : {
          prompts: {
            sha256: dataset.digest?.sha256 ?? promptsSha256(dataset.prompts),
            count: dataset.digest?.count ?? dataset.prompts.length,
            file: dataset.file ?? unknown('prompts were generated'),
          },
          ...options.provenance,
          server: server.reported,
        },
});

const urlsOf = (request: BenchRequest, server: ServerAnswer): Pick<RunConfig['run'], 'urls'> => {
  const urls = mixedUrls(request, server);
  return urls === undefined ? {} : { urls };
};

/** With a mix, models are distinguished instead. */
const addressesOf = ({ target: { addresses }, mix }: LoadPlan): Pick<RunConfig['run'], 'addresses'> =>
  addresses === undefined || mix !== undefined ? {} : { addresses };

/** The length of answers is checked only if a person requested one. */
const fieldsOf = ({
  request,
  dataset,
  server,
}: Pick<PlanOptions, 'request' | 'dataset' | 'server'>): RequestFields => ({
  lengthFields:
    dataset.outputSource === 'option'
      ? lengthFieldsFor(server.serverKind, request.requests.fields).filter(name =>
          request.api.lengthFields.includes(name),
        )
      : [],
  added: request.requests.fields,
});

/** A run with one URL has one. */
const targetsOf = ({ targets = [] }: BenchRequest): number => Math.max(1, targets.length);

const warmupRequests = ({ warmup }: BenchRequest, threads: number): number => {
  switch (warmup.kind) {
    case 'default':
      return threads;
    case 'requests':
      return warmup.count;
    case 'none':
      return 0;
    default:
      return warmup satisfies never;
  }
};

/** What was opened at first was admitted; open loops open more when arrivals need them. */
const bounded = (
  { opened, max }: LoadPlan['connections'],
  limit: number | undefined,
): LoadPlan['connections'] =>
  limit === undefined ? { opened, max } : { opened, max: Math.min(max, limit), limit };

/** The warm-up cycles through this many prompts, each made unique. */
const WARMUP_BODIES = 64;

// Which model each request of a mix is for.
interface MixedBodies extends RequestedMix {
  readonly prompts: readonly Prompt[];
  readonly modelOf: (index: number) => string;
}

/** Each prompt goes to one model; a small set of prompts is repeated, so that the shares are met. */
const mixedBodies = (models: ModelMix, { prompts, sessions }: PlannedPrompts, seed: number): MixedBodies => {
  if (sessions !== undefined) {
    throw new BenchError({
      code: 'input',
      problem: 'sessions use one model, and --model names several',
      advice: 'Name one of them, or use prompts without sessions.',
    });
  }
  const times = Math.max(1, Math.ceil(MIXED_REQUESTS_MIN / prompts.length));
  const repeated = Array.from({ length: times }, () => prompts).flat();
  const order = mixedOrder(models, repeated.length, seed);
  const names = models.map(({ model }) => model);
  return {
    prompts: repeated,
    order,
    models: names,
    modelOf: (index: number): string => names[order[index] ?? 0] ?? '',
  };
};
