// `plimsoll bench --profile depth`: its options, and what they make of the request. One stream, one request after the other;
// what would change that is refused.

import type { BenchRequest } from '../../bench/run/bench-request.ts';
import { fetchModelLimits } from '../../bench/target/fetch-model-limits.ts';
import {
  DEPTH_OUTPUT_TOKENS,
  DEPTH_PROMPT_TOKENS,
  DEPTH_REPETITIONS_MAX,
  DEPTH_TOKENS_MAX,
  DEPTHS_MAX,
  type DepthPlan,
  depthRequests,
  type SkippedDepth,
  tokensAtDepth,
} from '../../core/depth/depth-plan.ts';
import { type Parsed, parsed, wrong } from '../../core/figure/parse-figure.ts';
import type { LengthRequest } from '../../core/figure/parse-length.ts';
import { isSet, needs, type Option, optionsIn } from '../../core/option/option.ts';
import { wholeNumberFrom } from '../../core/option/option-values.ts';
import { isUnknown, unknown } from '../../core/unknown.ts';
import type { Invocation } from '../command.ts';
import { CommandError, usage } from '../command-error.ts';
import { REQUEST_OPTIONS } from './request-options.ts';

const { choice, valueOr } = optionsIn('Depth profile');

const parseDepths = (text: string): Parsed<readonly number[]> => {
  const parts = text.split(',').map(part => /^(\d{1,9})(k?)$/i.exec(part.trim()));
  const depths = parts.map(part => Number(part?.[1] ?? Number.NaN) * (part?.[2] === '' ? 1 : 1_024));
  if (depths.length > DEPTHS_MAX || depths.some(depth => !(depth <= DEPTH_TOKENS_MAX)))
    return wrong(
      `${JSON.stringify(text.slice(0, 40))} is not a list of at most ${DEPTHS_MAX} depths up to ${DEPTH_TOKENS_MAX} tokens`,
      'Write: --depths 0,4k,16384',
    );
  return parsed([...new Set(depths)].sort((a, b) => a - b));
};

/** In the order of --help. */
export const DEPTH = {
  profile: choice({
    name: 'profile',
    meaning:
      'Measure how fast one stream reads and writes after 0 to 32k tokens of context, as llama-bench does.',
    choices: ['depth'],
  }),
  depths: valueOr({
    name: 'depths',
    fallback: '0,4k,8k,16k,32k',
    rules: [needs({ profile: 'depth' })],
    valueName: 'N,…',
    meaning: 'With --profile depth: tokens of context.',
    parse: parseDepths,
  }),
  repetitions: valueOr({
    name: 'repetitions',
    fallback: '3',
    rules: [needs({ profile: 'depth' })],
    valueName: 'R',
    meaning: 'With --profile depth: how many times each depth is measured.',
    parse: wholeNumberFrom(1, DEPTH_REPETITIONS_MAX),
  }),
};

/** undefined: no profile was asked for. @throws CommandError `usage` for what has no effect, or would spoil one. */
export const depthDatasetOptions = (
  invocation: Invocation,
  options: readonly Option<unknown>[],
): DepthPlan | undefined => {
  if (invocation.option(DEPTH.profile) === undefined) return undefined;
  const strange = options.find(option => !ALLOWED.has(option.name) && isSet(invocation, option));
  if (strange !== undefined)
    throw usage(
      `--${strange.name} and --profile depth cannot be combined`,
      'A profile sends its own requests, one after the other.',
    );
  return {
    depths: invocation.option(DEPTH.depths),
    promptTokens: fixedLength(
      invocation.option(REQUEST_OPTIONS.inputTokens),
      'input-tokens',
      DEPTH_PROMPT_TOKENS,
    ),
    outputTokens: fixedLength(
      invocation.option(REQUEST_OPTIONS.outputTokens),
      'output-tokens',
      DEPTH_OUTPUT_TOKENS,
    ),
    repetitions: invocation.option(DEPTH.repetitions),
    skipped: [],
    ...NOT_REQUESTED,
  };
};

/** The request that a profile makes, without the depths that the server has no room for. @throws CommandError where none is left. */
export const depthRequest = async (
  request: BenchRequest,
  requested: DepthPlan,
  signal: AbortSignal,
): Promise<BenchRequest> => {
  const { target, api, headers, model } = request;
  if (!api.canStream)
    throw usage(
      `--profile depth needs streams, which the API ${api.name} does not have`,
      'Use another API, such as --api chat.',
    );
  const { contextMax, sizeBytes, parameters } = await fetchModelLimits({
    target,
    api,
    headers,
    model,
    signal,
  });
  const skipped = requested.depths.flatMap((depth): readonly SkippedDepth[] => {
    const tokens = tokensAtDepth(depth, requested);
    return isUnknown(contextMax) || tokens <= contextMax
      ? []
      : [{ depth, reason: `the server has room for ${contextMax} tokens, and ${tokens} are needed` }];
  });
  const depths = requested.depths.filter(depth => !skipped.some(each => each.depth === depth));
  if (depths.length === 0)
    throw new CommandError(
      'benchInput',
      `no depth can be measured: ${skipped[0]?.reason ?? 'none was requested'}`,
      'Request less, such as --depths 0,1k --input-tokens 128, or start the server with more context.',
    );
  const depth: DepthPlan = { ...requested, depths, skipped, contextMax, sizeBytes, parameters };
  return {
    ...request,
    depth,
    pattern: { kind: 'concurrency', concurrency: 1 },
    dataset: { kind: 'synthetic' },
    samplesMax: depthRequests(depth).length,
    durationMs: undefined,
    hasNonce: false,
    isStreaming: true,
  };
};

const fixedLength = (options: LengthRequest | undefined, name: string, otherwise: number): number => {
  if (options === undefined) return otherwise;
  if (options.kind === 'fixed') return options.value;
  throw usage(`--${name} of --profile depth is one number`, `Write: --${name} ${otherwise}`);
};

const NOT_REQUESTED = {
  sizeBytes: unknown('not queried before the run'),
  parameters: unknown('not queried before the run'),
  contextMax: unknown('not queried before the run'),
} as const;

/** The options that a depth profile allows: any other would change what is sent, or when. */
const ALLOWED: ReadonlySet<string> = new Set([
  ...['profile', 'depths', 'repetitions', 'input-tokens', 'output-tokens', 'api', 'model', 'temperature'],
  ...['top-p', 'seed-sampling', 'body', 'timeout', 'timeout-connect', 'timeout-first-byte', 'timeout-idle'],
  ...[
    'facts',
    'out',
    'seed',
    'header',
    'header-file',
    'api-key-file',
    'max-failures',
    'events',
    'name',
    'tag',
  ],
  ...['require-trustworthy', 'json', 'quiet', 'home'],
]);
