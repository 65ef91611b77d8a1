// The settings of the mock server. Everything has a default, so `{}` is a healthy server: 50 ms to the first
// token, then one every 10 ms, a hundred of them.

import * as v from 'valibot';
import { type Problem, ProblemError } from '../core/problem.ts';
import { isFailureName } from './failures.ts';
import { TOKENIZER_NAMES, type TokenizerName } from './tokenizers.ts';

export interface MockSettings {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** Used instead of host and port; '': none. */
  readonly socketPath: string;
  readonly seed: number;
  /** The first one answers requests that name none. In addition, any `mock-fail-<failure>` is served. */
  readonly models: readonly string[];

  readonly ttftMs: number;
  readonly gapMs: number;
  /** 0.2: each wait is multiplied by 0.8 to 1.2, by the seed. */
  readonly jitter: number;
  /** A range: drawn for each request from its text and the seed. */
  readonly outputTokens: number | TokenRange;
  readonly tokensPerChunk: number;
  /** The first of the output tokens are reasoning. */
  readonly reasoningTokens: number;
  /** The answer is the arguments of this many calls instead of text. */
  readonly toolCalls: number;
  /** How prompts are counted. */
  readonly tokenizer: TokenizerName;
  /** Tokens of a chat template, added for each message of a prompt. */
  readonly templateTokens: number;
  /** '': stop, or length if max_tokens cut it, or tool_calls if there are any. */
  readonly finishReason: string;
  /** Requests in progress at a time; further ones wait their turn. 0: any number. */
  readonly concurrencyMax: number;

  /** How fast prompts are read, added to the time to the first token. 0: at once. */
  readonly prefillTokensPerSecond: number;
  /** What each 1,000 tokens of context, prompt and answer so far, add to a gap. */
  readonly contextGapMs: number;
  /** A prefix shared with an earlier prompt is not processed again, and is reported as cached. */
  readonly keepsPrefixes: boolean;
  /** Share of each prompt that usage and metrics report as read from a prefix cache. 0: usage does not mention it. */
  readonly cachedShare: number;
  /** Share of each answer that usage and metrics report as speculated and accepted. 0: usage does not mention it. */
  readonly predictedShare: number;
  /** A prompt that was answered before is answered at once. */
  readonly cachesAnswers: boolean;
  /** The same for a prompt that differs only in the mark that makes it unique, as with a semantic cache. */
  readonly cachesDuplicates: boolean;
  /** Answers end by themselves, even with min_tokens or ignore_eos. */
  readonly endsEarly: boolean;
  /** Model name in replies; '': the requested one. */
  readonly answersAs: string;
  /** Requests of other clients, reported in the metrics. */
  readonly otherRequests: number;
  /**
   * Reported in the metrics: each n-th request was preempted once, and so many are moved out of the KV cache. 0:
   * none.
   */
  readonly preemptEvery: number;
  readonly swappedRequests: number;
  /** The page of metrics is padded to this. */
  readonly metricsBytes: number;

  /** Each event with content is padded to this, blank line included. */
  readonly eventBytes: number;
  /** An event is cut into HTTP chunks of at most this many bytes. 0: an event is a chunk. */
  readonly chunkBytes: number;
  readonly eventsPerWrite: number;
  readonly writesPerEvent: number;
  /** Cuts each event inside its first character of more than one byte. */
  readonly splitsUtf8: boolean;
  readonly hasRoleDelta: boolean;
  /** asked: only with stream_options.include_usage, and in whole completions. */
  readonly usage: 'asked' | 'always' | 'never';
  readonly hasDone: boolean;
  readonly framing: 'lf' | 'crlf' | 'cr';
  readonly hasSpaceAfterData: boolean;
  readonly hasComments: boolean;
  readonly hasMultiLineData: boolean;
  readonly hasBom: boolean;

  readonly transfer: 'chunked' | 'content-length' | 'close-delimited' | 'http/1.0';
  readonly hasChunkExtensions: boolean;
  readonly hasTrailers: boolean;
  /** Sent before every healthy reply, unrequested. A client that expects 100 gets it anyway. */
  readonly informational: readonly (100 | 102 | 103)[];
  /** false: the head waits for the first token, as with servers that start to answer late. */
  readonly isHeadEarly: boolean;
  /** The last of this many replies has `connection: close`. 0: never. */
  readonly repliesPerConnection: number;
  /** A connection without a request for this long is closed silently. 0: never. */
  readonly idleCloseMs: number;

  /** Every chunk with content contains when its request was read and when it was written. */
  readonly stampsWrites: boolean;
  /** A name of failures.ts; '' for none. */
  readonly failure: string;
  /** Every n-th completion fails, in order of arrival. */
  readonly failEvery: number;

  /** A line of JSON for each request, appended. '': none. */
  readonly logFile: string;
  readonly headTimeoutMs: number;
  readonly bodyTimeoutMs: number;
  /** If a reply is not read for this long, the connection is closed. */
  readonly stallTimeoutMs: number;
}

interface TokenRange {
  readonly min: number;
  readonly max: number;
}

export type MockOptions = Partial<MockSettings>;

type SettingsResult =
  | { readonly kind: 'ok'; readonly settings: MockSettings }
  /** `key` is undefined if several contradict each other. */
  | { readonly kind: 'wrong'; readonly key: string | undefined; readonly problem: string };

/** Converts options to settings with every default filled in, or returns which is invalid and why. */
export const readMockSettings = (options: unknown): SettingsResult => {
  const result = v.safeParse(settingsSchema, options);
  if (result.success) return { kind: 'ok', settings: result.output };
  const [issue] = result.issues;
  return { kind: 'wrong', key: v.getDotPath(issue)?.split('.')[0], problem: issue.message };
};

/** @throws MockError if an option is invalid. */
export const mockSettings = (options: MockOptions): MockSettings => {
  const result = readMockSettings(options);
  if (result.kind === 'ok') return result.settings;
  throw new MockError('bad-option', `${result.key ?? 'options'}: ${result.problem}`);
};

/** Why a mock server could not start. */
export class MockError extends ProblemError<Problem<MockErrorCode>> {
  override readonly name = 'MockError';

  constructor(code: MockErrorCode, problem: string, options?: ErrorOptions) {
    super({ code, problem, advice: '' }, options);
  }
}

const OUTPUT_TOKENS_MAX = 100_000;

const whole = (minimum: number, maximum: number) =>
  v.pipe(
    v.number('must be a number'),
    v.integer('must be a whole number'),
    v.minValue(minimum, `must be at least ${minimum}`),
    v.maxValue(maximum, `must be at most ${maximum}`),
  );

const milliseconds = v.pipe(
  v.number('must be a number'),
  v.minValue(0, 'must not be negative'),
  v.maxValue(3_600_000, 'must be at most an hour'),
);

const share = v.pipe(
  v.number('must be a number'),
  v.minValue(0, 'must be at least 0'),
  v.maxValue(1, 'must be at most 1'),
);

/** Printable ASCII: it goes into JSON and messages as it is. */
const name = v.pipe(v.string(), v.regex(/^[\x21-\x7e]{1,200}$/, 'must be 1 to 200 printable characters'));

const modelName = v.pipe(
  v.string(),
  v.regex(/^[\x21-\x7e]{1,200}$/, 'needs names of 1 to 200 printable characters without spaces'),
);

const oneOf = <const T extends readonly (string | number)[]>(options: T) =>
  v.picklist(options, `must be one of ${options.join(', ')}`);

const tokens = whole(1, OUTPUT_TOKENS_MAX);

const tokenRange = v.pipe(
  v.strictObject({ min: tokens, max: tokens }),
  v.check(({ min, max }) => min <= max, 'the range ends before it begins'),
);

type MockErrorCode = 'bad-option' | 'address-in-use' | 'cannot-listen' | 'log-unusable' | 'did-not-start';

const settingsSchema: v.GenericSchema<unknown, MockSettings> = v.pipe(
  v.strictObject({
    host: v.optional(name, '127.0.0.1'),
    port: v.optional(whole(0, 65_535), 0),
    socketPath: v.optional(v.string(), ''),
    seed: v.optional(whole(0, 2 ** 32 - 1), 1),
    models: v.optional(
      v.pipe(v.array(modelName), v.minLength(1, 'needs one'), v.maxLength(100, 'too many')),
      ['mock-model'],
    ),
    ttftMs: v.optional(milliseconds, 50),
    gapMs: v.optional(milliseconds, 10),
    jitter: v.optional(share, 0),
    outputTokens: v.optional(
      v.lazy(input => (typeof input === 'object' ? tokenRange : tokens)),
      100,
    ),
    tokensPerChunk: v.optional(whole(1, 1_000), 1),
    reasoningTokens: v.optional(whole(0, OUTPUT_TOKENS_MAX), 0),
    toolCalls: v.optional(whole(0, 16), 0),
    tokenizer: v.optional(oneOf(TOKENIZER_NAMES), 'words'),
    templateTokens: v.optional(whole(0, 1_000), 0),
    finishReason: v.optional(v.union([v.literal(''), name], 'must be printable'), ''),
    concurrencyMax: v.optional(whole(0, 100_000), 0),
    prefillTokensPerSecond: v.optional(whole(0, 100_000_000), 0),
    contextGapMs: v.optional(milliseconds, 0),
    keepsPrefixes: v.optional(v.boolean(), false),
    cachedShare: v.optional(share, 0),
    predictedShare: v.optional(share, 0),
    cachesAnswers: v.optional(v.boolean(), false),
    cachesDuplicates: v.optional(v.boolean(), false),
    endsEarly: v.optional(v.boolean(), false),
    answersAs: v.optional(v.union([v.literal(''), name], 'must be printable'), ''),
    otherRequests: v.optional(whole(0, 100_000), 0),
    preemptEvery: v.optional(whole(0, 1_000_000), 0),
    swappedRequests: v.optional(whole(0, 100_000), 0),
    metricsBytes: v.optional(whole(0, 16_777_216), 0),
    eventBytes: v.optional(whole(0, 65_536), 0),
    chunkBytes: v.optional(whole(0, 1_048_576), 0),
    eventsPerWrite: v.optional(whole(1, 1_000), 1),
    writesPerEvent: v.optional(whole(1, 1_000), 1),
    splitsUtf8: v.optional(v.boolean(), false),
    hasRoleDelta: v.optional(v.boolean(), true),
    usage: v.optional(oneOf(['asked', 'always', 'never']), 'asked'),
    hasDone: v.optional(v.boolean(), true),
    framing: v.optional(oneOf(['lf', 'crlf', 'cr']), 'lf'),
    hasSpaceAfterData: v.optional(v.boolean(), true),
    hasComments: v.optional(v.boolean(), false),
    hasMultiLineData: v.optional(v.boolean(), false),
    hasBom: v.optional(v.boolean(), false),
    transfer: v.optional(oneOf(['chunked', 'content-length', 'close-delimited', 'http/1.0']), 'chunked'),
    hasChunkExtensions: v.optional(v.boolean(), false),
    hasTrailers: v.optional(v.boolean(), false),
    informational: v.optional(v.pipe(v.array(oneOf([100, 102, 103])), v.maxLength(10, 'too many')), []),
    isHeadEarly: v.optional(v.boolean(), true),
    repliesPerConnection: v.optional(whole(0, 1_000_000), 0),
    idleCloseMs: v.optional(milliseconds, 75_000),
    stampsWrites: v.optional(v.boolean(), false),
    failure: v.optional(
      v.pipe(
        v.string(),
        v.check(text => text === '' || isFailureName(text), 'is not a failure of the mock'),
      ),
      '',
    ),
    failEvery: v.optional(whole(1, 1_000_000), 1),
    logFile: v.optional(v.string(), ''),
    headTimeoutMs: v.optional(milliseconds, 10_000),
    bodyTimeoutMs: v.optional(milliseconds, 60_000),
    stallTimeoutMs: v.optional(milliseconds, 60_000),
  }),
  v.check(
    ({ writesPerEvent, splitsUtf8, eventsPerWrite }) =>
      eventsPerWrite === 1 || (writesPerEvent === 1 && !splitsUtf8),
    'eventsPerWrite joins what writesPerEvent and splitsUtf8 cut: use one of them',
  ),
  v.check(
    ({ stampsWrites, chunkBytes }) => !stampsWrites || chunkBytes === 0,
    'chunkBytes would cut the stamps of stampsWrites: use one of them',
  ),
  v.check(
    ({ transfer, chunkBytes, hasChunkExtensions, hasTrailers }) =>
      transfer === 'chunked' || (chunkBytes === 0 && !hasChunkExtensions && !hasTrailers),
    'chunkBytes, hasChunkExtensions and hasTrailers need transfer chunked',
  ),
);
