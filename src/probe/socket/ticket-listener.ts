// The listener of the end of a probe that is dialled, for sockets and for RDMA: it admits one source that
// proves the ticket, with its data connections. Strangers cost a short wait and receive nothing. Every
// connection may try to prove the ticket, which takes milliseconds: when all slots are taken, the one idle
// longest is dropped, those of the same address first.

import { once } from 'node:events';
import { createServer, isIP, type Server, type Socket, SocketAddress } from 'node:net';
import { type Clock, pause, untilAborted } from '../../clock/clock.ts';
import { receiveIntroduction } from './handshake.ts';
import { ProbeError } from './probe-error.ts';

interface TicketListenerOptions {
  readonly ticket: string;
  /**
   * Where the source may connect from, as far as known; may be empty. Others are admitted with the ticket, too: an
   * address may be translated on the way.
   */
  readonly sourceAddresses: readonly string[];
  /** A data connection with the ticket. @throws ProbeError if nothing waits for it: it is closed. */
  readonly onData: (connection: DataConnection) => Promise<void>;
}

export interface DataConnection {
  readonly socket: Socket;
  readonly run: number;
  readonly index: number;
  /** Notifies the source that it is accepted. */
  accept(): Promise<void>;
}

export class TicketListener {
  readonly #options: TicketListenerOptions;
  readonly #server: Server = createServer({ noDelay: true });
  /** Connections that have not proved the ticket, oldest first, with their addresses. */
  readonly #pending = new Map<Socket, string>();
  readonly #over = new AbortController();
  readonly #source = Promise.withResolvers<Socket>();
  /** Addresses of the node with the ticket: known ones, and those from which it has proved the ticket. */
  readonly #expected: Set<string>;
  #hasSource = false;
  #strangers = 0;

  constructor(options: TicketListenerOptions) {
    this.#options = options;
    this.#expected = new Set(options.sourceAddresses.map(plainAddress));
    this.#server.on('connection', socket => this.#take(socket));
  }

  /** Connections of others, or of the same without proof. */
  get strangers(): number {
    return this.#strangers;
  }

  /** The port. @throws the system's error when the address cannot be listened on. */
  async listen(host: string, port: number): Promise<number> {
    this.#server.listen({ host, port, backlog: PENDING_MAX });
    await once(this.#server, 'listening');
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  /** The control connection of the source; undefined if no connection arrived in time, or the signal aborted. */
  async source(options: {
    /** Infinity for no limit. */
    readonly waitMsMax: number;
    readonly clock: Clock;
    readonly signal: AbortSignal;
  }): Promise<Socket | undefined> {
    const { waitMsMax, clock, signal } = options;
    if (signal.aborted) return undefined;
    const found = new AbortController();
    const patience = AbortSignal.any([signal, found.signal]);
    const waited = Number.isFinite(waitMsMax) ? pause(clock, waitMsMax, patience) : untilAborted(patience);
    try {
      return await Promise.race([this.#source.promise, waited.then(() => undefined)]);
    } finally {
      found.abort();
    }
  }

  /** No more connections are admitted, and waiting ones are closed. */
  close(): void {
    this.#over.abort();
    this.#server.close();
    for (const socket of this.#pending.keys()) socket.destroy();
  }

  #take(socket: Socket): void {
    socket.on('error', () => undefined); // 'close' follows, and the reader notices
    const address = plainAddress(socket.remoteAddress ?? '');
    this.#makeRoom(address);
    this.#pending.set(socket, address);
    const leave = (): void => void this.#pending.delete(socket);
    socket.once('close', leave);
    void this.#introduce(socket, address).then(leave, () => {
      this.#strangers += 1;
      socket.destroy();
    });
  }

  /**
   * A slot for one more: an address that opens many uses only its own slots, and none of those reserved for the
   * source.
   */
  #makeRoom(address: string): void {
    const ofSame = [...this.#pending].filter(([, other]) => other === address);
    if (ofSame.length >= PENDING_OF_ADDRESS_MAX) this.#send(ofSame[0]?.[0]);
    else if (this.#pending.size >= PENDING_MAX) this.#send(this.#oldestOfMost());
  }

  #oldestOfMost(): Socket | undefined {
    const byAddress = Map.groupBy(this.#pending, ([, address]) => address);
    const [most] = [...byAddress]
      .filter(([address]) => !this.#expected.has(address))
      .map(([, sockets]) => sockets)
      .sort((a, b) => b.length - a.length);
    return most?.[0]?.[0];
  }

  #send(socket: Socket | undefined): void {
    if (socket === undefined) return;
    this.#pending.delete(socket);
    socket.destroy();
  }

  async #introduce(socket: Socket, address: string): Promise<void> {
    const patience = AbortSignal.any([this.#over.signal, AbortSignal.timeout(INTRODUCTION_MS_MAX)]);
    const received = await receiveIntroduction(socket, this.#options.ticket, patience);
    if (received.kind === 'not-proved') throw new ProbeError('refused', 'the ticket was not proved');
    this.#expected.add(address);
    const { role, run, index } = received.head;
    if (role === 'data') {
      await this.#options.onData({ socket, run, index, accept: () => received.answer('accepted') });
      return;
    }
    const isFirst = !this.#hasSource;
    this.#hasSource = true;
    await received.answer(isFirst ? 'accepted' : 'busy');
    if (isFirst) this.#source.resolve(socket);
    else socket.destroySoon();
  }
}

/** IPv4 that comes in on a dual-stack socket looks like ::ffff:192.0.2.1; a scope is only known to this machine. */
const plainAddress = (address: string): string => {
  const [bare = ''] = address.replace(/^::ffff:(?=\d+\.)/i, '').split('%');
  return isIP(bare) === 6 ? new SocketAddress({ address: bare, family: 'ipv6' }).address : bare;
};

/** Connections that have not proved the ticket yet, and of these from one address: twice what a source opens at once. */
const PENDING_MAX = 64;
const PENDING_OF_ADDRESS_MAX = 16;
const INTRODUCTION_MS_MAX = 5_000;
