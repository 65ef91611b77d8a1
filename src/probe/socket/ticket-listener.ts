// The listener of the end of a probe that is dialled, for sockets and for RDMA: it admits one source that
// proves the ticket, with its data connections. Strangers cost a short wait and receive nothing.

import { isIP, type Socket, SocketAddress } from 'node:net';
import { GuardedListener, plainAddress, type Visit } from '../../channel/guarded-listener.ts';
import { type Clock, pause, untilAborted } from '../../clock/clock.ts';
import { receiveIntroduction } from './handshake.ts';

interface TicketListenerOptions {
  readonly ticket: string;
  readonly clock: Clock;
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
  readonly #listener: GuardedListener;
  readonly #source = Promise.withResolvers<Socket>();
  /** Addresses of the node with the ticket: known ones, and those from which it has proved the ticket. */
  readonly #expected: Set<string>;
  #hasSource = false;
  #strangers = 0;

  constructor(options: TicketListenerOptions) {
    this.#options = options;
    this.#expected = new Set(options.sourceAddresses.map(bareAddress));
    this.#listener = new GuardedListener({
      clock: options.clock,
      limits: LIMITS,
      prove: visit => void this.#introduce(visit),
      refused: () => {
        this.#strangers += 1;
      },
      isExpected: host => this.#expected.has(bareAddress(host)),
    });
  }

  /** Connections of others, or of the same without proof. */
  get strangers(): number {
    return this.#strangers;
  }

  /** The port. @throws the system's error when the address cannot be listened on. */
  async listen(host: string, port: number): Promise<number> {
    const at = await this.#listener.listen({ host, port });
    this.#listener.accept();
    return at.port;
  }

  /** The control connection of the source; undefined if no connection arrived in time, or the signal aborted. */
  async source(options: {
    /** Infinity for no limit. */
    readonly waitMsMax: number;
    readonly signal: AbortSignal;
  }): Promise<Socket | undefined> {
    const { waitMsMax, signal } = options;
    if (signal.aborted) return undefined;
    const found = new AbortController();
    const patience = AbortSignal.any([signal, found.signal]);
    const waited = Number.isFinite(waitMsMax)
      ? pause(this.#options.clock, waitMsMax, patience)
      : untilAborted(patience);
    try {
      return await Promise.race([this.#source.promise, waited.then(() => undefined)]);
    } finally {
      found.abort();
    }
  }

  /** No more connections are admitted, and waiting ones are closed. */
  close(): void {
    void this.#listener.close();
  }

  /** Closes it without the ticket, or if nothing waits for it. */
  async #introduce(visit: Visit): Promise<void> {
    const { raw: socket, signal, address } = visit;
    const received = await receiveIntroduction(socket, this.#options.ticket, signal).catch(() => undefined);
    if (received?.kind !== 'proved' || !visit.pass()) {
      socket.destroy();
      return;
    }
    this.#expected.add(bareAddress(address.host));
    const { role, run, index } = received.head;
    if (role === 'data') {
      try {
        await this.#options.onData({ socket, run, index, accept: () => received.answer('accepted') });
      } catch {
        this.#strangers += 1;
        socket.destroy();
      }
      return;
    }
    const isFirst = !this.#hasSource;
    this.#hasSource = true;
    await received.answer(isFirst ? 'accepted' : 'busy');
    if (isFirst) this.#source.resolve(socket);
    else socket.destroySoon();
  }
}

/** The scope of an address is only known to this machine. */
const bareAddress = (address: string): string => {
  const [bare = ''] = plainAddress(address).split('%');
  return isIP(bare) === 6 ? new SocketAddress({ address: bare, family: 'ipv6' }).address : bare;
};

const LIMITS = {
  handshakeMs: 5_000,
  handshakesMax: 64,
  /** Twice what a source opens at once. */
  handshakesPerAddressMax: 16,
  openMax: 64,
  replacedAfterMs: 0,
  replacesOwn: true,
} as const;
