// The proxy: each request goes on to the server as it came, and its reply comes back as it is sent, byte by byte. A
// connection of a client has one of its own behind it, so that closed connections look to both ends as without the
// proxy.

import { once } from 'node:events';
import { type Agent, createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../../clock/clock.ts';
import { type HostPort, hostPortText } from '../../core/address/host-port.ts';
import { errorMessage } from '../../core/problem.ts';
import { Histogram } from '../../core/statistics/histogram.ts';
import { BenchError } from '../bench-error.ts';
import type { BenchTarget } from '../target/target-url.ts';
import {
  ForwardedRequest,
  type PairedConnection,
  refusalBody,
  type SendRequest,
} from './forwarded-request.ts';
import type { Tap } from './tap.ts';
import { recordedApi } from './upstream.ts';

interface ReverseProxyOptions {
  readonly target: BenchTarget;
  readonly listen: HostPort;
  /** In lower case. */
  readonly sessionHeader: string | undefined;
  readonly clock: Clock;
  readonly tap: Tap;
}

export interface ProxyFigures {
  /** Of requests to record, those that are not over. */
  readonly inFlight: number;
  /** Not of an API that is recorded. */
  readonly passed: number;
  /** Without a reply of the server: they got a 502. */
  readonly unanswered: number;
  /** Connections and requests past the limits. */
  readonly refused: number;
  /** What this process takes for a request and the beginning of its reply, ms; undefined: there was none yet. */
  readonly addedMs: { readonly p50: number; readonly p99: number } | undefined;
}

interface Upstream {
  readonly send: SendRequest;
  readonly newAgent: () => Agent;
}

export class ReverseProxy {
  readonly #options: ReverseProxyOptions;
  readonly #upstream: Upstream;
  readonly #server: Server;
  readonly #connections: Map<Socket, PairedConnection> = new Map();
  readonly #added: Histogram = new Histogram({ low: 1, high: 1e10 });
  readonly #waiting: Set<() => void> = new Set();
  #inFlight = 0;
  #recording = 0;
  #passed = 0;
  #unanswered = 0;
  #refused = 0;

  private constructor(options: ReverseProxyOptions, upstream: Upstream) {
    this.#options = options;
    this.#upstream = upstream;
    this.#server = createServer(
      { keepAliveTimeout: IDLE_MS_MAX, requestTimeout: REQUEST_MS_MAX, maxHeaderSize: HEADER_BYTES_MAX },
      (request, response) => this.#forward(request, response),
    );
    this.#server.maxConnections = CONNECTIONS_MAX;
    // Their bytes are limited. Some versions of Node refuse more than 2,000; others leave out the rest, the length of
    // the body among them.
    this.#server.maxHeadersCount = 0;
    this.#server.on('drop', () => {
      this.#refused += 1;
    });
    this.#server.on('connection', socket => {
      socket.once('close', () => {
        this.#connections.get(socket)?.agent.destroy();
        this.#connections.delete(socket);
      });
    });
  }

  /** @throws BenchError `failed` if the address cannot be used */
  static async listen(options: ReverseProxyOptions): Promise<ReverseProxy> {
    const { target, listen } = options;
    const { Agent, request } = await (target.server.tls === undefined
      ? import('node:http')
      : import('node:https'));
    const proxy = new ReverseProxy(options, {
      send: request,
      newAgent: () => new Agent({ keepAlive: true, maxSockets: PIPELINED_MAX }),
    });
    proxy.#server.listen(listen.port, listen.host);
    try {
      await once(proxy.#server, 'listening');
    } catch (error) {
      throw new BenchError(
        {
          code: 'failed',
          problem: `cannot listen on ${hostPortText(listen)}: ${errorMessage(error)}`,
          advice: 'Choose another port: --http PORT.',
        },
        { cause: error },
      );
    }
    // Out of file descriptors: the client sees a refusalBody, the server stays.
    proxy.#server.on('error', () => undefined);
    return proxy;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : this.#options.listen.port;
  }

  get figures(): ProxyFigures {
    const [p50 = 0, p99 = 0] = this.#added.count === 0 ? [] : this.#added.percentiles([50, 99]);
    return {
      inFlight: this.#recording,
      passed: this.#passed,
      unanswered: this.#unanswered,
      refused: this.#refused,
      addedMs: this.#added.count === 0 ? undefined : { p50: p50 / 1e6, p99: p99 / 1e6 },
    };
  }

  /** Takes no more connections, and cuts the requests in flight when the signal aborts. */
  async stop(cut: AbortSignal): Promise<void> {
    this.#server.close();
    this.#server.closeIdleConnections();
    const closed = once(this.#server, 'close');
    const cutAll = (): void => this.#server.closeAllConnections();
    if (this.#inFlight === 0 || cut.aborted) cutAll();
    else {
      cut.addEventListener('abort', cutAll, { once: true });
      this.#waiting.add(cutAll);
    }
    await closed;
  }

  #forward(request: IncomingMessage, response: ServerResponse): void {
    const { target, clock, tap, sessionHeader } = this.#options;
    if (this.#inFlight >= IN_FLIGHT_MAX) {
      this.#refused += 1;
      response.writeHead(503, { 'content-type': 'application/json' }).end(refusalBody(503, TOO_MANY));
      return;
    }
    const api = recordedApi(request.method ?? '', request.url ?? '');
    if (api === undefined) this.#passed += 1;
    else this.#recording += 1;
    this.#inFlight += 1;
    const connection = this.#connectionOf(request.socket);
    connection.inFlight += 1;
    new ForwardedRequest({
      request,
      response,
      target,
      clock,
      tap,
      api,
      sessionHeader,
      send: this.#upstream.send,
      connection,
      onEnd: ({ isAnswered, addedMs }) => {
        this.#inFlight -= 1;
        connection.inFlight -= 1;
        if (api !== undefined) this.#recording -= 1;
        if (!isAnswered) this.#unanswered += 1;
        if (addedMs !== undefined) this.#added.record(addedMs * 1e6);
        if (this.#inFlight === 0) for (const done of this.#waiting) done();
      },
    }).begin();
  }

  #connectionOf(socket: Socket): PairedConnection {
    const known = this.#connections.get(socket);
    if (known !== undefined) return known;
    const connection = { agent: this.#upstream.newAgent(), inFlight: 0 };
    this.#connections.set(socket, connection);
    return connection;
  }
}

const CONNECTIONS_MAX = 4_096;
const IN_FLIGHT_MAX = 8_192;
/** Of one client's connection that are under way at a time. */
const PIPELINED_MAX = 16;
const HEADER_BYTES_MAX = 65_536;
/** Servers close idle connections sooner, which closes the client's too. */
const IDLE_MS_MAX = 600_000;
/** Until the whole request has arrived. */
const REQUEST_MS_MAX = 600_000;
const TOO_MANY = `${IN_FLIGHT_MAX} requests are in flight, and no more are passed on`;
