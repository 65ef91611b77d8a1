// Every setting of the mock server, once: its type, default and limits, and its option of `plimsoll mock` with what help
// and docs/mock.md state of it. Everything has a default, so `{}` is a healthy server: 50 ms to the first token, then one
// every 10 ms, a hundred of them.

import * as v from 'valibot';
import { type Problem, ProblemError } from '../core/problem.ts';
import { type MockKind, type MockValueOf, schemaOf } from './mock-kinds.ts';

export type MockSettings = {
  readonly [P in keyof typeof MOCK_ROWS]: ValueOf<(typeof MOCK_ROWS)[P]['value']>;
};

export type MockOptions = Partial<MockSettings>;

type ValueOf<Value> = Value extends { readonly choices: readonly (infer Choice)[] }
  ? Choice
  : Value extends { readonly kind: infer K extends MockKind }
    ? MockValueOf<K>
    : never;

export interface MockRow {
  readonly value: MockValue;
  /** undefined: no behaviour that a person chooses. */
  readonly option?: {
    /** Without dashes. */
    readonly name: string;
    /** Where it is not that of its kind. */
    readonly valueName?: string;
    readonly meaning: string;
    /** What the default means, where its value does not show it; '': not mentioned. */
    readonly unset?: string;
  };
}

type MockValue = { readonly default: unknown } & (
  | { readonly kind: 'whole' | 'size'; readonly min?: number; readonly max: number; readonly choices?: never }
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
  | { readonly kind: Exclude<MockKind, 'whole' | 'size' | 'choice'>; readonly choices?: never }
);

export const MOCK_ROWS = {
  host: {
    value: { kind: 'name', default: '127.0.0.1' },
    option: { name: 'host', valueName: 'ADDRESS', meaning: 'Where to listen.' },
  },
  port: {
    value: { kind: 'whole', max: 65_535, default: 0 },
    option: { name: 'port', meaning: 'The port to listen on.', unset: 'any free port' },
  },
  /** '': none. */
  socketPath: {
    value: { kind: 'text', default: '' },
    option: { name: 'socket', valueName: 'PATH', meaning: 'Listen on this Unix socket instead of a port.' },
  },
  seed: {
    value: { kind: 'whole', max: 4_294_967_295, default: 1 },
    option: { name: 'seed', meaning: 'Seed of everything random.' },
  },
  /** The first one answers requests that name none; any `mock-fail-<failure>` is served as well. */
  models: {
    value: { kind: 'names', default: ['mock-model'] },
    option: { name: 'model', meaning: 'The models it serves.' },
  },
  ttftMs: {
    value: { kind: 'duration', default: 50 },
    option: { name: 'ttft', meaning: 'The time to the first token.' },
  },
  gapMs: {
    value: { kind: 'duration', default: 10 },
    option: { name: 'gap', meaning: 'The time between chunks.' },
  },
  /** 0.2: each wait is multiplied by 0.8 to 1.2, by the seed. */
  jitter: {
    value: { kind: 'share', default: 0 },
    option: { name: 'jitter', meaning: '0 to 1: how much each wait may vary, drawn from the seed.' },
  },
  /** A range: drawn for each request from its text and the seed. */
  outputTokens: {
    value: { kind: 'tokens', default: 100 },
    option: { name: 'output-tokens', meaning: 'The length of each answer, fixed or drawn from a range.' },
  },
  tokensPerChunk: {
    value: { kind: 'whole', min: 1, max: 1_000, default: 1 },
    option: { name: 'tokens-per-chunk', meaning: 'Tokens in each chunk.' },
  },
  /** The first of the output tokens are reasoning. */
  reasoningTokens: {
    value: { kind: 'whole', max: 100_000, default: 0 },
    option: { name: 'reasoning-tokens', meaning: 'How many of the output tokens are reasoning.' },
  },
  /** Their arguments are the answer. */
  toolCalls: {
    value: { kind: 'whole', max: 16, default: 0 },
    option: { name: 'tool-calls', meaning: 'Answer with this many tool calls instead of text.' },
  },
  tokenizer: {
    value: { kind: 'choice', choices: ['words', 'pieces', 'bytes'], default: 'words' },
    option: { name: 'tokenizer', meaning: 'How prompt tokens are counted; see docs/mock.md.' },
  },
  templateTokens: {
    value: { kind: 'whole', max: 1_000, default: 0 },
    option: { name: 'template-tokens', meaning: 'What a chat template adds to each message of a prompt.' },
  },
  finishReason: {
    value: { kind: 'nameOrNone', default: '' },
    option: {
      name: 'finish-reason',
      valueName: 'REASON',
      meaning: 'The finish reason to report.',
      unset: 'stop, length or tool_calls, whichever applies',
    },
  },
  concurrencyMax: {
    value: { kind: 'whole', max: 100_000, default: 0 },
    option: { name: 'concurrency', meaning: 'Requests handled at a time; others wait.', unset: 'no limit' },
  },
  prefillTokensPerSecond: {
    value: { kind: 'whole', max: 100_000_000, default: 0 },
    option: {
      name: 'prefill',
      meaning: 'Prompt tokens read a second, before the first token.',
      unset: 'all at once',
    },
  },
  /** Of prompt and answer so far. */
  contextGapMs: {
    value: { kind: 'duration', default: 0 },
    option: {
      name: 'context-gap',
      meaning: 'What each 1,000 tokens of context add to a gap.',
      unset: 'nothing',
    },
  },
  keepsPrefixes: {
    value: { kind: 'flag', default: false },
    option: { name: 'prefix-cache', meaning: 'Keep what was read of prompts, and report it as cached.' },
  },
  /** 0: usage does not mention it. */
  cachedShare: {
    value: { kind: 'share', default: 0 },
    option: { name: 'cached', meaning: 'Report this share of each prompt as cached.' },
  },
  /** 0: usage does not mention it. */
  predictedShare: {
    value: { kind: 'share', default: 0 },
    option: { name: 'predicted', meaning: 'Report this share of each answer as speculative tokens.' },
  },
  cachesAnswers: {
    value: { kind: 'flag', default: false },
    option: { name: 'cache-answers', meaning: 'Answer a prompt that was answered before at once.' },
  },
  /** The same for a prompt that differs only in the mark that makes it unique, as with a semantic cache. */
  cachesDuplicates: {
    value: { kind: 'flag', default: false },
    option: {
      name: 'cache-alike',
      meaning: 'As --cache-answers, also for a prompt that differs only in its nonce.',
    },
  },
  endsEarly: {
    value: { kind: 'flag', default: false },
    option: { name: 'end-early', meaning: 'End answers early, even with min_tokens and ignore_eos.' },
  },
  answersAs: {
    value: { kind: 'nameOrNone', default: '' },
    option: { name: 'answer-as', meaning: 'Name this model in replies.', unset: 'the requested one' },
  },
  otherRequests: {
    value: { kind: 'whole', max: 100_000, default: 0 },
    option: { name: 'other-requests', meaning: 'Report this many requests of other clients in the metrics.' },
  },
  /** Each n-th request was preempted once. */
  preemptEvery: {
    value: { kind: 'whole', max: 1_000_000, default: 0 },
    option: {
      name: 'preempt-every',
      meaning: 'Report a preemption for every Nth request in the metrics.',
      unset: 'none',
    },
  },
  /** Moved out of the KV cache. */
  swappedRequests: {
    value: { kind: 'whole', max: 100_000, default: 0 },
    option: { name: 'swapped', meaning: 'Report this many swapped requests in the metrics.' },
  },
  metricsBytes: {
    value: { kind: 'size', max: 16_777_216, default: 0 },
    option: { name: 'metrics-bytes', meaning: 'Pad the page of metrics to this size.', unset: '' },
  },
  /** Of events with content, blank line included. */
  eventBytes: {
    value: { kind: 'size', max: 65_536, default: 0 },
    option: { name: 'event-bytes', meaning: 'Pad each event to this size.', unset: 'as short as it is' },
  },
  chunkBytes: {
    value: { kind: 'size', max: 1_048_576, default: 0 },
    option: {
      name: 'chunk-bytes',
      meaning: 'Split events into HTTP chunks of this size.',
      unset: 'one chunk each',
    },
  },
  eventsPerWrite: {
    value: { kind: 'whole', min: 1, max: 1_000, default: 1 },
    option: { name: 'events-per-write', meaning: 'Send this many events at once.' },
  },
  writesPerEvent: {
    value: { kind: 'whole', min: 1, max: 1_000, default: 1 },
    option: { name: 'writes-per-event', meaning: 'Split each event over this many writes.' },
  },
  splitsUtf8: {
    value: { kind: 'flag', default: false },
    option: { name: 'split-utf8', meaning: 'Split events inside a multi-byte character.' },
  },
  hasRoleDelta: {
    value: { kind: 'flag', default: true },
    option: { name: 'no-role-delta', meaning: 'Omit the first chunk, which only has a role.' },
  },
  /** asked: only with stream_options.include_usage, and in whole completions. */
  usage: {
    value: { kind: 'choice', choices: ['asked', 'always', 'never'], default: 'asked' },
    option: { name: 'usage', meaning: 'When usage is reported.' },
  },
  hasDone: {
    value: { kind: 'flag', default: true },
    option: { name: 'no-done', meaning: 'Omit [DONE] after the finish reason.' },
  },
  framing: {
    value: { kind: 'choice', choices: ['lf', 'crlf', 'cr'], default: 'lf' },
    option: { name: 'framing', meaning: 'Line ends of events.' },
  },
  hasSpaceAfterData: {
    value: { kind: 'flag', default: true },
    option: { name: 'no-space', meaning: 'Write "data:{" instead of "data: {".' },
  },
  hasComments: {
    value: { kind: 'flag', default: false },
    option: { name: 'comments', meaning: 'Put a comment before each event.' },
  },
  hasMultiLineData: {
    value: { kind: 'flag', default: false },
    option: { name: 'multi-line-data', meaning: 'Spread the data of each event over two lines.' },
  },
  hasBom: {
    value: { kind: 'flag', default: false },
    option: { name: 'bom', meaning: 'Start streams with a byte order mark.' },
  },
  transfer: {
    value: {
      kind: 'choice',
      choices: ['chunked', 'content-length', 'close-delimited', 'http/1.0'],
      default: 'chunked',
    },
    option: { name: 'transfer', meaning: 'How streams are transferred.' },
  },
  hasChunkExtensions: {
    value: { kind: 'flag', default: false },
    option: { name: 'chunk-extensions', meaning: 'Give each HTTP chunk an extension.' },
  },
  hasTrailers: {
    value: { kind: 'flag', default: false },
    option: { name: 'trailers', meaning: 'Send trailers after the last chunk.' },
  },
  /** Sent before every healthy reply, unrequested. A client that expects 100 gets it anyway. */
  informational: {
    value: { kind: 'statuses', default: [] },
    option: { name: 'informational', meaning: '100, 102 and 103 to send before each reply.', unset: 'none' },
  },
  /** false: the head waits for the first token, as with servers that start to answer late. */
  isHeadEarly: {
    value: { kind: 'flag', default: true },
    option: { name: 'late-head', meaning: 'Hold back the headers until the first token.' },
  },
  /** The last of them has `connection: close`. */
  repliesPerConnection: {
    value: { kind: 'whole', max: 1_000_000, default: 0 },
    option: {
      name: 'replies-per-connection',
      meaning: 'Close a connection after this many requests.',
      unset: 'never',
    },
  },
  /** Closed silently. */
  idleCloseMs: {
    value: { kind: 'duration', default: 75_000 },
    option: { name: 'idle-close', meaning: 'Close idle connections.', unset: '75s; 0s: never' },
  },
  stampsWrites: {
    value: { kind: 'flag', default: false },
    option: {
      name: 'stamp',
      meaning: 'Add read and write times to each chunk, and keep them for plimsoll calibrate.',
    },
  },
  failure: {
    value: { kind: 'failure', default: '' },
    option: { name: 'fail', meaning: 'How requests fail, or any; see docs/mock.md.', unset: 'none' },
  },
  /** In order of arrival. */
  failEvery: {
    value: { kind: 'whole', min: 1, max: 1_000_000, default: 1 },
    option: { name: 'fail-every', meaning: 'Which requests fail: every Nth.', unset: '1, all of them' },
  },
  logFile: {
    value: { kind: 'text', default: '' },
    option: { name: 'log', valueName: 'FILE', meaning: 'Append a JSON line for each request.' },
  },
  headTimeoutMs: { value: { kind: 'duration', default: 10_000 } },
  bodyTimeoutMs: { value: { kind: 'duration', default: 60_000 } },
  /** If a reply is not read for this long, the connection is closed. */
  stallTimeoutMs: { value: { kind: 'duration', default: 60_000 } },
} as const;

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

type MockErrorCode = 'bad-option' | 'address-in-use' | 'cannot-listen' | 'log-unusable' | 'did-not-start';

const hasEvery = (settings: object): settings is MockSettings =>
  Object.keys(MOCK_ROWS).every(property => property in settings);

const settingsSchema: v.GenericSchema<unknown, MockSettings> = v.pipe(
  v.strictObject(
    Object.fromEntries(
      Object.entries<MockRow>(MOCK_ROWS).map(([property, { value }]) => [
        property,
        v.optional(schemaOf(value.kind, value), value.default),
      ]),
    ),
  ),
  v.guard((settings): settings is MockSettings & typeof settings => hasEvery(settings)),
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
