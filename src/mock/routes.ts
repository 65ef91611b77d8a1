// What the mock answers at which path.

import { NO_SAMPLE, sampleOfPrompt } from '../wire/truth-stamps.ts';
import type { MockApi } from './api/mock-api.ts';
import { MOCK_APIS } from './api/mock-apis.ts';
import { errorJson } from './api/openai-json.ts';
import type { FaultCase } from './cases/fault-case.ts';
import type { MockAnswer } from './client-connection.ts';
import { type CompletionRequest, KeptConversations, readCompletionRequest } from './completion-request.ts';
import type { Failure } from './failure.ts';
import { ANY_FAILURE, failureInTurn, failureNamed, failureOfModel } from './failures.ts';
import { KeptPrefixes } from './kept-prefixes.ts';
import { metricsPage } from './metrics-page.ts';
import { ENTRIES_MAX, type MockLog, type MockLogSummary, type StampLog } from './mock-log.ts';
import type { MockSettings } from './mock-settings.ts';
import { failingReply } from './reply/failing-reply.ts';
import { ReplyBuilder } from './reply/healthy-reply.ts';
import type { Reply } from './reply/reply.ts';
import { type ReplySubject, replySubject } from './reply/reply-subject.ts';
import { closedAnswer } from './reply/stream-plan.ts';
import { informationalHeads, smallReply } from './reply-head.ts';
import type { HttpRequest } from './request-reader.ts';

interface RoutesOptions {
  readonly settings: MockSettings;
  readonly log: MockLog;
  readonly summary: () => MockLogSummary;
  /** For a mock that records them. */
  readonly stamps: StampLog | undefined;
}

type FixedAnswer = (closes: boolean, query: string) => MockAnswer;

export class Routes {
  readonly #settings: MockSettings;
  readonly #log: MockLog;
  readonly #summary: () => MockLogSummary;
  readonly #stamps: StampLog | undefined;
  readonly #builder: ReplyBuilder;
  readonly #informational: Buffer;
  /** Hashes of requests, if whole answers are cached. */
  readonly #answered = new Set<number>();
  readonly #prefixes = new KeptPrefixes();
  readonly #conversations = new KeptConversations();

  /** By method and path, everything but completions. */
  readonly #fixed: ReadonlyMap<string, FixedAnswer> = new Map<string, FixedAnswer>([
    ['GET /v1/models', closes => json(200, this.#models(), closes)],
    ['GET /api/tags', closes => json(200, this.#tags(), closes)],
    ['GET /health', closes => json(200, '{}', closes)],
    ['GET /ping', closes => json(200, '{}', closes)],
    ['GET /version', closes => json(200, '{"version":"mock"}', closes)],
    ['GET /metrics', closes => this.#metrics(closes)],
    ['GET /mock/log', (closes, query) => json(200, this.#account(query), closes)],
    ['GET /mock/stamps', closes => this.#stamped(stamps => stamps.take(), closes)],
    ['GET /mock/clock', closes => this.#stamped(stamps => Buffer.from(stamps.nowNs), closes)],
    ['POST /mock/reset', closes => this.#reset(closes)],
  ]);

  constructor({ settings, log, summary, stamps }: RoutesOptions) {
    this.#stamps = stamps;
    this.#settings = settings;
    this.#log = log;
    this.#summary = summary;
    this.#builder = new ReplyBuilder(settings);
    this.#informational = Buffer.from(informationalHeads(settings));
  }

  answer(request: HttpRequest, readMs: number, count: number): MockAnswer {
    const { method, path } = request.head;
    const { repliesPerConnection } = this.#settings;
    const closes = request.head.closes || (repliesPerConnection > 0 && count + 1 >= repliesPerConnection);
    const api = method === 'POST' ? MOCK_APIS.find(candidate => candidate.path === path) : undefined;
    if (api !== undefined) return this.#completion(request, { api, readMs, count, closes });
    const fixed = this.#fixed.get(`${method} ${path}`);
    if (fixed !== undefined) return fixed(closes, request.head.query);
    const known = [...MOCK_APIS.map(each => `POST ${each.path}`), ...this.#fixed.keys()];
    return known.some(route => route.endsWith(` ${path}`))
      ? json(405, errorJson(`${path} has another method`, 'invalid_request_error', 405), closes)
      : json(404, errorJson(`the mock has nothing at ${path}`, 'not_found', 404), closes);
  }

  #completion(
    request: HttpRequest,
    {
      api,
      readMs,
      count,
      closes,
    }: {
      readonly api: MockApi;
      readonly readMs: number;
      readonly count: number;
      readonly closes: boolean;
    },
  ): MockAnswer {
    const result = readCompletionRequest(request.body, api, this.#settings, this.#conversations);
    if (result.kind === 'forgotten')
      return json(
        400,
        errorJson(
          `Previous response with id '${result.id.slice(0, 200)}' not found.`,
          'invalid_request_error',
          400,
        ),
        closes,
      );
    if (result.kind === 'wrong')
      return json(400, errorJson(result.problem, 'invalid_request_error', 400), closes);
    const requested = { ...result.request, isStamped: result.request.isStamped || request.head.isStamped };
    const [firstModel = ''] = this.#settings.models;
    const model = requested.model ?? firstModel;
    const ofModel = failureOfModel(model);
    if (ofModel === undefined && !this.#settings.models.includes(model))
      return json(
        404,
        errorJson(`The model \`${model.slice(0, 200)}\` does not exist.`, 'NotFoundError', 404),
        closes,
      );
    const number = this.#log.nextNumber();
    const failure = ofModel ?? this.#failureOf(number);
    const plain = this.#remembered(
      replySubject(requested, { api, model: this.#settings.answersAs || model }, this.#settings),
      requested.promptText,
    );
    const subject = requested.isKept && failure === undefined ? this.#kept(plain, requested, number) : plain;
    const wire = this.#builder.wire({ isHttp10: request.head.isHttp10, closes });
    const reply =
      failure === undefined
        ? subject.isStreaming
          ? this.#builder.stream(subject, wire)
          : this.#builder.plain(subject, wire)
        : failingReply(this.#builder, { failure, subject, wire, isReused: count > 0 });
    return {
      kind: 'completion',
      reply: failure === undefined ? this.#announced(reply) : reply,
      served: {
        id: request.head.sample ?? String(number),
        model,
        isStreaming: subject.isStreaming,
        readMs,
        firstByteMs: undefined,
        firstContentMs: undefined,
        lastContentMs: undefined,
        lastMs: undefined,
        chunks: 0,
        outputTokens: 0,
        promptTokens: reply.promptTokens,
        cachedTokens: Math.min(reply.promptTokens, subject.cachedTokens),
        bytes: 0,
        failure: failure?.name,
        expected: reply.expected,
        isClientGone: false,
        sample: this.#stamps === undefined ? NO_SAMPLE : sampleOfPrompt(requested.promptText),
        writtenMs: this.#stamps === undefined ? undefined : [],
      },
    };
  }

  #kept(subject: ReplySubject, { promptText, messages }: CompletionRequest, number: number): ReplySubject {
    const id = `resp_mock_${number}`;
    const text = `${promptText}${closedAnswer(subject).content}\n`;
    this.#conversations.keep(id, { text, messages: messages + 1 });
    return { ...subject, id };
  }

  #stamped(bytesOf: (stamps: StampLog) => Buffer, closes: boolean): MockAnswer {
    if (this.#stamps === undefined)
      return json(
        404,
        errorJson('the mock records no stamps: start it with --stamp', 'not_found', 404),
        closes,
      );
    return small(
      smallReply(200, bytesOf(this.#stamps), { closes, type: 'application/octet-stream' }),
      closes,
    );
  }

  #metrics(closes: boolean): MockAnswer {
    const page = metricsPage(this.#settings, this.#summary());
    return small(smallReply(200, page, { closes, type: 'text/plain; version=0.0.4' }), closes);
  }

  #reset(closes: boolean): MockAnswer {
    this.#log.reset();
    return json(200, '{}', closes);
  }

  /** If whole answers are cached, the second request for one gets it at once. */
  #remembered(subject: ReplySubject, promptText: string): ReplySubject {
    const { cachesAnswers, cachesDuplicates, keepsPrefixes, tokenizer } = this.#settings;
    const cachedPromptTokens = keepsPrefixes ? this.#prefixes.take(promptText, tokenizer) : 0;
    const counted =
      cachedPromptTokens === 0
        ? subject
        : {
            ...subject,
            cachedPromptTokens,
            cachedTokens: Math.min(cachedPromptTokens, subject.promptTokens),
          };
    if (!cachesAnswers && !cachesDuplicates) return counted;
    const isCached = this.#answered.has(subject.hash);
    if (this.#answered.size < ANSWERED_MAX) this.#answered.add(subject.hash);
    return { ...counted, isCached };
  }

  /** By order of arrival, so the n-th request fails, independent of its content. */
  #failureOf(number: number): Failure | FaultCase | undefined {
    const { failure, failEvery } = this.#settings;
    if (number % failEvery !== 0) return undefined;
    return failure === ANY_FAILURE ? failureInTurn(number / failEvery - 1) : failureNamed(failure);
  }

  #announced(reply: Reply): Reply {
    const [first, ...rest] = reply.pieces;
    if (this.#informational.length === 0 || first === undefined) return reply;
    const head = this.#informational;
    return reply.stamps?.kind === 'whole'
      ? { ...reply, pieces: [head, ...reply.pieces], timeline: shifted(reply.timeline) }
      : { ...reply, pieces: [Buffer.concat([head, first]), ...rest] };
  }

  #models(): string {
    const data = this.#settings.models.map(id => ({
      id,
      object: 'model',
      created: 0,
      owned_by: 'plimsoll-mock',
      max_model_len: MODEL_TOKENS_MAX,
    }));
    return JSON.stringify({ object: 'list', data });
  }

  /** As Ollama lists them. */
  #tags(): string {
    const details = { format: 'gguf', family: 'plimsoll-mock', families: ['plimsoll-mock'] };
    const models = this.#settings.models.map(name => ({ name, model: name, size: 0, details }));
    return JSON.stringify({ models });
  }

  /** `?entries=N` adds the newest N requests to the sums; all that are stored by default. */
  #account(query: string): string {
    const [, requested] = /(?:^|&)entries=(\d{1,9})(?:&|$)/.exec(query) ?? [];
    const entries = this.#log.entriesJson(requested === undefined ? ENTRIES_MAX : Number(requested));
    return `${JSON.stringify(this.#summary()).slice(0, -1)},"entries":${entries}}`;
  }
}

const small = (bytes: Buffer, closes: boolean): MockAnswer => ({ kind: 'small', bytes, closes });

const json = (status: number, body: string, closes: boolean): MockAnswer =>
  small(smallReply(status, body, { closes }), closes);

const shifted = ({ atMs, tokens, chunks }: Reply['timeline']): Reply['timeline'] => ({
  atMs: Float64Array.from([0, ...atMs]),
  tokens: Uint32Array.from([0, ...tokens]),
  chunks: Uint32Array.from([0, ...chunks]),
});

const MODEL_TOKENS_MAX = 1_048_576;
const ANSWERED_MAX = 100_000;
