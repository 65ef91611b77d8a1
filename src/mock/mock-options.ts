// The options of `plimsoll mock` as people write them, read into settings. One table for the command line, its help and
// the documentation.

import { type Parsed, parseDurationMs, parsed, wrong } from '../core/figure/parse-figure.ts';
import { nearest } from '../core/text/nearest.ts';
import { failureNames } from './failures.ts';
import {
  type MockOption,
  mockFlag,
  mockOption,
  readList,
  readNumber,
  readNumbers,
  readOff,
  readOn,
  readSize,
  readText,
  readTokens,
} from './mock-option.ts';
import { type MockSettings, readMockSettings } from './mock-settings.ts';
import { TOKENIZER_NAMES } from './tokenizers.ts';

/** By name without dashes, a flag with ''. Undefined: not given. */
type MockArguments = Readonly<Record<string, string | undefined>>;

/** `problem` and `advice` are one sentence each. */
export const parseMockOptions = (given: MockArguments): Parsed<MockSettings> => {
  const values: Record<string, unknown> = {};
  for (const [name, text] of Object.entries(given)) {
    if (text === undefined) continue;
    const option = BY_NAME.get(name);
    if (option === undefined) return unknownOption(name);
    const result = option.read(text);
    if (result.kind === 'wrong') return wrong(`--${name}: ${result.problem}`, result.advice);
    values[option.key] = result.value;
  }
  if (given['fail-every'] !== undefined && given['fail'] === undefined)
    return wrong(
      '--fail-every says which requests fail, and none does',
      'Add how: --fail any --fail-every 3.',
    );
  const result = readMockSettings(values);
  if (result.kind === 'ok') return parsed(result.settings);
  const option = MOCK_OPTIONS.find(({ key, name }) => key === result.key && given[name] !== undefined);
  if (option === undefined) return wrong(withOptionNames(result.problem), 'Leave one of them out.');
  if (option.key === 'failure') return unknownFailure(given[option.name] ?? '');
  return wrong(`--${option.name} ${result.problem}`, option.meaning);
};

export const MOCK_OPTIONS: readonly MockOption[] = [
  mockOption('host', 'ADDRESS', 'host', readText, 'Where to listen. Default: 127.0.0.1.'),
  mockOption('port', 'N', 'port', readNumber, 'The port to listen on. Default: any free port.'),
  mockOption('socket', 'PATH', 'socketPath', readText, 'Listen on this Unix socket instead of a port.'),
  mockOption('seed', 'N', 'seed', readNumber, 'Seed of everything random. Default: 1.'),
  mockOption('model', 'NAME,…', 'models', readList, 'The models it serves. Default: mock-model.'),
  mockOption('ttft', 'DURATION', 'ttftMs', parseDurationMs, 'The time to the first token. Default: 50ms.'),
  mockOption('gap', 'DURATION', 'gapMs', parseDurationMs, 'The time between chunks. Default: 10ms.'),
  mockOption(
    'jitter',
    'SHARE',
    'jitter',
    readNumber,
    '0 to 1: how much each wait may vary, drawn from the seed. Default: 0.',
  ),
  mockOption(
    'output-tokens',
    'N|A..B',
    'outputTokens',
    readTokens,
    'The length of each answer, fixed or drawn from a range. Default: 100.',
  ),
  mockOption('tokens-per-chunk', 'N', 'tokensPerChunk', readNumber, 'Tokens in each chunk. Default: 1.'),
  mockOption(
    'reasoning-tokens',
    'N',
    'reasoningTokens',
    readNumber,
    'How many of the output tokens are reasoning. Default: 0.',
  ),
  mockOption(
    'tool-calls',
    'N',
    'toolCalls',
    readNumber,
    'Answer with this many tool calls instead of text. Default: 0.',
  ),
  mockOption(
    'tokenizer',
    TOKENIZER_NAMES.join('|'),
    'tokenizer',
    readText,
    'How prompt tokens are counted; see docs/mock.md. Default: words.',
  ),
  mockOption(
    'template-tokens',
    'N',
    'templateTokens',
    readNumber,
    'What a chat template adds to each message of a prompt. Default: 0.',
  ),
  mockOption(
    'finish-reason',
    'REASON',
    'finishReason',
    readText,
    'The finish reason to report. Default: stop, length or tool_calls, whichever applies.',
  ),
  mockOption(
    'concurrency',
    'N',
    'concurrencyMax',
    readNumber,
    'Requests handled at a time; others wait. Default: no limit.',
  ),
  mockOption(
    'prefill',
    'N',
    'prefillTokensPerSecond',
    readNumber,
    'Prompt tokens read a second, before the first token. Default: all at once.',
  ),
  mockOption(
    'context-gap',
    'DURATION',
    'contextGapMs',
    parseDurationMs,
    'What each 1,000 tokens of context add to a gap. Default: nothing.',
  ),
  mockFlag(
    'prefix-cache',
    'keepsPrefixes',
    readOn,
    'Keep what was read of prompts, and report it as cached.',
  ),
  mockOption(
    'cached',
    'SHARE',
    'cachedShare',
    readNumber,
    'Report this share of each prompt as cached. Default: 0.',
  ),
  mockOption(
    'predicted',
    'SHARE',
    'predictedShare',
    readNumber,
    'Report this share of each answer as speculative tokens. Default: 0.',
  ),
  mockFlag('cache-answers', 'cachesAnswers', readOn, 'Answer a prompt that was answered before at once.'),
  mockFlag(
    'cache-alike',
    'cachesDuplicates',
    readOn,
    'As --cache-answers, also for a prompt that differs only in its nonce.',
  ),
  mockFlag('end-early', 'endsEarly', readOn, 'End answers early, even with min_tokens and ignore_eos.'),
  mockOption(
    'answer-as',
    'NAME',
    'answersAs',
    readText,
    'Name this model in replies. Default: the requested one.',
  ),
  mockOption(
    'other-requests',
    'N',
    'otherRequests',
    readNumber,
    'Report this many requests of other clients in the metrics. Default: 0.',
  ),
  mockOption(
    'preempt-every',
    'N',
    'preemptEvery',
    readNumber,
    'Report a preemption for every Nth request in the metrics. Default: none.',
  ),
  mockOption(
    'swapped',
    'N',
    'swappedRequests',
    readNumber,
    'Report this many swapped requests in the metrics. Default: 0.',
  ),
  mockOption('metrics-bytes', 'SIZE', 'metricsBytes', readSize, 'Pad the page of metrics to this size.'),
  mockOption(
    'event-bytes',
    'SIZE',
    'eventBytes',
    readSize,
    'Pad each event to this size. Default: as short as it is.',
  ),
  mockOption(
    'chunk-bytes',
    'SIZE',
    'chunkBytes',
    readSize,
    'Split events into HTTP chunks of this size. Default: one chunk each.',
  ),
  mockOption(
    'events-per-write',
    'N',
    'eventsPerWrite',
    readNumber,
    'Send this many events at once. Default: 1.',
  ),
  mockOption(
    'writes-per-event',
    'N',
    'writesPerEvent',
    readNumber,
    'Split each event over this many writes. Default: 1.',
  ),
  mockFlag('split-utf8', 'splitsUtf8', readOn, 'Split events inside a multi-byte character.'),
  mockFlag('no-role-delta', 'hasRoleDelta', readOff, 'Omit the first chunk, which only has a role.'),
  mockOption('usage', 'asked|always|never', 'usage', readText, 'When usage is reported. Default: asked.'),
  mockFlag('no-done', 'hasDone', readOff, 'Omit [DONE] after the finish reason.'),
  mockOption('framing', 'lf|crlf|cr', 'framing', readText, 'Line ends of events. Default: lf.'),
  mockFlag('no-space', 'hasSpaceAfterData', readOff, 'Write "data:{" instead of "data: {".'),
  mockFlag('comments', 'hasComments', readOn, 'Put a comment before each event.'),
  mockFlag('multi-line-data', 'hasMultiLineData', readOn, 'Spread the data of each event over two lines.'),
  mockFlag('bom', 'hasBom', readOn, 'Start streams with a byte order mark.'),
  mockOption(
    'transfer',
    'chunked|content-length|close-delimited|http/1.0',
    'transfer',
    readText,
    'How streams are transferred. Default: chunked.',
  ),
  mockFlag('chunk-extensions', 'hasChunkExtensions', readOn, 'Give each HTTP chunk an extension.'),
  mockFlag('trailers', 'hasTrailers', readOn, 'Send trailers after the last chunk.'),
  mockOption(
    'informational',
    'STATUS,…',
    'informational',
    readNumbers,
    '100, 102 and 103 to send before each reply. Default: none.',
  ),
  mockFlag('late-head', 'isHeadEarly', readOff, 'Hold back the headers until the first token.'),
  mockOption(
    'replies-per-connection',
    'N',
    'repliesPerConnection',
    readNumber,
    'Close a connection after this many requests. Default: never.',
  ),
  mockOption(
    'idle-close',
    'DURATION',
    'idleCloseMs',
    parseDurationMs,
    'Close idle connections. Default: 75s; 0s: never.',
  ),
  mockFlag(
    'stamp',
    'stampsWrites',
    readOn,
    'Add read and write times to each chunk, and keep them for plimsoll calibrate.',
  ),
  mockOption(
    'fail',
    'FAILURE',
    'failure',
    readText,
    'How requests fail, or any; see docs/mock.md. Default: none.',
  ),
  mockOption(
    'fail-every',
    'N',
    'failEvery',
    readNumber,
    'Which requests fail: every Nth. Default: 1, all of them.',
  ),
  mockOption('log', 'FILE', 'logFile', readText, 'Append a JSON line for each request.'),
];

const unknownOption = (name: string): Parsed<never> => {
  const meant = nearest(
    name,
    MOCK_OPTIONS.map(known => known.name),
  );
  return wrong(
    `there is no option --${name}`,
    meant === undefined ? 'See `plimsoll mock --help`.' : `Did you mean --${meant}?`,
  );
};

const unknownFailure = (name: string): Parsed<never> => {
  const meant = nearest(name, failureNames());
  return wrong(
    `--fail: the mock has no failure ${JSON.stringify(name)}`,
    meant === undefined
      ? 'docs/mock.md lists them; `--fail any` is each in its turn.'
      : `Did you mean ${meant}?`,
  );
};

/** The schema names settings; people use options. */
const withOptionNames = (problem: string): string =>
  MOCK_OPTIONS.reduce((reported, { key, name }) => reported.replaceAll(key, `--${name}`), problem);

const BY_NAME: ReadonlyMap<string, MockOption> = new Map(MOCK_OPTIONS.map(known => [known.name, known]));
