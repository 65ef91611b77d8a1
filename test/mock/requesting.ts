// Completions asked of a mock, as its tests need them.

import type { MockLogSummary } from '../../src/mock/mock-log.ts';
import type { Mock } from '../../src/mock/mock-server.ts';
import { post, type RawReply, rawConnection, wholeReply } from '../support/raw-http.ts';

export interface Question {
  readonly model?: string;
  readonly stream?: boolean;
  readonly prompt?: string;
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly headers?: readonly string[];
}

export const question = ({
  model,
  stream = true,
  prompt = 'what can she carry',
  extra,
  headers,
}: Question = {}): string =>
  post(
    '/v1/chat/completions',
    { model, stream, messages: [{ role: 'user', content: prompt }], ...extra },
    headers,
  );

export interface Answered extends RawReply {
  readonly reads: readonly number[];
  readonly bytes: Buffer;
}

/** @throws Error when the reply is not whole. */
export const request = async (
  mock: Pick<Mock, 'host' | 'port'>,
  requested: Question = {},
): Promise<Answered> => {
  using connection = rawConnection(mock);
  connection.send(question(requested));
  const bytes = await connection.until(received => wholeReply(received) !== undefined);
  const reply = wholeReply(bytes, true);
  if (reply === undefined) throw new Error(`no whole reply in ${JSON.stringify(bytes.toString())}`);
  return { ...reply, reads: connection.reads, bytes };
};

export interface Chunk {
  readonly choices?: readonly {
    readonly delta?: {
      readonly role?: string;
      readonly content?: string;
      readonly reasoning_content?: string;
      readonly tool_calls?: readonly {
        readonly index: number;
        readonly function: { readonly arguments: string };
      }[];
    };
    readonly finish_reason?: string | null;
  }[];
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number };
  readonly plimsoll?: { readonly readNs: string; readonly writeNs: string };
  readonly error?: { readonly message: string };
}

/** Data of each event of a stream framed by line feeds. */
export const dataOf = (body: string): readonly string[] =>
  body
    .split('\n\n')
    .filter(block => block !== '')
    .map(block => block.replace(/^data: /, ''));

export const chunksOf = (body: string): readonly Chunk[] =>
  dataOf(body)
    .filter(data => data !== '[DONE]')
    .map((data): Chunk => JSON.parse(data));

export const contentOf = (body: string): string =>
  chunksOf(body)
    .map(chunk => chunk.choices?.[0]?.delta?.content ?? '')
    .join('');

export interface MockLogReply extends MockLogSummary {
  readonly entries: readonly Entry[];
}

export interface Entry {
  readonly id: string;
  readonly model: string;
  readonly isStreaming: boolean;
  readonly readNs: number;
  readonly firstByteNs: number | null;
  readonly firstContentNs: number | null;
  readonly lastContentNs: number | null;
  readonly lastNs: number | null;
  readonly chunks: number;
  readonly outputTokens: number;
  readonly promptTokens: number;
  readonly bytes: number;
  readonly failure: string | null;
  readonly outcome: string;
  readonly isClientGone: boolean;
}

/** The reply to `GET /mock/log`. */
export const mockLogOf = async (mock: Pick<Mock, 'url'>, query = ''): Promise<MockLogReply> => {
  const response = await fetch(`${mock.url}/mock/log${query}`);
  const log: MockLogReply = JSON.parse(await response.text());
  return log;
};
