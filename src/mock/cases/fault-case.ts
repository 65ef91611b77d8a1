// One case of the catalogue: a reply written out byte for byte, and what a correct client reports. The failures of
// failures.ts break a healthy reply of the mock in one place; a case is the whole conversation, however odd.

import { completed, type Expected, type Failure } from '../failure.ts';
import type { Ending } from '../reply/reply.ts';

export interface FaultCase extends Failure {
  readonly group: CaseGroup;
  readonly reply: (request: CaseRequest) => CaseReply;
  /** For a completed stream: what the client must count. */
  readonly figures: CaseFigures;
}

/** With their titles, in the order of docs/mock.md. */
export const CASE_GROUPS = {
  framing: 'Bodies and their length',
  head: 'Status lines, header fields, interim replies',
  status: 'Statuses of servers, proxies and content networks',
  connection: 'Connections',
  stream: 'Server-sent events',
  content: 'Contents, choices, finish reasons',
  json: 'JSON',
  usage: 'Token counts',
  compression: 'Compression',
} as const;

type CaseGroup = keyof typeof CASE_GROUPS;

export interface CaseFigures {
  readonly chunks?: number;
  /** −1: unknown. */
  readonly outputTokens?: number;
  readonly finishReason?: string;
}

export interface CaseRequest {
  readonly isStreaming: boolean;
  /** A healthy body for the request: a stream of events, or JSON. */
  readonly body: string;
  /** Of that body. */
  readonly type: string;
}

export interface CaseReply {
  readonly writes: readonly CaseWrite[];
  readonly ending: Ending;
}

interface CaseWrite {
  readonly bytes: Buffer;
  readonly atMs: number;
}

type Make = (request: CaseRequest) => CaseReply;

/**
 * Rows of one group: the same for streams and whole replies, only for streams, only for whole ones, or different for
 * both.
 */
export const casesOf = (group: CaseGroup) => ({
  both: (
    name: string,
    meaning: string,
    expected: Expected,
    reply: Make,
    figures: CaseFigures = {},
  ): FaultCase => ({
    group,
    name,
    meaning,
    streaming: expected,
    plain: expected,
    reply,
    figures,
  }),
  apart: (
    name: string,
    meaning: string,
    expected: { readonly streaming: Expected; readonly plain: Expected },
    reply: Make,
  ): FaultCase => ({ group, name, meaning, ...expected, reply, figures: {} }),
  stream: (
    name: string,
    meaning: string,
    streaming: Expected,
    reply: Make,
    figures: CaseFigures = {},
  ): FaultCase => ({
    group,
    name,
    meaning,
    streaming,
    plain: completed,
    reply: elseHealthy(reply, true),
    figures,
  }),
  whole: (name: string, meaning: string, plain: Expected, reply: Make): FaultCase => ({
    group,
    name,
    meaning,
    streaming: completed,
    plain,
    reply: elseHealthy(reply, false),
    figures: {},
  }),
});

/** A reply's head: lines with bare line feeds, converted to what HTTP requires. */
export const headOf = (...lines: readonly string[]): Buffer =>
  Buffer.from(`${lines.filter(line => line !== '').join('\r\n')}\r\n\r\n`, 'latin1');

/** 200 with the content type for the request. */
export const okHead = ({ type }: CaseRequest, ...fields: readonly string[]): Buffer =>
  headOf('HTTP/1.1 200 OK', `content-type: ${type}`, ...fields);

export const trueLength = (body: string | Buffer): string => `content-length: ${Buffer.byteLength(body)}`;

export const CHUNKED_FIELD = 'transfer-encoding: chunked';

/** HTTP chunks, without the last one. */
export const chunksOf = (...pieces: readonly (string | Buffer)[]): Buffer =>
  Buffer.concat(
    pieces.flatMap(piece => {
      const bytes = Buffer.from(piece);
      return [Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')];
    }),
  );

export const LAST_CHUNK = '0\r\n\r\n';

/** All in one write. */
export const atOnce = (ending: Ending, ...parts: readonly (string | Buffer)[]): CaseReply => ({
  writes: [{ bytes: Buffer.concat(parts.map(part => Buffer.from(part))), atMs: 0 }],
  ending,
});

/** Each part in a separate write, this many milliseconds apart. */
export const spaced = (
  everyMs: number,
  ending: Ending,
  ...parts: readonly (string | Buffer)[]
): CaseReply => ({
  writes: parts.map((part, index) => ({ bytes: Buffer.from(part), atMs: index * everyMs })),
  ending,
});

/** A correct reply of known length with this body. */
export const withBody = (
  request: CaseRequest,
  body: string | Buffer,
  ...fields: readonly string[]
): CaseReply => atOnce(KEEP, okHead(request, trueLength(body), ...fields), body);

/** A correct reply of known length. */
export const healthy = (request: CaseRequest): CaseReply => withBody(request, request.body);

export const KEEP: Ending = { kind: 'keep-alive' };
export const CLOSED: Ending = { kind: 'close' };
export const SILENT: Ending = { kind: 'silence' };
/** Late enough that the bytes before it arrive. */
export const RESET_SOON: Ending = { kind: 'reset', afterMs: 20 };
export const repeatedEvery = (everyMs: number): Ending => ({ kind: 'repeat', everyMs });

const elseHealthy =
  (reply: Make, isForStreams: boolean): Make =>
  request =>
    request.isStreaming === isForStreams ? reply(request) : healthy(request);

// Texts of the cases: events of chat completions and a whole one, three chunks of content and three tokens.
export const dataEvent = (data: string): string => `data: ${data}\n\n`;

export const dataEvents = (...data: readonly string[]): string => data.map(dataEvent).join('');

/** A chunk with one choice. */
export const chunkOf = (choice: object): string =>
  JSON.stringify({
    id: 'chatcmpl-mock',
    object: 'chat.completion.chunk',
    choices: [{ index: 0, ...choice }],
  });

export const deltaOf = (delta: object): string => chunkOf({ delta });

export const contentOf = (content: string): string => deltaOf({ content });

export const finishOf = (reason: unknown): string => chunkOf({ delta: {}, finish_reason: reason });

export const usageOf = (usage: unknown): string => JSON.stringify({ choices: [], usage });

export const ROLE: string = deltaOf({ role: 'assistant', content: '' });
export const WORDS: readonly string[] = ['one ', 'two ', 'three'].map(contentOf);
export const FINISH: string = finishOf('stop');
export const USAGE: string = usageOf({ prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 });
export const DONE = '[DONE]';
/** What comes before the end. */
export const BEGINNING: string = dataEvents(ROLE, ...WORDS);
export const ENDING: string = dataEvents(FINISH, USAGE, DONE);
export const STREAM: string = BEGINNING + ENDING;

export const wholeOf = (message: object, more: object = {}): string =>
  JSON.stringify({
    id: 'chatcmpl-mock',
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
    ...more,
  });

export const WHOLE: string = wholeOf({ content: 'one two three' });
