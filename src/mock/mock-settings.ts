// What the mock server can be told to do. Everything has a default (settings-schema.ts), so that `{}` is a healthy
// server: 50 ms to the first token, then one every 10 ms, a hundred of them.

export interface MockSettings {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly seed: number;
  /** The first one answers requests that name none. Any `mock-fail-<failure>` is served besides. */
  readonly models: readonly string[];

  readonly ttftMs: number;
  readonly gapMs: number;
  /** 0.2: each wait is 0.8 to 1.2 of what it would be, by the seed. */
  readonly jitter: number;
  /** A range: drawn for each request from its text and the seed. */
  readonly outputTokens: number | TokenRange;
  readonly tokensPerChunk: number;
  /** The first of the output tokens are reasoning. */
  readonly reasoningTokens: number;
  /** The answer comes as the arguments of so many calls instead of text. */
  readonly toolCalls: number;
  /** '': stop, length where max_tokens cut it, tool_calls where there are some. */
  readonly finishReason: string;
  /** Requests worked on at a time; further ones wait their turn. 0: any number. */
  readonly concurrencyMax: number;

  /** Each event with content is padded to this, blank line included. */
  readonly eventBytes: number;
  /** An event is cut into HTTP chunks of at most so many bytes. 0: an event is a chunk. */
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
  /** Sent ahead of every healthy reply, unasked. 100 is sent anyway to who expects it. */
  readonly informational: readonly (100 | 102 | 103)[];
  /** false: the head waits for the first token, as with servers that start to answer late. */
  readonly isHeadEarly: boolean;
  /** The last of so many replies says `connection: close`. 0: never. */
  readonly repliesPerConnection: number;
  /** A connection without a request for so long is closed without a word. 0: never. */
  readonly idleCloseMs: number;

  /** Every chunk with content says when its request was read and when it was written. */
  readonly stampsWrites: boolean;
  /** A name of failures.ts; '' for none. */
  readonly failure: string;
  /** Of all completions in their order of arrival each such one fails. */
  readonly failEvery: number;

  /** A line of JSON for each request, appended. '': none. */
  readonly logFile: string;
  readonly headTimeoutMs: number;
  readonly bodyTimeoutMs: number;
  /** A reply that its reader does not take for so long ends with the connection. */
  readonly stallTimeoutMs: number;
}

export interface TokenRange {
  readonly min: number;
  readonly max: number;
}

export type MockOptions = Partial<MockSettings>;
