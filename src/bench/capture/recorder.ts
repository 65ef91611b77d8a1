// Turns what passed the proxy into lines of a capture. Lengths are those that the server reported, else estimates with
// the ratio of this capture so far; lines wait for the next write, which is due within a second.

import { ByteBudget } from '../../core/byte-budget.ts';
import { NO_FIGURE } from '../../core/run/event-record.ts';
import { CAPTURE_VERSION, type CapturedLine } from '../dataset/trace/captured-trace.ts';
import { TRACE_TOKENS_MAX } from '../dataset/trace/trace.ts';
import type { ReadPrompt } from '../target/api/read-prompt.ts';
import { CaptureFiles } from './capture-files.ts';
import { KnownPrefixes, type PromptPiece } from './known-prefixes.ts';
import { type EndedExchange, RecordedExchange } from './recorded-exchange.ts';
import type { RecordedFigures, RecorderOptions, TapEvent } from './tap-message.ts';
import { estimatedTokens } from './token-pieces.ts';

interface OpenExchange {
  readonly exchange: RecordedExchange;
  /** Once the request is whole; undefined: it could not be read. */
  prompt: KnownPrompt | undefined;
  isRequestWhole: boolean;
}

interface KnownPrompt extends Pick<ReadPrompt, 'hasTools'> {
  readonly pieces: readonly PromptPiece[];
  readonly session: number;
  /** With --keep-text. */
  readonly body: ReadPrompt['body'] | undefined;
}

export class Recorder implements Disposable {
  readonly #keepsText: boolean;
  readonly #files: CaptureFiles;
  readonly #prefixes: KnownPrefixes = new KnownPrefixes();
  readonly #open: Map<number, OpenExchange> = new Map();
  readonly #bodies: ByteBudget = new ByteBudget(BODIES_BYTES_MAX);
  readonly #ratio = { input: new TokenRatio(), output: new TokenRatio() };
  #lines: string[] = [];
  #lineBytes = 0;
  /** Lost since the last line that states it. */
  #unstated = 0;
  readonly #counts = {
    completed: 0,
    failed: 0,
    cancelled: 0,
    lost: 0,
    unread: 0,
    estimated: 0,
    inputTokens: 0,
    outputTokens: 0,
  };

  constructor(options: RecorderOptions) {
    this.#keepsText = options.keepsText;
    this.#files = new CaptureFiles(options);
  }

  get problem(): string | undefined {
    return this.#files.problem;
  }

  get figures(): RecordedFigures {
    return {
      ...this.#counts,
      ...this.#files.figures,
      sessions: this.#prefixes.sessions,
      problem: this.problem,
    };
  }

  /** `bytes`: of the batch that the event came in; they are valid during the call only. */
  take(event: TapEvent, bytes: Buffer): void {
    if (event.kind === 'request') {
      this.#open.set(event.exchange, {
        exchange: new RecordedExchange(event, this.#bodies),
        prompt: undefined,
        isRequestWhole: false,
      });
      return;
    }
    const open = this.#open.get(event.exchange);
    if (open === undefined) return;
    const { exchange } = open;
    switch (event.kind) {
      case 'request-body':
        exchange.requestBody(bytes.subarray(event.start, event.end));
        break;
      case 'reply':
        this.#readRequest(open);
        exchange.reply(event);
        break;
      case 'reply-body':
        exchange.replyBody(bytes.subarray(event.start, event.end), event.atMs);
        break;
      case 'end':
        this.#open.delete(event.exchange);
        this.#readRequest(open);
        this.#add(exchange.end(event.how, event.atMs), open.prompt);
        break;
      case 'lost':
        this.#open.delete(event.exchange);
        exchange[Symbol.dispose]();
        this.#lose(1);
        break;
      default:
        event satisfies never;
    }
  }

  /** Writes the lines that wait. */
  flush(): void {
    const lines = this.#lines;
    if (lines.length === 0) return;
    this.#lines = [];
    this.#lineBytes = 0;
    if (!this.#files.append(lines.join(''), lines.length)) this.#lose(lines.length);
  }

  [Symbol.dispose](): void {
    this.flush();
    this.#files[Symbol.dispose]();
  }

  #lose(requests: number): void {
    this.#counts.lost += requests;
    this.#unstated += requests;
  }

  #readRequest(open: OpenExchange): void {
    if (open.isRequestWhole) return;
    open.isRequestWhole = true;
    const prompt = open.exchange.prompt();
    if (prompt === undefined) {
      this.#counts.unread += 1;
      return;
    }
    const pieces = this.#prefixes.piecesOf(prompt.parts);
    open.prompt = {
      pieces,
      session: this.#prefixes.sessionOf(pieces, open.exchange.session),
      hasTools: prompt.hasTools,
      body: this.#keepsText ? prompt.body : undefined,
    };
  }

  #add({ line, answer, ...counted }: EndedExchange, prompt: KnownPrompt | undefined): void {
    const reported = {
      inputTokens: usableTokens(counted.inputTokens),
      outputTokens: usableTokens(counted.outputTokens),
      cachedTokens: usableTokens(counted.cachedTokens),
    };
    const { pieces = [], hasTools = false, body } = prompt ?? {};
    const inputWeight = pieces.reduce((sum, { weight }) => sum + weight, 0);
    const input = this.#ratio.input.tokens(reported.inputTokens, inputWeight);
    const output = this.#ratio.output.tokens(
      reported.outputTokens,
      reported.outputTokens === NO_FIGURE || line.outcome === 'completed' ? estimatedTokens(answer) : 0,
    );
    const estimated = [
      ...(input.isEstimated ? ['input' as const] : []),
      ...(output.isEstimated ? ['output' as const] : []),
    ];
    const blocks = this.#prefixes.blocksOf(pieces, input.tokens);
    const row: CapturedLine = {
      capture: CAPTURE_VERSION,
      ...line,
      input_length: input.tokens,
      output_length: output.tokens,
      ...(reported.cachedTokens === NO_FIGURE ? {} : { cached_length: reported.cachedTokens }),
      ...(estimated.length === 0 ? {} : { estimated }),
      block_ids: blocks.map(({ id }) => id),
      block_tokens: blocks.map(({ tokens }) => tokens),
      session: prompt?.session ?? this.#prefixes.sessionOf([], undefined),
      tools: hasTools,
      ...(this.#unstated === 0 ? {} : { lost: this.#unstated }),
      ...(this.#keepsText ? { request: body, answer } : {}),
    };
    this.#unstated = 0;
    this.#counts[line.outcome] += 1;
    this.#counts.inputTokens += input.tokens;
    this.#counts.outputTokens += output.tokens;
    if (estimated.length > 0) this.#counts.estimated += 1;
    const text = `${JSON.stringify(row)}\n`;
    this.#lines.push(text);
    this.#lineBytes += text.length;
    if (this.#lineBytes >= WAITING_BYTES_MAX) this.flush();
  }
}

/** A count that no reader of a trace would take is none. */
const usableTokens = (reported: number): number => (reported > TRACE_TOKENS_MAX ? NO_FIGURE : reported);

/** Tokens that servers counted, of those that the rule of thumb gives for the same texts. */
class TokenRatio {
  #counted = 0;
  #weighed = 0;

  /** @param reported NO_FIGURE: the server did not count them */
  tokens(reported: number, weight: number): { readonly tokens: number; readonly isEstimated: boolean } {
    if (reported !== NO_FIGURE) {
      if (weight > 0) {
        this.#counted += reported;
        this.#weighed += weight;
      }
      return { tokens: reported, isEstimated: false };
    }
    const ratio = this.#weighed === 0 ? 1 : this.#counted / this.#weighed;
    return { tokens: Math.round(weight * ratio), isEstimated: true };
  }
}

/** Of requests that are not whole, all together: what exceeds it is recorded without blocks, the largest first. */
const BODIES_BYTES_MAX = 268_435_456;
/** Of lines, before they are written without waiting for the time. */
const WAITING_BYTES_MAX = 1_048_576;
