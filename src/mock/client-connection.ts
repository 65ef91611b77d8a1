// One client connection: reads requests one after another, however many the client pipelines, and answers each before
// reading the next.

import type { Socket } from 'node:net';
import { errorJson } from './api/openai-json.ts';
import { tlsCaseNamed } from './cases/tls-cases.ts';
import { Exchange } from './exchange.ts';
import type { HostTime, ServedRequest } from './mock-log.ts';
import type { MockSettings } from './mock-settings.ts';
import type { Ending, Reply } from './reply/reply.ts';
import { CONTINUE, smallReply } from './reply-head.ts';
import { type HttpRequest, RequestReader } from './request-reader.ts';

export type MockAnswer =
  /** Sent unchanged, and not logged. */
  | { readonly kind: 'small'; readonly bytes: Buffer; readonly closes: boolean }
  | { readonly kind: 'completion'; readonly reply: Reply; readonly served: ServedRequest };

interface ConnectionContext {
  readonly time: HostTime;
  readonly settings: MockSettings;
  /** @param count of requests read earlier on this connection. */
  answer(request: HttpRequest, readMs: number, count: number): MockAnswer;
  /** Starts it now or when its turn comes. */
  admit(exchange: Exchange): void;
  /** Something more is due. */
  schedule(exchange: Exchange, dueMs: number): void;
  wroteLate(lateMs: number): void;
  done(exchange: Exchange): void;
  refused(): void;
}

export class ClientConnection {
  readonly #socket: Socket;
  readonly #context: ConnectionContext;
  readonly #reader = new RequestReader();
  #exchange: Exchange | undefined;
  #requests = 0;
  #isEnding = false;
  #isNew = true;
  /** Since when it has been waiting. */
  #waitsSinceMs: number;
  #phase: 'idle' | 'head' | 'body' = 'idle';

  constructor(socket: Socket, context: ConnectionContext) {
    this.#socket = socket;
    this.#context = context;
    this.#waitsSinceMs = context.time.nowMs();
    socket.on('data', this.#read);
    socket.on('drain', () => this.#exchange?.drained(context.time.nowMs()));
    socket.on('error', () => socket.destroy()); // the client may reset
    socket.on('close', () => this.#exchange?.abandon());
  }

  /** At once: the log entry is closed before the socket reports its end. */
  destroy(): void {
    this.#exchange?.abandon();
    this.#socket.destroy();
  }

  /** Ends what takes too long. */
  sweep(nowMs: number): void {
    const { headTimeoutMs, bodyTimeoutMs, stallTimeoutMs, idleCloseMs } = this.#context.settings;
    const waitedMs = nowMs - this.#waitsSinceMs;
    if (this.#isEnding) {
      if (waitedMs > ENDING_MS_MAX) this.#socket.destroy();
      return;
    }
    if (this.#exchange !== undefined) {
      const { blockedSinceMs } = this.#exchange;
      if (blockedSinceMs !== undefined && nowMs - blockedSinceMs > stallTimeoutMs) this.#socket.destroy();
      return;
    }
    switch (this.#phase) {
      case 'idle':
        if (idleCloseMs > 0 && waitedMs > idleCloseMs) this.#end();
        return;
      case 'head':
        if (waitedMs > headTimeoutMs) this.#refuse(408, 'the header section took too long');
        return;
      case 'body':
        if (waitedMs > bodyTimeoutMs) this.#refuse(408, 'the body took too long');
        return;
      default:
        this.#phase satisfies never;
    }
  }

  readonly #read = (bytes: Buffer): void => {
    const readMs = this.#context.time.nowMs();
    if (this.#isEnding) return;
    if (this.#isNew && bytes[0] === TLS_HANDSHAKE) {
      this.#answerTls();
      return;
    }
    this.#isNew = false;
    this.#reader.add(bytes);
    if (this.#exchange === undefined) this.#serve(readMs);
    else if (this.#reader.bufferedBytes > PIPELINED_BYTES_MAX) this.#socket.pause();
  };

  /** The mock does not support TLS: it fails as configured, else as a plain HTTP server answers. */
  #answerTls(): void {
    const { reply } = tlsCaseNamed(this.#context.settings.failure) ?? {};
    if (reply === undefined) {
      this.#refuse(400, 'the mock does not support TLS: use http://');
      return;
    }
    this.#isNew = false;
    for (const { bytes } of reply.writes) this.#socket.write(bytes);
    switch (reply.ending.kind) {
      case 'close':
        this.#end();
        return;
      case 'reset':
        this.#socket.resetAndDestroy();
        return;
      default:
        this.#isEnding = true;
    }
  }

  /** Answers the requests read so far, up to the first reply that takes time. */
  #serve(readMs: number): void {
    while (this.#exchange === undefined && !this.#isEnding && !this.#socket.destroyed) {
      const result = this.#reader.next();
      if (result.kind === 'wrong') {
        this.#refuse(result.status, result.problem);
        return;
      }
      if (result.kind === 'more') {
        if (result.expectsContinue) this.#socket.write(CONTINUE);
        const { phase } = this.#reader;
        // A head that arrives byte by byte is timed from its first byte.
        if (phase !== this.#phase || phase === 'idle') this.#waitsSinceMs = readMs;
        this.#phase = phase;
        return;
      }
      this.#phase = 'idle';
      const answer = this.#context.answer(result.request, readMs, this.#requests);
      this.#requests += 1;
      if (answer.kind === 'completion') this.#start(answer);
      else {
        this.#socket.write(answer.bytes);
        this.#waitsSinceMs = readMs;
        if (answer.closes) this.#end();
      }
    }
  }

  #start({ reply, served }: Extract<MockAnswer, { kind: 'completion' }>): void {
    const exchange = new Exchange({
      reply,
      served,
      socket: this.#socket,
      time: this.#context.time,
      onWritten: this.#context.wroteLate,
      onUnblocked: this.#resume,
      onDone: this.#finish,
    });
    this.#exchange = exchange;
    this.#context.admit(exchange);
  }

  readonly #resume = (exchange: Exchange, nowMs: number): void => {
    const dueMs = exchange.onDue(nowMs);
    if (dueMs !== undefined) this.#context.schedule(exchange, dueMs);
  };

  readonly #finish = (exchange: Exchange, ending: Ending): void => {
    this.#exchange = undefined;
    this.#context.done(exchange);
    switch (ending.kind) {
      case 'close':
        this.#end();
        return;
      case 'reset':
        this.#isEnding = true;
        this.#socket.resetAndDestroy();
        return;
      case 'keep-alive':
        this.#waitsSinceMs = this.#context.time.nowMs();
        if (this.#socket.isPaused()) this.#socket.resume();
        // Not from within the reply that just ended: a thousand pipelined requests would recurse as deep.
        if (this.#reader.phase !== 'idle') setImmediate(this.#goOn);
        return;
      case 'silence':
      case 'repeat':
        return; // the client left
      default:
        ending satisfies never;
    }
  };

  readonly #goOn = (): void => {
    if (this.#exchange === undefined) this.#serve(this.#context.time.nowMs());
  };

  #refuse(status: number, problem: string): void {
    this.#context.refused();
    const body = errorJson(problem, 'invalid_request_error', status);
    this.#socket.write(smallReply(status, body, { closes: true }));
    this.#end();
  }

  /** FIN; further data from the client is discarded, so no reset overtakes the reply. */
  #end(): void {
    this.#isEnding = true;
    this.#waitsSinceMs = this.#context.time.nowMs();
    this.#socket.end();
    if (this.#socket.isPaused()) this.#socket.resume();
  }
}

/** First byte of a ClientHello (RFC 8446 §5.1), never of an HTTP request. */
const TLS_HANDSHAKE = 0x16;
/** Requests ahead of their turn; past it the socket is not read. */
const PIPELINED_BYTES_MAX = 65_536;
const ENDING_MS_MAX = 5_000;
