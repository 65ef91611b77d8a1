// One request and its reply as the recorder reads them, from the bytes that passed: the prompt when the request is
// whole, the answer as it comes. At its end it becomes a line.

import type { BudgetShare, ByteBudget } from '../../core/byte-budget.ts';
import type { FinishReason } from '../../core/run/outcome.ts';
import type { EndKind } from '../arena/load-record.ts';
import type { CapturedLine } from '../dataset/trace/captured-trace.ts';
import { type ReadPrompt, readPrompt } from '../target/api/read-prompt.ts';
import type { ServerApi } from '../target/api/server-api.ts';
import { serverApi } from '../target/api/server-apis.ts';
import { contentDecoder } from '../target/content-decoder.ts';
import { contentKindOf } from '../target/http1/head-reader.ts';
import { ReplyReader } from '../target/reply-reader.ts';
import type { TapEvent } from './tap-message.ts';

type Happened<Kind extends TapEvent['kind']> = Extract<TapEvent, { readonly kind: Kind }>;

/** What was found out of an exchange; NO_FIGURE for tokens that the server did not report. */
export interface EndedExchange {
  readonly line: Pick<
    CapturedLine,
    'timestamp' | 'outcome' | 'failure' | 'finish' | 'status' | 'ttft' | 'took' | 'api' | 'streamed'
  >;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
  /** Everything that the model wrote. */
  readonly answer: string;
}

export class RecordedExchange implements Disposable {
  readonly #begun: Happened<'request'>;
  readonly #api: ServerApi;
  readonly #share: BudgetShare;
  #body: Buffer[] = [];
  #bodyBytes = 0;
  /** Too long, or there was no memory for it. */
  #isBodyDropped = false;
  #isStreaming = false;
  #reader: ReplyReader | undefined;
  #status = 0;
  #firstMs: number | undefined;
  #streamed = false;

  /** @param bodies the memory for the bodies of all requests that are not whole */
  constructor(begun: Happened<'request'>, bodies: ByteBudget) {
    this.#begun = begun;
    this.#share = bodies.share(() => this.#dropBody());
    this.#api = serverApi(begun.api);
  }

  get session(): string | undefined {
    return this.#begun.session;
  }

  requestBody(bytes: Buffer): void {
    if (this.#isBodyDropped) return;
    this.#bodyBytes += bytes.length;
    if (this.#bodyBytes > REQUEST_BYTES_MAX) {
      this.#dropBody();
      return;
    }
    this.#body.push(Buffer.from(bytes));
    this.#share.resize(this.#bodyBytes);
  }

  /** It will not end. */
  [Symbol.dispose](): void {
    this.#dropBody();
  }

  #dropBody(): void {
    this.#body = [];
    this.#isBodyDropped = true;
    this.#share.release();
  }

  /** No more of the request arrives. @returns undefined if it cannot be read */
  prompt(): ReadPrompt | undefined {
    const text = this.#isBodyDropped ? undefined : textOf(Buffer.concat(this.#body), this.#begun.encoding);
    this.#dropBody();
    const prompt = text === undefined ? undefined : readPrompt(text, this.#api);
    this.#isStreaming = prompt?.isStreaming ?? false;
    return prompt;
  }

  reply({ status, type, encoding }: Happened<'reply'>): void {
    const bytes = Buffer.from(type, 'latin1');
    const contentKind = type === '' ? 'missing' : contentKindOf(bytes, 0, bytes.length);
    // What a server sends counts: some answer a request for a stream with a document.
    this.#streamed =
      contentKind === 'event-stream' ||
      contentKind === 'json-lines' ||
      (this.#isStreaming && contentKind !== 'json');
    this.#status = status;
    this.#reader = new ReplyReader(this.#api, this.#streamed, {
      content: stampNs => {
        this.#firstMs ??= stampNs / 1e6;
      },
    });
    this.#reader.written.isKept = true;
    this.#reader.reset();
    this.#reader.head({ status, contentKind, encoding, location: '', hasRetryAfter: false });
  }

  replyBody(bytes: Buffer, atMs: number): void {
    this.#reader?.body(bytes, 0, bytes.length, atMs * 1e6);
  }

  end(how: EndKind, atMs: number): EndedExchange {
    const reader = this.#reader ?? new ReplyReader(this.#api, false, { content: () => undefined });
    const { outcome, failure } = reader.end(how, '');
    const { inputTokens, outputTokens, cachedTokens, finishReason } = reader.reported;
    const { atMs: beganMs, api } = this.#begun;
    const finish: FinishReason | undefined = finishReason === 'missing' ? undefined : finishReason;
    return {
      line: {
        timestamp: milliseconds(beganMs),
        outcome,
        ...(failure === undefined ? {} : { failure: failure.kind }),
        ...(finish === undefined ? {} : { finish }),
        status: this.#status,
        ...(this.#firstMs === undefined ? {} : { ttft: milliseconds(this.#firstMs - beganMs) }),
        took: milliseconds(atMs - beganMs),
        api,
        streamed: this.#streamed,
      },
      inputTokens,
      outputTokens,
      cachedTokens,
      answer: reader.written.text,
    };
  }
}

/** To a microsecond. */
const milliseconds = (ms: number): number => Math.max(0, Math.round(ms * 1_000) / 1_000);

const textOf = (body: Buffer, encoding: string): string | undefined => {
  const decoder = contentDecoder(encoding);
  if (decoder === undefined) return body.toString('utf8');
  const first = decoder.add(body, 0, body.length);
  const last = decoder.end();
  return first.kind === 'wrong' || last.kind === 'wrong'
    ? undefined
    : Buffer.concat([first.bytes, last.bytes]).toString('utf8');
};

/** Of one request. */
const REQUEST_BYTES_MAX = 33_554_432;
