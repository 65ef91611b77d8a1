// The deterministic inference server: its own HTTP/1.1 server on plain sockets, because it must cost less and keep time
// better than the client it tests.

import { once } from 'node:events';
import { lstat } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { type Clock, pause } from '../clock/clock.ts';
import { systemClock } from '../clock/system-clock.ts';
import { minimumOf } from '../core/extremes.ts';
import { errorCode, errorMessage } from '../core/problem.ts';
import { removeIfThere } from '../process/atomic-file.ts';
import { Admission } from './admission.ts';
import { ClientConnection } from './client-connection.ts';
import { DeadlineQueue } from './deadline-queue.ts';
import { LogFile } from './log-file.ts';
import { hostTime, MockLog, type MockLogSummary, StampLog } from './mock-log.ts';
import { MockError, type MockOptions, type MockSettings, mockSettings } from './mock-settings.ts';
import { Routes } from './routes.ts';

export interface Mock extends AsyncDisposable {
  /** "http://127.0.0.1:43121", "unix:/run/mock.sock" */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  /** The log without its entries, which `GET /mock/log` returns. */
  log(): MockLogSummary;
  reset(): void;
  /** Cuts all connections. Idempotent. */
  stop(): Promise<void>;
}

/** @throws MockError if an option is invalid or the address is unavailable. */
export const startMock = async (options: MockOptions = {}, clock: Clock = systemClock): Promise<Mock> => {
  const settings = mockSettings(options);
  const logFile = settings.logFile === '' ? undefined : await LogFile.open(settings.logFile);
  const server = new MockServer({ settings, clock, logFile });
  try {
    await server.listen();
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
};

interface MockServerOptions {
  readonly settings: MockSettings;
  readonly clock: Clock;
  readonly logFile: LogFile | undefined;
}

class MockServer implements Mock {
  readonly #settings: MockSettings;
  readonly #clock: Clock;
  readonly #logFile: LogFile | undefined;
  readonly #server: Server;
  readonly #connections = new Set<ClientConnection>();
  readonly #log: MockLog;
  readonly #queue: DeadlineQueue;
  readonly #admission: Admission;
  readonly #stop = new AbortController();
  #sweeping: Promise<void> | undefined;
  #opened = 0;
  #refused = 0;
  #refusedRequests = 0;
  #stopped: Promise<void> | undefined;

  constructor({ settings, clock, logFile }: MockServerOptions) {
    this.#settings = settings;
    this.#clock = clock;
    this.#logFile = logFile;
    const time = hostTime(clock);
    const log = new MockLog(time, logFile?.add);
    this.#log = log;
    const queue = new DeadlineQueue(time.nowMs);
    this.#queue = queue;
    const admission = new Admission(settings.concurrencyMax, exchange => {
      const nowMs = time.nowMs();
      const dueMs = exchange.begin(settings.concurrencyMax === 0 ? exchange.served.readMs : nowMs, nowMs);
      if (dueMs !== undefined) queue.add(exchange, dueMs);
    });
    this.#admission = admission;
    const stamps = settings.stampsWrites ? new StampLog(time) : undefined;
    const routes = new Routes({ settings, log, summary: () => this.log(), stamps });
    const context = {
      time,
      settings,
      answer: routes.answer.bind(routes),
      admit: admission.admit.bind(admission),
      schedule: queue.add.bind(queue),
      wroteLate: log.wroteLate,
      done: admission.done.bind(admission, served => {
        log.add(served);
        stamps?.add(served);
      }),
      refused: () => {
        this.#refusedRequests += 1;
      },
    };
    this.#server = createServer({ noDelay: true }, socket => this.#accept(socket, context));
  }

  get url(): string {
    const { host } = this;
    if (this.#settings.socketPath !== '') return `unix:${this.#settings.socketPath}`;
    return `http://${host.includes(':') ? `[${host}]` : host}:${this.port}`;
  }

  get host(): string {
    return this.#settings.host;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : this.#settings.port;
  }

  async listen(): Promise<void> {
    const { host, port, socketPath } = this.#settings;
    try {
      if (socketPath !== '') await removeLeftSocket(socketPath);
      this.#server.listen(
        socketPath === '' ? { host, port, backlog: BACKLOG } : { path: socketPath, backlog: BACKLOG },
      );
      await once(this.#server, 'listening');
    } catch (error) {
      const why = errorMessage(error);
      const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
      throw new MockError(
        isTaken ? 'address-in-use' : 'cannot-listen',
        `cannot listen on ${socketPath === '' ? `${host}, port ${port}` : socketPath}: ${why}`,
        {
          cause: error,
        },
      );
    }
    this.#sweeping = this.#sweep();
    this.#server.on('error', () => undefined); // out of file descriptors: the client sees a refusal, the server stays
  }

  log(): MockLogSummary {
    return this.#log.summary({
      running: this.#admission.running,
      waiting: this.#admission.waiting,
      connections: { opened: this.#opened, open: this.#connections.size, refused: this.#refused },
      refusedRequests: this.#refusedRequests,
      linesDropped: this.#logFile?.linesDropped ?? 0,
    });
  }

  reset(): void {
    this.#log.reset();
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#end();
    return this.#stopped;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /** Ends what takes too long, for as long as the server listens. */
  async #sweep(): Promise<void> {
    const { signal } = this.#stop;
    const everyMs = sweepMs(this.#settings);
    while (!signal.aborted) {
      await pause(this.#clock, everyMs, signal);
      const nowMs = this.#clock.nowMs();
      for (const connection of this.#connections) connection.sweep(nowMs);
      this.#logFile?.flush();
    }
  }

  async #end(): Promise<void> {
    this.#stop.abort();
    await this.#sweeping;
    const closed = this.#server.listening ? once(this.#server, 'close') : undefined;
    this.#server.close();
    for (const connection of this.#connections) connection.destroy();
    await closed;
    this.#queue.clear();
    await this.#logFile?.[Symbol.asyncDispose]();
  }

  #accept(socket: Socket, context: ConstructorParameters<typeof ClientConnection>[1]): void {
    if (this.#connections.size >= CONNECTIONS_MAX || this.#stopped !== undefined) {
      this.#refused += 1;
      socket.destroy();
      return;
    }
    this.#opened += 1;
    const connection = new ClientConnection(socket, context);
    this.#connections.add(connection);
    socket.on('close', () => this.#connections.delete(connection));
  }
}

/** Often enough that the shortest limit is exceeded by at most about a quarter. */
const sweepMs = ({ headTimeoutMs, bodyTimeoutMs, stallTimeoutMs, idleCloseMs }: MockSettings): number => {
  const limits = [headTimeoutMs, bodyTimeoutMs, stallTimeoutMs, idleCloseMs].filter(limit => limit > 0);
  return Math.max(SWEEP_MS_MIN, minimumOf([SWEEP_MS_MAX, ...limits.map(limit => limit / 4)]));
};

const CONNECTIONS_MAX = 16_384;
/** The kernel's own bound is usually lower (net.core.somaxconn). */
const BACKLOG = 4_096;
const SWEEP_MS_MIN = 5;
const SWEEP_MS_MAX = 500;

// A Unix socket stays in the file system when its server was killed, and prevents others from listening there. It is
// removed if nothing accepts connections; anything but a socket, or one that accepts, is left alone.

/** @throws the system's error if it cannot be removed */
const removeLeftSocket = async (path: string): Promise<void> => {
  const found = await lstat(path).catch(() => undefined); // listening reports the problem
  if (found?.isSocket() !== true) return;
  const socket = connect(path);
  try {
    await once(socket, 'connect');
  } catch (error) {
    if (errorCode(error) === 'ECONNREFUSED') await removeIfThere(path);
  } finally {
    socket.destroy();
  }
};
