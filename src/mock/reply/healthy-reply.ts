// Builds the healthy replies of one server: streams in any requested shape, and whole completions. Events are cached
// per shape, so an ordinary stream costs a list of references.

import type { WholeAnswer } from '../api/mock-api.ts';
import type { Expected } from '../failure.ts';
import type { MockSettings } from '../mock-settings.ts';
import { replyHead } from '../reply-head.ts';
import { CUT_APART_MS, cutParts, isOrdinary, streamParts } from './arranged-stream.ts';
import { EventFactory, stampFromEnd } from './event-factory.ts';
import { chunked, lastChunk, STAMP_FIELD } from './framing.ts';
import { COMPLETED, type Ending, type Reply, type Timeline } from './reply.ts';
import type { ReplySubject } from './reply-subject.ts';
import { type StreamPlan, streamPlan, timesOf, toolArguments, toolCallTokens } from './stream-plan.ts';
import { wordsFrom } from './vocabulary.ts';

export interface Wire {
  readonly transfer: MockSettings['transfer'];
  readonly closes: boolean;
}

export class ReplyBuilder {
  readonly settings: MockSettings;
  readonly #factories = new Map<string, EventFactory>();
  readonly #evenTimelines = new Map<string, Timeline>();

  constructor(settings: MockSettings) {
    this.settings = settings;
  }

  /** How the reply to a request of this version travels, and whether its connection ends with it. */
  wire({ isHttp10, closes }: { readonly isHttp10: boolean; readonly closes: boolean }): Wire {
    const { transfer } = this.settings;
    // HTTP/1.0 has no chunks.
    const chosen = isHttp10 && transfer === 'chunked' ? 'close-delimited' : transfer;
    return { transfer: chosen, closes: closes || chosen === 'close-delimited' || chosen === 'http/1.0' };
  }

  plan(subject: ReplySubject, wire: Wire): StreamPlan {
    return streamPlan(subject, this.events(subject, wire), this.settings);
  }

  events({ model, api, isStamped }: ReplySubject, wire: Wire): EventFactory {
    const isChunked = wire.transfer === 'chunked';
    const key = `${api.path} ${isStamped} ${isChunked} ${model}`;
    const cached = this.#factories.get(key);
    if (cached !== undefined) return cached;
    const factory = new EventFactory(api, { model, isStamped }, this.settings, isChunked);
    if (this.#factories.size >= FACTORIES_MAX) this.#factories.clear();
    this.#factories.set(key, factory);
    return factory;
  }

  stream(subject: ReplySubject, wire: Wire): Reply {
    const plan = this.plan(subject, wire);
    const { settings } = this;
    const head = this.streamHead(wire, plan, subject);
    const reply = isOrdinary(settings)
      ? this.#ordinary(plan, subject, wire)
      : cutParts(streamParts(plan, head, { settings, wire, hasEnd: true }), {
          ...settings,
          ...healthyEnd(wire),
          apartMs: settings.eventsPerWrite > 1 ? 0 : CUT_APART_MS,
        });
    return { ...reply, promptTokens: subject.promptTokens };
  }

  /** The whole answer at the time of its last token. */
  plain(subject: ReplySubject, wire: Wire): Reply {
    const text = this.plainBody(subject);
    const body = Buffer.from(text);
    const bytes = Buffer.concat([Buffer.from(this.plainHead(wire, body.length)), this.framed(body, wire)]);
    const steps = Math.max(1, Math.ceil(subject.outputTokens / this.settings.tokensPerChunk));
    const atMs = timesOf(steps, subject, this.settings).at(-1) ?? 0;
    const stampAt = subject.isStamped ? bytes.lastIndexOf(STAMP_FIELD) : -1;
    return {
      pieces: [bytes],
      timeline: {
        atMs: Float64Array.of(atMs),
        tokens: Uint32Array.of(subject.api.isEmbedding === true ? 0 : subject.outputTokens),
        chunks: ONE,
      },
      ending: healthyEnd(wire).ending,
      apartMs: 0,
      stamps:
        stampAt === -1
          ? undefined
          : { kind: 'whole', whole: bytes, at: [stampAt + STAMP_FIELD.indexOf('0')] },
      expected: COMPLETED,
      promptTokens: subject.promptTokens,
    };
  }

  plainBody(subject: ReplySubject): string {
    return subject.api.whole(subject, wholeAnswer(subject));
  }

  /** The body in its transfer coding. */
  framed(body: Buffer, { transfer }: Wire): Buffer {
    if (transfer !== 'chunked' || !this.#isPlainChunked()) return body;
    return Buffer.concat([chunked(body, this.settings), lastChunk(this.settings)]);
  }

  plainHead(wire: Wire, bodyBytes: number): string {
    return this.head(
      wire,
      'application/json',
      wire.transfer === 'chunked' && this.#isPlainChunked() ? undefined : bodyBytes,
    );
  }

  streamHead(wire: Wire, plan: StreamPlan, { api }: Pick<ReplySubject, 'api'>): string {
    const length = wire.transfer === 'content-length' ? streamBytes(plan) : undefined;
    return this.head(wire, STREAM_TYPES[api.framing], length);
  }

  /** @param bodyBytes undefined: chunked, or until the connection ends. */
  head(wire: Wire, type: string, bodyBytes: number | undefined): string {
    const isDelimitedByClose = wire.transfer === 'close-delimited' || wire.transfer === 'http/1.0';
    return replyHead({
      headers: [
        ['content-type', type],
        ...(isDelimitedByClose
          ? []
          : bodyBytes === undefined
            ? ([['transfer-encoding', 'chunked']] as const)
            : ([['content-length', String(bodyBytes)]] as const)),
        ...(this.settings.hasTrailers && bodyBytes === undefined
          ? ([['trailer', 'x-mock-trailer']] as const)
          : []),
      ],
      closes: wire.closes,
      version: wire.transfer === 'http/1.0' ? '1.0' : '1.1',
    });
  }

  /** A whole completion has a length; it is chunked if chunks are being tested. */
  #isPlainChunked(): boolean {
    const { chunkBytes, hasChunkExtensions, hasTrailers } = this.settings;
    return chunkBytes > 0 || hasChunkExtensions || hasTrailers;
  }

  #ordinary(plan: StreamPlan, subject: ReplySubject, wire: Wire): Reply {
    const head = Buffer.from(this.streamHead(wire, plan, subject));
    const opening = Buffer.concat([head, ...plan.opening.map(({ wire }) => wire)]);
    const end = wire.transfer === 'chunked' ? [lastChunk(this.settings)] : [];
    const closing = Buffer.concat([...plan.closing.map(({ wire }) => wire), ...end]);
    return {
      pieces: [opening, ...plan.content.map(({ wire }) => wire), closing],
      timeline: this.#timeline(plan, subject),
      ending: healthyEnd(wire).ending,
      apartMs: 0,
      stamps: subject.isStamped
        ? {
            kind: 'each',
            fromEnd: stampFromEnd(this.settings, subject.api) + (wire.transfer === 'chunked' ? 2 : 0),
          }
        : undefined,
      expected: COMPLETED,
      promptTokens: 0,
    };
  }

  #timeline(
    plan: StreamPlan,
    { outputTokens, reasoningTokens, toolCalls, isCached }: ReplySubject,
  ): Timeline {
    const { jitter, prefillTokensPerSecond, contextGapMs } = this.settings;
    const count = plan.content.length;
    const isOwn = jitter > 0 || prefillTokensPerSecond > 0 || contextGapMs > 0 || isCached;
    const key = isOwn ? undefined : `${outputTokens} ${reasoningTokens} ${toolCalls} ${count}`;
    const cached = key === undefined ? undefined : this.#evenTimelines.get(key);
    if (cached !== undefined) return cached;
    const timeline: Timeline = {
      atMs: Float64Array.from([
        this.settings.isHeadEarly ? 0 : (plan.atMs[0] ?? 0),
        ...plan.atMs,
        plan.atMs[count - 1] ?? 0,
      ]),
      tokens: Uint32Array.from([0, ...plan.content.map(({ tokens }) => tokens), 0]),
      chunks: Uint32Array.from([0, ...plan.content.map(({ chunks }) => chunks), 0]),
    };
    if (key !== undefined) {
      if (this.#evenTimelines.size >= TIMELINES_MAX) this.#evenTimelines.clear();
      this.#evenTimelines.set(key, timeline);
    }
    return timeline;
  }
}

const healthyEnd = ({ closes }: Wire): { readonly ending: Ending; readonly expected: Expected } => ({
  ending: closes ? { kind: 'close' } : { kind: 'keep-alive' },
  expected: COMPLETED,
});

const wholeAnswer = (subject: ReplySubject): WholeAnswer => {
  const { firstWord, reasoningTokens, outputTokens, toolCalls, finishReason } = subject;
  return {
    finishReason,
    usage: subject.reportsUsage ? subject : undefined,
    reasoning: wordsFrom(firstWord, reasoningTokens),
    content: toolCalls > 0 ? '' : wordsFrom(firstWord + reasoningTokens, outputTokens - reasoningTokens),
    toolArguments: toolCallTokens(subject).map(call => toolArguments(subject, call)),
    inputs: subject.inputs,
  };
};

const streamBytes = (plan: StreamPlan): number =>
  [...plan.opening, ...plan.content, ...plan.closing].reduce((sum, { sse }) => sum + sse.length, 0);

export const STREAM_TYPES = {
  events: 'text/event-stream; charset=utf-8',
  lines: 'application/x-ndjson',
} as const;
const ONE = Uint32Array.of(1);
const FACTORIES_MAX = 256;
const TIMELINES_MAX = 1_024;
