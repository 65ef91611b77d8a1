// The listener of an agent. A peer with its secret gets a channel. Any other peer gets no reply beyond TLS's own
// refusal, and the number of its handshakes is limited: in parallel, in all and by address, and by second.

import { once } from 'node:events';
import { createServer as createNetServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket, type Server as TlsServer } from 'node:tls';
import type { Clock } from '../../../clock/clock.ts';
import { AddressBuckets } from '../../../clock/token-bucket.ts';
import { errorCode } from '../../../core/problem.ts';
import { isByPsk, TLS_SETTINGS } from '../../../process/psk-tls.ts';
import type { FrameLine } from '../../fleet/framed-channel.ts';
import { AGENT_IDENTITY, agentPsk } from './agent-code.ts';
import { TlsLine } from './tls-line.ts';

interface AgentListenerOptions {
  /** The secret that is accepted now; undefined: none, as when it is used up. Read at each handshake. */
  readonly secret: () => string | undefined;
  readonly clock: Pick<Clock, 'nowMs'>;
  /** Called for a peer with the secret. */
  readonly onLine: (line: FrameLine, from: string) => void;
  /** Connections refused so far: without the secret, too slow, too many. */
  readonly onStrangers?: (count: number) => void;
  /** For the whole handshake. Default 5 s, twice what it takes across the world. */
  readonly handshakeMs?: number;
}

export class AgentListener {
  readonly #options: AgentListenerOptions;
  readonly #net: Server;
  readonly #tls: TlsServer;
  readonly #buckets: AddressBuckets;
  readonly #handshakeMs: number;
  /** Connections that have not proved the secret yet, oldest first. */
  readonly #pending = new Map<Socket, { readonly address: string; readonly slow: NodeJS.Timeout }>();
  readonly #open = new Set<Socket>();
  #strangers = 0;

  constructor(options: AgentListenerOptions) {
    this.#options = options;
    this.#handshakeMs = options.handshakeMs ?? HANDSHAKE_MS_MAX;
    this.#buckets = new AddressBuckets(options.clock, HANDSHAKE_RATE, ADDRESSES_MAX);
    this.#tls = createTlsServer({
      ...TLS_SETTINGS,
      handshakeTimeout: this.#handshakeMs,
      pskCallback: (_socket, identity) => {
        const secret = options.secret();
        return identity === AGENT_IDENTITY && secret !== undefined ? agentPsk(secret) : null;
      },
    });
    this.#tls.on('secureConnection', socket => this.#welcome(socket));
    this.#tls.on('tlsClientError', (_error, socket) => socket.destroy());
    this.#net = createNetServer({ noDelay: true }, raw => this.#take(raw));
    this.#net.maxConnections = PENDING_MAX + OPEN_MAX + PENDING_MAX;
  }

  get strangers(): number {
    return this.#strangers;
  }

  /** Returns the port. '::' accepts IPv4 too, and only IPv4 on a machine without IPv6. @throws the system's error. */
  async listen(host: string, port: number): Promise<number> {
    try {
      return await this.#listenAt(host, port);
    } catch (error) {
      if (host !== '::' || errorCode(error) !== 'EAFNOSUPPORT') throw error;
      return await this.#listenAt('0.0.0.0', port);
    }
  }

  /**
   * Accepts no more connections and cuts those that have not proved the secret. Open channels stay with their users.
   */
  async close(): Promise<void> {
    const closed = this.#net.listening ? once(this.#net, 'close') : undefined;
    this.#net.close();
    for (const raw of this.#pending.keys()) raw.destroy();
    for (const raw of this.#open) raw.destroy();
    await closed;
  }

  async #listenAt(host: string, port: number): Promise<number> {
    this.#net.listen({ host, port });
    await once(this.#net, 'listening');
    // A failed accept, for lack of descriptors, costs only that connection.
    this.#net.on('error', () => undefined);
    const address = this.#net.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  #take(raw: Socket): void {
    raw.on('error', () => undefined); // 'close' follows
    const address = plainAddress(raw.remoteAddress);
    if (!this.#buckets.of(address).take()) {
      this.#refuse(raw);
      return;
    }
    this.#makeRoom(address);
    this.#pending.set(raw, { address, slow: setTimeout(() => raw.destroy(), this.#handshakeMs) });
    raw.once('close', () => {
      if (this.#leave(raw)) this.#count();
      this.#open.delete(raw);
    });
    this.#tls.emit('connection', raw);
  }

  /** Drops the oldest: of the same address, if that has many already; else of all. */
  #makeRoom(address: string): void {
    const ofSame = [...this.#pending].filter(([, other]) => other.address === address);
    const [first] = ofSame.length >= PENDING_OF_ADDRESS_MAX ? ofSame : this.#pending;
    const isFull = ofSame.length >= PENDING_OF_ADDRESS_MAX || this.#pending.size >= PENDING_MAX;
    if (isFull) first?.[0].destroy();
  }

  #welcome(socket: TLSSocket): void {
    socket.on('error', () => undefined); // 'close' follows
    const raw = [...this.#pending.keys()].find(
      ({ remoteAddress, remotePort }) =>
        remoteAddress === socket.remoteAddress && remotePort === socket.remotePort,
    );
    if (raw === undefined || !isByPsk(socket) || this.#open.size >= OPEN_MAX) {
      socket.destroy();
      return;
    }
    this.#leave(raw);
    this.#open.add(raw);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    this.#options.onLine(new TlsLine(socket), plainAddress(socket.remoteAddress));
  }

  #leave(raw: Socket): boolean {
    clearTimeout(this.#pending.get(raw)?.slow);
    return this.#pending.delete(raw);
  }

  #refuse(raw: Socket): void {
    raw.destroy();
    this.#count();
  }

  #count(): void {
    this.#strangers += 1;
    this.#options.onStrangers?.(this.#strangers);
  }
}

/** IPv4 in its usual form, also on a dual-stack socket. */
const plainAddress = (address: string | undefined): string =>
  (address ?? '').replace(/^::ffff:(?=\d+\.)/, '');

const HANDSHAKE_MS_MAX = 5_000;
/** By address. At two a second, the chance to guess one of 2^128 stays negligible. */
const HANDSHAKE_RATE = { burst: 20, perSecond: 2 };
const ADDRESSES_MAX = 1_024;
const PENDING_MAX = 32;
const PENDING_OF_ADDRESS_MAX = 8;
/** With the secret: one coordinator, and a few more that receive "busy". */
const OPEN_MAX = 4;
const KEEP_ALIVE_MS = 1_000;
