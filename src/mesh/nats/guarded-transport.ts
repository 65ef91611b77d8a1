// The connection to a fleet's server as the client library reads it: through a reader that lets only well-formed frames of a
// limited size pass, at a limited rate, a little in each turn of the event loop. The library's own transport keeps what it has
// not parsed without a limit, joins an endless first line again for every piece of it, and prints what it cannot parse.

import { lookup } from 'node:dns/promises';
import { connect as connectTcp, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { connect as connectTls, TLSSocket } from 'node:tls';
import type { ConnectionOptions, Server, Transport } from '@nats-io/nats-core/internal';
import { type Clock, pause } from '../../clock/clock.ts';
import { TokenBucket } from '../../clock/token-bucket.ts';
import { readInputText } from '../../process/input-file.ts';
import { ProtocolViolation, ServerReader } from './server-reader.ts';

export interface TransportEvents {
  /** Before anything else learns that the connection has ended. */
  violated(error: ProtocolViolation): void;
  /** Messages that are not passed on: malformed by their publisher, or too large. */
  leftOut(messages: number): void;
}

export class GuardedTransport implements Transport {
  /** Shown by the server's own tools. */
  readonly lang = 'plimsoll';
  readonly version = '1';
  readonly #clock: Clock;
  readonly #reader: ServerReader;
  readonly #frames: TokenBucket;
  readonly #bytes: TokenBucket;
  readonly #closed = Promise.withResolvers<undefined | Error>();
  readonly #stop = new AbortController();
  readonly #eventsOf: (options: ConnectionOptions) => TransportEvents | undefined;
  #events: TransportEvents | undefined;
  #socket: Socket | undefined;
  #arrived = Promise.withResolvers<void>();
  /**
   * The socket has closed, and what arrived before must still be read: an error of the server comes last.
   */
  #isEnding = false;
  /** Undefined if the server closed the connection without one. */
  closeError?: Error;

  /**
   * `eventsOf`: for the connection with these options; the library creates a transport before it is known for
   * which connection.
   */
  constructor(clock: Clock, eventsOf: (options: ConnectionOptions) => TransportEvents | undefined) {
    this.#clock = clock;
    this.#eventsOf = eventsOf;
    this.#reader = new ServerReader(clock);
    this.#frames = new TokenBucket(clock, FRAME_RATE);
    this.#bytes = new TokenBucket(clock, BYTE_RATE);
  }

  get isClosed(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Rejects with what the network or TLS reports, or with ProtocolViolation. */
  async connect(server: Server, options: ConnectionOptions): Promise<void> {
    const { tls } = options;
    this.#events = this.#eventsOf(options);
    const address = { host: server.hostname, port: server.port };
    try {
      const ca = await trustedBy(tls?.caFile);
      const secure = { servername: server.tlsName, rejectUnauthorized: true as const, ...ca };
      if (tls?.handshakeFirst === true)
        await this.#open(connectTls({ ...address, ...secure }), 'secureConnect');
      else await this.#open(connectTcp(address), 'connect');
      const info = await this.#greeting();
      const offersTls = info.tls_required === true || info.tls_available === true;
      // Nothing is sent in plain text if TLS is required, regardless of the server's reply.
      if (tls !== null && tls !== undefined && !this.isEncrypted() && !offersTls)
        throw new Error('the server has no TLS');
      const isTlsDue = info.tls_required === true || (offersTls && tls !== null);
      if (isTlsDue && !this.isEncrypted()) await this.#startTls(secure);
      if (this.isClosed) throw this.#ended;
    } catch (error) {
      this.#end(error instanceof Error ? error : new Error(String(error)));
      throw error;
    }
  }

  isEncrypted(): boolean {
    return this.#socket instanceof TLSSocket;
  }

  send(frame: Uint8Array): void {
    if (this.isClosed || this.#socket === undefined || this.#socket.destroyed) return;
    this.#socket.write(frame);
    if (this.#socket.writableLength > OUT_BYTES_MAX)
      this.#end(
        new ProtocolViolation(`it does not read: more than ${OUT_BYTES_MAX / 1e6} MB are queued for it`),
      );
  }

  async close(): Promise<void> {
    this.#end(undefined);
  }

  disconnect(): void {
    this.#end(new Error('the server did not answer in time'));
  }

  closed(): Promise<undefined | Error> {
    return this.#closed.promise;
  }

  discard(): void {
    this.#end(undefined);
  }

  async *[Symbol.asyncIterator](): AsyncIterableIterator<Uint8Array> {
    while (!this.isClosed) {
      const run = this.#reader.take();
      if (run === undefined) {
        if (this.#isEnding) this.#end(this.closeError);
        this.#arrived = Promise.withResolvers();
        if (!this.isClosed && this.#reader.readyBytes === 0) await this.#arrived.promise;
        continue;
      }
      if (this.#reader.readyBytes < READY_BYTES_LOW) this.#socket?.resume();
      await this.#pace(run.frames, run.bytes.length);
      if (this.isClosed) return;
      yield run.bytes;
      // Other work has its turn between two runs, however many wait.
      await nextTurn();
    }
  }

  async #pace(frames: number, bytes: number): Promise<void> {
    while (!this.isClosed && !(this.#frames.has(frames) && this.#bytes.has(bytes)))
      await pause(this.#clock, PACE_MS, this.#stop.signal);
    this.#frames.take(frames);
    this.#bytes.take(bytes);
  }

  /** Resolves at the event. */
  #open(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
    const opened = Promise.withResolvers<void>();
    this.#socket = socket;
    if (this.isClosed) socket.destroy();
    socket.setNoDelay(true);
    socket.once(event, opened.resolve);
    let failure: Error | undefined;
    socket.on('error', error => {
      failure = error; // its 'close' follows
    });
    socket.on('close', () => {
      if (this.#socket === socket) this.#socketClosed(failure);
      opened.reject(failure ?? this.#ended);
    });
    socket.on('data', chunk => this.#take(chunk));
    return opened.promise;
  }

  #take(chunk: Buffer | string): void {
    if (this.isClosed || typeof chunk === 'string') return;
    const before = this.#reader.refused;
    try {
      this.#reader.push(chunk);
      if (this.#reader.refused > before) this.#events?.leftOut(this.#reader.refused - before);
    } catch (error) {
      this.#end(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    if (this.#reader.readyBytes > READY_BYTES_HIGH) this.#socket?.pause();
    this.#arrived.resolve();
  }

  async #greeting(): Promise<NonNullable<ServerReader['info']>> {
    while (!this.isClosed) {
      const { info } = this.#reader;
      if (info !== undefined) return info;
      this.#arrived = Promise.withResolvers();
      await this.#arrived.promise;
    }
    throw this.#ended;
  }

  /** What arrived in plain text after the greeting could come from anyone on the way. */
  async #startTls(secure: SecureOptions): Promise<void> {
    const plain = this.#socket;
    if (plain === undefined || this.isClosed) throw this.#ended;
    if (this.#reader.isWithinFrame || this.#reader.readyFrames > 1)
      throw new ProtocolViolation('it continues in plain text after its greeting');
    plain.removeAllListeners('data');
    await this.#open(connectTls({ ...secure, socket: plain }), 'secureConnect');
  }

  get #ended(): Error {
    return this.closeError ?? new Error('the server closed the connection');
  }

  #socketClosed(failure: Error | undefined): void {
    if (this.isClosed) return;
    if (failure !== undefined) this.closeError = failure;
    this.#isEnding = this.#reader.readyBytes > 0;
    if (this.#isEnding) this.#arrived.resolve();
    else this.#end(failure);
  }

  #end(error: Error | undefined): void {
    if (this.isClosed) return;
    if (error !== undefined) this.closeError = error;
    if (error instanceof ProtocolViolation) this.#events?.violated(error);
    this.#stop.abort();
    this.#socket?.destroy();
    this.#arrived.resolve();
    this.#closed.resolve(error);
  }
}

interface SecureOptions {
  readonly servername: string;
  readonly rejectUnauthorized: true;
  readonly ca?: string;
}

/** Resolves names as the library's own transport does. */
export const resolveHost = async (name: string): Promise<string[]> => {
  const found = await lookup(name, { all: true });
  return found.slice(0, ADDRESSES_MAX).map(({ address }) => address);
};

const trustedBy = async (caFile: string | undefined): Promise<{ readonly ca?: string }> =>
  caFile === undefined ? {} : { ca: await readInputText(caFile, 'homeFile') };

/** Addresses per name. */
const ADDRESSES_MAX = 16;
/** Above it a server waits until this node has read. */
const READY_BYTES_HIGH = 4_194_304;
const READY_BYTES_LOW = 1_048_576;
/** A fleet of a thousand sends 1,250 messages a second, and 50,000 for the first picture. */
const FRAME_RATE = { burst: 100_000, perSecond: 20_000 };
const BYTE_RATE = { burst: 268_435_456, perSecond: 67_108_864 };
const PACE_MS = 10;
/** More than a link to the fleet queues before it ends. */
const OUT_BYTES_MAX = 67_108_864;
