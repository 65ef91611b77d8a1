// Defaults and bounds of the mock's options, and what contradicts what.

import * as v from 'valibot';
import { isFailureName } from './failures.ts';
import type { MockSettings } from './mock-settings.ts';

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

const oneOf = <const T extends readonly (string | number)[]>(options: T) =>
  v.picklist(options, `must be one of ${options.join(', ')}`);

const OUTPUT_TOKENS_MAX = 100_000;
const tokens = whole(1, OUTPUT_TOKENS_MAX);

const tokenRange = v.pipe(
  v.strictObject({ min: tokens, max: tokens }),
  v.check(({ min, max }) => min <= max, 'the range ends before it begins'),
);

export const settingsSchema: v.GenericSchema<unknown, MockSettings> = v.pipe(
  v.strictObject({
    host: v.optional(name, '127.0.0.1'),
    port: v.optional(whole(0, 65_535), 0),
    seed: v.optional(whole(0, 2 ** 32 - 1), 1),
    models: v.optional(v.pipe(v.array(name), v.minLength(1, 'needs one'), v.maxLength(100, 'too many')), [
      'mock-model',
    ]),
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
    finishReason: v.optional(v.union([v.literal(''), name], 'must be printable'), ''),
    concurrencyMax: v.optional(whole(0, 100_000), 0),
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
        v.check(text => text === '' || isFailureName(text), 'is no failure that the mock knows'),
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
