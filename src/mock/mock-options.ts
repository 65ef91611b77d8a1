// The options of `plimsoll mock` as people write them, read into settings. One table for the command line, its help and
// the documentation.

import type { Parsed } from '../core/figure/parse-figure.ts';
import { parseBytes, parseDurationMs, parsed, wrong } from '../core/figure/parse-figure.ts';
import { nearest } from '../core/text/nearest.ts';
import { failureNames } from './failures.ts';
import type { MockSettings } from './mock-settings.ts';
import { readMockSettings } from './mock-settings.ts';
import { TOKENIZER_NAMES } from './tokenizers.ts';

export interface MockOption {
  /** Without dashes. */
  readonly name: string;
  /** undefined for a flag. */
  readonly valueName: string | undefined;
  readonly meaning: string;
  readonly key: keyof MockSettings;
  /** Checked further by the settings' schema. A flag gets ''. */
  readonly read: (text: string) => Parsed<unknown>;
}

/** By name without dashes, a flag with ''. Undefined: not given. */
export type MockArguments = Readonly<Record<string, string | undefined>>;

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

const text = (value: string): Parsed<unknown> => parsed(value);

const number = (value: string): Parsed<unknown> =>
  /^\d{1,40}(\.\d{1,6})?$/.test(value)
    ? parsed(Number(value))
    : wrong(`${JSON.stringify(value)} is not a number`, 'Write a number such as 8.');

const size = (value: string): Parsed<unknown> =>
  /^\d{1,9}$/.test(value) ? parsed(Number(value)) : parseBytes(value);

const tokens = (value: string): Parsed<unknown> => {
  const [, min, max] = /^(\d{1,40})\.\.(\d{1,40})$/.exec(value) ?? [];
  if (min !== undefined && max !== undefined) return parsed({ min: Number(min), max: Number(max) });
  return /^\d{1,40}$/.test(value)
    ? parsed(Number(value))
    : wrong(
        `${JSON.stringify(value)} is not a number of tokens`,
        'Write a number, or a range such as 50..200.',
      );
};

const list = (value: string): Parsed<unknown> => parsed(value.split(',').map(part => part.trim()));
const numbers = (value: string): Parsed<unknown> => parsed(value.split(',').map(Number));

const on = (): Parsed<unknown> => parsed(true);
const off = (): Parsed<unknown> => parsed(false);

const option = (
  name: string,
  valueName: string,
  key: keyof MockSettings,
  read: MockOption['read'],
  meaning: string,
): MockOption => ({ name, valueName, key, read, meaning });

const flag = (
  name: string,
  key: keyof MockSettings,
  read: MockOption['read'],
  meaning: string,
): MockOption => ({
  name,
  valueName: undefined,
  key,
  read,
  meaning,
});

export const MOCK_OPTIONS: readonly MockOption[] = [
  option('host', 'ADDRESS', 'host', text, 'Where to listen. Default: 127.0.0.1.'),
  option('port', 'N', 'port', number, 'Default: any free port.'),
  option('seed', 'N', 'seed', number, 'Seed of everything random. Default: 1.'),
  option('model', 'NAME,…', 'models', list, 'The models it serves. Default: mock-model.'),
  option('ttft', 'DURATION', 'ttftMs', parseDurationMs, 'To the first token. Default: 50ms.'),
  option('gap', 'DURATION', 'gapMs', parseDurationMs, 'Between chunks. Default: 10ms.'),
  option(
    'jitter',
    'SHARE',
    'jitter',
    number,
    '0 to 1: how much each wait may vary, drawn from the seed. Default: 0.',
  ),
  option(
    'output-tokens',
    'N|A..B',
    'outputTokens',
    tokens,
    'For each answer, fixed or drawn from a range. Default: 100.',
  ),
  option('tokens-per-chunk', 'N', 'tokensPerChunk', number, 'Default: 1.'),
  option(
    'reasoning-tokens',
    'N',
    'reasoningTokens',
    number,
    'How many of the output tokens are reasoning. Default: 0.',
  ),
  option(
    'tool-calls',
    'N',
    'toolCalls',
    number,
    'Answer with this many tool calls instead of text. Default: 0.',
  ),
  option(
    'tokenizer',
    TOKENIZER_NAMES.join('|'),
    'tokenizer',
    text,
    'How prompt tokens are counted; see docs/mock.md. Default: words.',
  ),
  option(
    'template-tokens',
    'N',
    'templateTokens',
    number,
    'What a chat template adds to each message of a prompt. Default: 0.',
  ),
  option(
    'finish-reason',
    'REASON',
    'finishReason',
    text,
    'Default: stop, length or tool_calls, whichever applies.',
  ),
  option(
    'concurrency',
    'N',
    'concurrencyMax',
    number,
    'Requests handled at a time; others wait. Default: no limit.',
  ),
  option(
    'prefill',
    'N',
    'prefillTokensPerSecond',
    number,
    'Prompt tokens read a second, before the first token. Default: all at once.',
  ),
  option('cached', 'SHARE', 'cachedShare', number, 'Report this much of each prompt as cached. Default: 0.'),
  option(
    'predicted',
    'SHARE',
    'predictedShare',
    number,
    'Report this much of each answer as guessed ahead. Default: 0.',
  ),
  flag('cache-answers', 'cachesAnswers', on, 'Answer a prompt that was answered before at once.'),
  flag('end-early', 'endsEarly', on, 'End answers whatever min_tokens and ignore_eos say.'),
  option('answer-as', 'NAME', 'answersAs', text, 'Name this model in replies. Default: the one asked for.'),
  option(
    'other-requests',
    'N',
    'otherRequests',
    number,
    'Report so many requests of other clients in the metrics. Default: 0.',
  ),
  option(
    'preempt-every',
    'N',
    'preemptEvery',
    number,
    'Report a preemption for every Nth request in the metrics. Default: none.',
  ),
  option(
    'swapped',
    'N',
    'swappedRequests',
    number,
    'Report so many swapped requests in the metrics. Default: 0.',
  ),
  option('metrics-bytes', 'SIZE', 'metricsBytes', size, 'Pad the page of metrics to this size.'),
  option(
    'event-bytes',
    'SIZE',
    'eventBytes',
    size,
    'Pad each event to this size. Default: as short as it is.',
  ),
  option(
    'chunk-bytes',
    'SIZE',
    'chunkBytes',
    size,
    'Split events into HTTP chunks of this size. Default: one chunk each.',
  ),
  option('events-per-write', 'N', 'eventsPerWrite', number, 'Send this many events at once. Default: 1.'),
  option(
    'writes-per-event',
    'N',
    'writesPerEvent',
    number,
    'Split each event over this many writes. Default: 1.',
  ),
  flag('split-utf8', 'splitsUtf8', on, 'Split events inside a multi-byte character.'),
  flag('no-role-delta', 'hasRoleDelta', off, 'Omit the first chunk, which only has a role.'),
  option('usage', 'asked|always|never', 'usage', text, 'When usage is reported. Default: asked.'),
  flag('no-done', 'hasDone', off, 'Omit [DONE] after the finish reason.'),
  option('framing', 'lf|crlf|cr', 'framing', text, 'Line ends of events. Default: lf.'),
  flag('no-space', 'hasSpaceAfterData', off, 'Write "data:{" instead of "data: {".'),
  flag('comments', 'hasComments', on, 'Put a comment before each event.'),
  flag('multi-line-data', 'hasMultiLineData', on, 'Spread the data of each event over two lines.'),
  flag('bom', 'hasBom', on, 'Start streams with a byte order mark.'),
  option(
    'transfer',
    'chunked|content-length|close-delimited|http/1.0',
    'transfer',
    text,
    'How streams are transferred. Default: chunked.',
  ),
  flag('chunk-extensions', 'hasChunkExtensions', on, 'Give each HTTP chunk an extension.'),
  flag('trailers', 'hasTrailers', on, 'Send trailers after the last chunk.'),
  option(
    'informational',
    'STATUS,…',
    'informational',
    numbers,
    '100, 102 and 103 to send before each reply. Default: none.',
  ),
  flag('late-head', 'isHeadEarly', off, 'Hold back the headers until the first token.'),
  option(
    'replies-per-connection',
    'N',
    'repliesPerConnection',
    number,
    'Close a connection after this many requests. Default: never.',
  ),
  option(
    'idle-close',
    'DURATION',
    'idleCloseMs',
    parseDurationMs,
    'Close idle connections. Default: 75s; 0s: never.',
  ),
  flag(
    'stamp',
    'stampsWrites',
    on,
    'Add read and write times to each chunk, and keep them for plimsoll calibrate.',
  ),
  option('fail', 'FAILURE', 'failure', text, 'How requests fail, or any; see docs/mock.md. Default: none.'),
  option('fail-every', 'N', 'failEvery', number, 'Which requests fail: every Nth. Default: 1, all of them.'),
  option('log', 'FILE', 'logFile', text, 'Append a JSON line for each request.'),
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

/** The schema names settings; people know options. */
const withOptionNames = (problem: string): string =>
  MOCK_OPTIONS.reduce((said, { key, name }) => said.replaceAll(key, `--${name}`), problem);

const BY_NAME: ReadonlyMap<string, MockOption> = new Map(MOCK_OPTIONS.map(known => [known.name, known]));
