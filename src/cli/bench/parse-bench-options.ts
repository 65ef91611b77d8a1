// Combines the options of `plimsoll bench`. An option that would have no effect is refused, with what to write instead.

import { resolve } from 'node:path';
import type { BenchRequest, DatasetChoice, RequestSettings, Warmup } from '../../bench/run/bench-request.ts';
import { RUN_OPTIONS } from '../../bench/run/run-options.ts';
import type { ServerApi } from '../../bench/target/api/server-api.ts';
import { apisOfPath, SERVER_APIS, serverApi } from '../../bench/target/api/server-apis.ts';
import { formatCount } from '../../core/figure/figure.ts';
import { type Parsed, parsed, wrong } from '../../core/figure/parse-figure.ts';
import type { JsonObject } from '../../core/json.ts';
import { isSet, type Option, type OptionReader, optionValues } from '../../core/option/option.ts';
import { MIXED_MODELS_MAX, MIXED_SHARE_MIN, type ModelMix } from '../../core/run/model-mix.ts';
import {
  isOfSessionRuns,
  OBJECTIVES_MAX,
  type Objective,
  objectiveName,
  objectiveSeries,
} from '../../core/run/objective.ts';
import { isOpenLoop, type RunPattern } from '../../core/run/run-pattern.ts';
import { seriesRow } from '../../core/run/run-series.ts';
import { shellCommand } from '../../core/text/shell-words.ts';
import type { Invocation } from '../command.ts';
import { usage } from '../command-error.ts';
import { requestedArrival } from './arrival-options.ts';
import { BENCH } from './bench-options.ts';
import { cancelPolicy } from './cancel-options.ts';
import { checkFields } from './check-options.ts';
import { imageDatasetOptions } from './image-options.ts';
import type { LoadStages } from './load-stages.ts';
import { nameAndTags } from './name-options.ts';
import { requestSettingsOf } from './request-options.ts';
import { sessionDatasetOptions } from './session-options.ts';
import { runShape, stagesPattern } from './shape-options.ts';
import { graceShape, stopRules } from './stop-options.ts';
import { timeoutsOf } from './timeout-options.ts';
import { tokenizerChoice } from './tokenizer-option.ts';
import { apiOfUrls, refuseUrls, targetsOfUrls } from './url-options.ts';

/** Without headers, which need files to be read. */
export type ParsedBenchOptions = Omit<BenchRequest, 'headers'>;

/** @throws CommandError `usage`. */
export const parseBenchOptions = (
  invocation: Invocation,
  cwd: string,
  stages?: LoadStages,
): ParsedBenchOptions => {
  const given = <T>(option: Option<T>): T => invocation.option(option);
  const urls = targetsOfUrls(invocation, cwd);
  const api = apiOf(urls, given(BENCH.api));
  const pattern = patternOf(given, stages);
  const isStreaming = streamingOf(api, given(BENCH.streaming));
  const isReplay = given(BENCH.trace) !== undefined;
  const shape = runShape(invocation, pattern, stages, isReplay);
  const { sessions, sessionsMax, ...ofSessions } = sessionDatasetOptions(given, {
    pattern,
    api,
    hasDataset: given(BENCH.dataset) !== undefined,
    isMoving: shape.rampMs > 0 || shape.warmupMs > 0 || shape.steps.length > 0,
    isReplay,
  });
  const requests = given(BENCH.requests);
  const samplesMax = sessionsMax ?? requests;
  const duration = given(BENCH.duration);
  const stagesMs = stages?.steps.reduce((sum, { durationMs }) => sum + durationMs, 0);
  refuseUrls(urls, [
    ...(parseMix(given(BENCH.model) ?? '').kind === 'ok' && modelsOf(given(BENCH.model)).models !== undefined
      ? ['--model with several']
      : []),
    ...(given(BENCH.profile) === undefined ? [] : ['--profile']),
    ...(given(BENCH.facts) === undefined ? [] : ['--facts']),
    ...(given(BENCH.tokenizer) === 'server' ? ['--tokenizer server'] : []),
    ...elsewhere(given),
  ]);
  if (api.ranksDocuments !== true && given(BENCH.documents) !== undefined)
    throw usage(`--documents has no effect with the API ${api.name}`, 'Add --api rerank, or leave it out.');
  const durationMs = samplesMax === undefined ? (stagesMs ?? duration ?? DURATION_MS) : undefined;
  return {
    ...urls,
    api,
    ...modelsOf(given(BENCH.model)),
    pattern,
    shape: { ...shape, ...ofSessions.shape, ...graceShape(invocation, durationMs) },
    sessions,
    samplesMax,
    durationMs,
    ...nameAndTags(invocation),
    dataset: datasetOf(given, cwd),
    ...systemPromptOf(given, cwd),
    requests: withFields(requestSettingsOf(given, { cwd }), checkFields(invocation, { api, cwd })),
    ...optionValues(RUN_OPTIONS, given),
    isStreaming,
    timeouts: timeoutsOf(given),
    stopRules: stopRules(invocation),
    ...imageDatasetOptions(invocation, { api, cwd }),
    ...tokenizerChoice(invocation, {
      api,
      cwd,
      others: given(BENCH.noWarmup) && given(BENCH.tokenizer) === 'server' ? ['--no-warmup'] : [],
    }),
    ...cancelPolicy(invocation),
    warmup: warmupOf(given),
    objectives: requestedObjectives(
      {
        slo: given(BENCH.slo).flat(),
        isAttainmentSet: isSet(invocation, BENCH.attainment),
      },
      { pattern, isStreaming, hasSessions: sessions !== undefined || isReplay },
    ),
  };
};

/** The load is made by other machines. */
const elsewhere = (given: OptionReader): readonly string[] => [
  ...(given(BENCH.from) === undefined ? [] : ['--from']),
  ...(given(BENCH.agents) === undefined ? [] : ['--agents']),
];

/** Fields given with --body take precedence over those that other options set. */
const withFields = (options: RequestSettings, fields: JsonObject): RequestSettings => ({
  ...options,
  fields: { ...fields, ...options.fields },
});

const modelsOf = (given: string | undefined): Pick<ParsedBenchOptions, 'model' | 'models'> => {
  const mix = given === undefined ? undefined : parseMix(given);
  if (mix?.kind === 'wrong') throw usage(`--model: ${mix.problem}`, mix.advice);
  const models = mix?.value;
  return models === undefined ? { model: given } : { model: models[0]?.model, models };
};

/** The API given as an option, or else that of the URL's endpoint. */
const apiOf = (
  { target, targets = [{ target, weight: 1 }] }: Pick<ParsedBenchOptions, 'target' | 'targets'>,
  given: string | undefined,
): ServerApi => {
  const paths = targets.map(each => each.target.path);
  const ofUrl = apiOfUrls(paths);
  if (given === undefined || given === 'auto') return ofUrl ?? SERVER_APIS[0];
  const isOfUrl = paths.every(path => apisOfPath(path).some(({ name }) => name === given));
  if (ofUrl === undefined || isOfUrl) return serverApi(given);
  throw usage(
    `the URL is the endpoint of the API ${ofUrl.name}, and --api is ${given}`,
    'Leave out --api, or give only the URL of the server.',
  );
};

export const streamingOf = (
  { name, canStream }: Pick<ServerApi, 'name' | 'canStream'>,
  given: 'on' | 'off' | undefined,
): boolean => {
  if (canStream) return given !== 'off';
  if (given !== 'on') return false;
  throw usage(`the API ${name} has no streams`, 'Leave out --streaming on.');
};

const patternOf = (given: OptionReader, stages: LoadStages | undefined): RunPattern => {
  const concurrency = given(BENCH.concurrency);
  const rate = given(BENCH.rate);
  const arrival = requestedArrival({ option: given });
  if (stages !== undefined) return stagesPattern(stages, arrival);
  if (rate !== undefined) return { ...(arrival ?? { kind: 'poisson' }), requestsPerSecond: rate };
  if (given(BENCH.maxThroughput)) return { kind: 'max-throughput' };
  return { kind: 'concurrency', concurrency: concurrency ?? CONCURRENCY };
};

const datasetOf = (given: OptionReader, cwd: string): DatasetChoice => {
  const file = given(BENCH.dataset);
  const column = given(BENCH.promptColumn);
  if (file !== undefined) return { kind: 'file', path: resolve(cwd, file), shownPath: file, column };
  return { kind: 'synthetic' };
};

const systemPromptOf = (given: OptionReader, cwd: string): Pick<BenchRequest, 'systemPrompt'> => {
  const text = given(BENCH.systemPrompt);
  if (text === undefined) return {};
  return { systemPrompt: { text, path: resolve(cwd, text) } };
};

const warmupOf = (given: OptionReader): Warmup => {
  const count = given(BENCH.warmup);
  if (!given(BENCH.noWarmup)) return count === undefined ? { kind: 'default' } : { kind: 'requests', count };
  if (given(BENCH.model) === undefined) {
    throw usage(
      '--no-warmup sends no request before time zero, so the model cannot be requested from the server',
      'Give the model: --no-warmup --model M',
    );
  }
  return { kind: 'none' };
};

const DURATION_MS = 30_000;
const CONCURRENCY = 8;

// `--model`: a name as it is sent, or several with weights, each for a share of the requests.

/** undefined: it is one name. Only a list of NAME=WEIGHT is a mix: a name may have a comma or an equals sign of its own. */
export const parseMix = (text: string): Parsed<ModelMix | undefined> => {
  const parts = text.split(',').map(part => /^(.+)=(\d{1,6}(?:\.\d{1,6})?)$/.exec(part.trim()));
  if (parts.length < 2 || parts.includes(null)) return parsed(undefined);
  const mix = parts.map(part => ({ model: part?.[1] ?? '', weight: Number(part?.[2] ?? 0) }));
  if (mix.length > MIXED_MODELS_MAX)
    return wrong(`${mix.length} models are more than ${MIXED_MODELS_MAX}`, 'Use fewer in one run.');
  if (mix.some(({ weight }) => weight === 0))
    return wrong('a model has a weight of 0', 'Leave it out, or give it a weight: --model a=0.7,b=0.3');
  if (new Set(mix.map(({ model }) => model)).size < mix.length)
    return wrong('a model is given twice', 'Give each its whole weight: --model a=0.7,b=0.3');
  const total = mix.reduce((sum, { weight }) => sum + weight, 0);
  const rare = mix.find(({ weight }) => weight / total < MIXED_SHARE_MIN);
  if (rare !== undefined)
    return wrong(
      `${rare.model} would get fewer than one of ${formatCount(1 / MIXED_SHARE_MIN)} requests`,
      'Give it a greater weight, or leave it out.',
    );
  return parsed(mix);
};

// What `--slo` and `--attainment` mean together, and which objectives a run of this kind can have.
/** @throws CommandError `usage`. */
export const requestedObjectives = (
  given: {
    readonly slo: readonly Objective[];
    readonly isAttainmentSet: boolean;
  },
  run: JudgedRun,
): readonly Objective[] => {
  if (given.slo.length > OBJECTIVES_MAX)
    throw usage(`--slo is given ${given.slo.length} times`, `Use at most ${OBJECTIVES_MAX}.`);
  if (given.isAttainmentSet && given.slo.every(({ kind }) => kind !== 'request')) {
    throw usage(
      '--attainment has no effect without an objective of a single request',
      'Write: --slo ttft=500ms --attainment 95%',
    );
  }
  const names = given.slo.map(objectiveName);
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) !== index) throw usage(`--slo ${name} is given twice`, 'Use it once.');
  }
  for (const objective of given.slo) checkAgainst(objective, run);
  return given.slo;
};

interface JudgedRun {
  readonly pattern: RunPattern;
  readonly isStreaming: boolean;
  /** For a trace it is known once the file is read. */
  readonly hasSessions: boolean;
}

const checkAgainst = (objective: Objective, { pattern, isStreaming, hasSessions }: JudgedRun): void => {
  if (objective.kind === 'error-rate') return;
  const name = objectiveName(objective);
  if (!hasSessions && isOfSessionRuns(objective))
    throw usage(
      `--slo ${name} needs sessions: here requests are independent`,
      'Generate chats with --turns 4, play those of a data set with --multi-turn, or use --slo latency.p95=2s.',
    );
  const { runs } = seriesRow(objectiveSeries(objective.name));
  if (!isStreaming && runs.startsWith('streamed')) {
    throw usage(`--slo ${name} needs a stream`, 'Leave out --streaming off, or use --slo latency=2s.');
  }
  if (!isOpenLoop(pattern) && runs.endsWith('scheduled')) {
    throw usage(
      `--slo ${name} needs --rate: without a rate there are no intended send times`,
      `Write: ${shellCommand`--slo ${`${name.replace('-from-intended', '')}=500ms`}`}`,
    );
  }
};
