// One request on its way: to the server as it arrives, and the reply back as it comes, each end as fast as the other
// takes it. What passed is copied for the record afterwards. If the client leaves, the server's connection is closed.

import type { Agent, ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import type { RequestOptions } from 'node:https';
import type { Socket } from 'node:net';
import type { Clock } from '../../clock/clock.ts';
import { errorCode, errorMessage } from '../../core/problem.ts';
import type { EndKind } from '../arena/load-record.ts';
import { connectionProblem } from '../target/connection-problem.ts';
import type { BenchTarget } from '../target/target-url.ts';
import type { Tap } from './tap.ts';
import { connectionOptions, replyHeaders, upstreamHeaders, upstreamPath } from './upstream.ts';

export type SendRequest = (options: RequestOptions) => ClientRequest;

interface ForwardedEnd {
  /** false: the client got a 502. */
  readonly isAnswered: boolean;
  /** Time in this process; undefined: no reply began. */
  readonly addedMs: number | undefined;
}

/** A client's connection, and those to the server that are its own. */
export interface PairedConnection {
  readonly agent: Agent;
  inFlight: number;
}

interface ForwardedRequestOptions {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly target: BenchTarget;
  readonly clock: Clock;
  readonly tap: Tap;
  /** undefined: it is not recorded. */
  readonly api: string | undefined;
  readonly sessionHeader: string | undefined;
  readonly send: SendRequest;
  readonly connection: PairedConnection;
  /** The reply is on its way completely, or the client is gone. */
  readonly onEnd: (end: ForwardedEnd) => void;
}

export class ForwardedRequest {
  readonly #options: ForwardedRequestOptions;
  /** Of the tap; undefined: it is not recorded. */
  readonly #exchange: number | undefined;
  /** What this process has taken so far, up to the first bytes of the reply. */
  #ownMs = 0;
  #hasReply = false;
  #hasBytes = false;
  #isConnected = false;
  #isAnswered = true;
  #isOver = false;

  constructor(options: ForwardedRequestOptions) {
    this.#options = options;
    const { api, tap, clock, request, sessionHeader } = options;
    const session = sessionHeader === undefined ? undefined : request.headers[sessionHeader];
    this.#exchange =
      api === undefined
        ? undefined
        : tap.request({
            api,
            atMs: clock.nowMs(),
            encoding: request.headers['content-encoding'] ?? '',
            session: typeof session === 'string' ? session : undefined,
          });
  }

  begin(): void {
    const { request, response } = this.#options;
    const upstream = this.#timed(() => this.#opened());
    if (upstream === undefined) return;
    upstream.on('error', error => this.#failed(upstream, error));
    upstream.once('close', () => {
      // Nothing takes the rest of the body: it is read and dropped, for clients that send it before they read a reply.
      request.resume();
      if (!this.#hasReply) this.#failed(upstream, new Error('it closed the connection'));
    });
    upstream.on('response', reply => this.#timed(() => this.#answer(upstream, reply)));
    upstream.on('drain', () => request.resume());
    upstream.once('socket', socket => this.#watch(upstream, socket));
    request.on('data', (chunk: Buffer) => {
      // A reply may be whole before its request is: the server's connection is used again only after the whole body.
      if (upstream.destroyed) return;
      this.#timed(() => {
        if (!upstream.write(chunk)) request.pause();
      });
      if (this.#exchange !== undefined) this.#options.tap.requestBody(this.#exchange, chunk);
    });
    request.on('end', () =>
      this.#timed(() => {
        if (request.rawTrailers.length > 0) upstream.addTrailers(pairsOf(request.rawTrailers));
        upstream.end();
      }),
    );
    response.once('close', () => {
      if (this.#isOver) return;
      // The client left, or its request broke off.
      this.#end('cancelled');
      upstream.destroy();
    });
  }

  /** undefined: its head has what cannot be sent, and it is answered. */
  #opened(): ClientRequest | undefined {
    const { request, response, target, send, connection, onEnd } = this.#options;
    const { method = 'GET', rawHeaders, url = '/' } = request;
    response.once('close', () =>
      onEnd({ isAnswered: this.#isAnswered, addedMs: this.#hasReply ? this.#ownMs : undefined }),
    );
    try {
      return send({
        ...connectionOptions(target),
        agent: connection.agent,
        method,
        path: upstreamPath(target, url),
        headers: upstreamHeaders(rawHeaders, target, !BODILESS.has(method)),
        maxHeaderSize: REPLY_HEADER_BYTES_MAX,
      });
    } catch (error) {
      this.#refuse(400, `this request cannot be passed on: ${errorMessage(error)}`);
      this.#end('client');
      return undefined;
    }
  }

  #answer(upstream: ClientRequest, reply: IncomingMessage): void {
    const { response, tap, clock } = this.#options;
    const { statusCode: status = 502, statusMessage, rawHeaders, headers } = reply;
    response.sendDate = false;
    try {
      response.writeHead(status, statusMessage, replyHeaders(rawHeaders));
    } catch (error) {
      upstream.destroy(new Error(`the head of its reply cannot be passed on: ${errorMessage(error)}`));
      return;
    }
    this.#hasReply = true;
    if (this.#exchange !== undefined)
      tap.reply(this.#exchange, {
        status,
        type: headers['content-type'] ?? '',
        encoding: headers['content-encoding'] ?? '',
      });
    // A head that came alone goes on alone; with bytes behind it they share a packet.
    setImmediate(() => {
      if (!this.#hasBytes && !this.#isOver) response.flushHeaders();
    });
    response.on('drain', () => reply.resume());
    reply.on('data', (chunk: Buffer) => {
      const atMs = clock.nowMs();
      if (!response.write(chunk)) reply.pause();
      if (!this.#hasBytes) this.#ownMs += clock.nowMs() - atMs;
      this.#hasBytes = true;
      if (this.#exchange !== undefined) tap.replyBody(this.#exchange, chunk, atMs);
    });
    reply.once('end', () => {
      if (reply.rawTrailers.length > 0) response.addTrailers(pairsOf(reply.rawTrailers));
      this.#hasBytes = true;
      response.end();
      this.#end('whole');
    });
    reply.once('error', error => {
      this.#end(errorCode(error) === 'ECONNRESET' ? 'reset' : 'truncated');
      response.destroy();
    });
  }

  /** A connection that the server closes while the client's is idle closes the client's. */
  #watch(upstream: ClientRequest, socket: Socket): void {
    const { request, connection, target } = this.#options;
    if (!socket.connecting) {
      this.#isConnected = true;
      return;
    }
    const deadline = setTimeout(
      () => upstream.destroy(new Error(`no connection within ${CONNECT_MS_MAX / 1_000} s`)),
      CONNECT_MS_MAX,
    );
    socket.once(target.server.tls === undefined ? 'connect' : 'secureConnect', () => {
      clearTimeout(deadline);
      this.#isConnected = true;
    });
    socket.once('close', () => {
      clearTimeout(deadline);
      if (connection.inFlight === 0) request.socket.end();
    });
  }

  #failed(upstream: ClientRequest, error: Error): void {
    if (this.#isOver) return;
    const { request, response, target } = this.#options;
    if (this.#hasReply) {
      this.#end('reset');
      response.destroy();
      return;
    }
    // Without the proxy the client would have met the closed connection itself, and would try again on a new one.
    if (upstream.reusedSocket && errorCode(error) === 'ECONNRESET') {
      this.#end('reset');
      request.socket.destroy();
      return;
    }
    this.#isAnswered = false;
    this.#refuse(502, `${target.shown} does not answer: ${connectionProblem(error).problem}`);
    this.#end(this.#isConnected ? 'reset' : 'connect');
  }

  #refuse(code: number, message: string): void {
    this.#options.response
      .writeHead(code, { 'content-type': 'application/json' })
      .end(refusalBody(code, message));
  }

  #end(how: EndKind): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { tap, clock } = this.#options;
    if (this.#exchange !== undefined) tap.end(this.#exchange, how, clock.nowMs());
  }

  #timed<T>(work: () => T): T {
    const { clock } = this.#options;
    const startMs = clock.nowMs();
    const result = work();
    this.#ownMs += clock.nowMs() - startMs;
    return result;
  }
}

/** In the form of OpenAI's API, which its clients show. */
export const refusalBody = (code: number, message: string): string =>
  JSON.stringify({ error: { message: `plimsoll capture: ${message}`, type: 'proxy_error', code } });

const pairsOf = (flat: readonly string[]): [string, string][] =>
  flat.flatMap((name, index): [string, string][] => (index % 2 === 0 ? [[name, flat[index + 1] ?? '']] : []));

const BODILESS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']);
const REPLY_HEADER_BYTES_MAX = 65_536;
const CONNECT_MS_MAX = 30_000;
