// A listener whose connections must prove something before anything is done for them. Strangers open connections for
// nothing, and a proof costs processor time: those without one are limited in time, in number, in all and by address.

import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import type { Clock } from '../clock/clock.ts';
import { deadline } from '../clock/deadline.ts';
import { AddressBuckets, type Rate } from '../clock/token-bucket.ts';
import type { HostPort } from '../core/address/host-port.ts';
import { errorCode } from '../core/problem.ts';

interface ListenerLimits {
  /** For the whole proof. */
  readonly handshakeMs: number;
  /** Connections without proof, in all and of one address. */
  readonly handshakesMax: number;
  readonly handshakesPerAddressMax: number;
  /** Connections with proof. */
  readonly openMax: number;
  /** Of new connections of one address; missing: any. */
  readonly rate?: Rate;
  /** When all are taken, one without proof that is older makes room, ms: of the address that has the most. */
  readonly replacedAfterMs: number;
  /** Whether an address that has all of its own replaces its oldest; otherwise it is refused. */
  readonly replacesOwn: boolean;
}

interface GuardedListenerParts {
  readonly clock: Clock;
  readonly limits: ListenerLimits;
  /** Starts the proof of a connection, which ends in `pass` of the visit, or with the connection. */
  readonly prove: (visit: Visit) => void;
  /** A connection ended without proof. */
  readonly refused: (address: HostPort, reason: 'too-many' | 'too-slow' | 'lost', detail: string) => void;
  /** Addresses whose connections others never replace. */
  readonly isExpected?: (host: string) => boolean;
}

/** A connection on its way to a proof. */
export interface Visit {
  readonly address: HostPort;
  readonly raw: Socket;
  readonly sinceMs: number;
  /** Aborts when its time is over. */
  readonly signal: AbortSignal;
  /** It has proven what it needs, and only has to finish: others do not replace it. */
  isProven: boolean;
  /** Whether its end without `pass` is a refusal. */
  isReported: boolean;
  /** It has the proof, and the limits no longer apply. False: it has ended meanwhile, or too many are open. */
  pass(): boolean;
  /** It has ended, for a reason that the caller reports, and whose connection the caller closes. False: it had ended. */
  leave(): boolean;
}

export class GuardedListener {
  readonly #parts: GuardedListenerParts;
  readonly #server: Server;
  readonly #buckets: AddressBuckets | undefined;
  readonly #visits = new Set<Visit>();
  /** Arrived before `accept`. */
  readonly #early: Socket[] = [];
  #isAccepting = false;
  #open = 0;

  constructor(parts: GuardedListenerParts) {
    const { clock, limits, refused } = parts;
    this.#parts = parts;
    this.#buckets =
      limits.rate === undefined ? undefined : new AddressBuckets(clock, limits.rate, ADDRESSES_MAX);
    this.#server = createServer({ noDelay: true }, raw => {
      raw.on('error', () => undefined); // 'close' follows
      if (this.#isAccepting) this.#admit(raw);
      else this.#early.push(raw);
    });
    this.#server.on('drop', data => {
      const address = { host: plainAddress(data?.remoteAddress), port: data?.remotePort ?? 0 };
      refused(address, 'too-many', 'too many connections are open');
    });
    // Also limits the connections that wait for `accept`.
    this.#server.maxConnections = limits.openMax + 2 * limits.handshakesMax;
  }

  /** '::' accepts IPv4 too, and only IPv4 on a machine without IPv6. @throws the system's error. */
  async listen({ host, port }: HostPort): Promise<HostPort> {
    this.#server.listen({ host, port });
    try {
      await once(this.#server, 'listening');
    } catch (error) {
      if (host !== '::' || errorCode(error) !== 'EAFNOSUPPORT') throw error;
      return await this.listen({ host: '0.0.0.0', port });
    }
    // A failed accept, for lack of descriptors, costs only that connection.
    this.#server.on('error', () => undefined);
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('it listens on no port');
    return { host: address.address, port: address.port };
  }

  /** Connections that arrived earlier are admitted now, by the same rules. */
  accept(): void {
    this.#isAccepting = true;
    for (const raw of this.#early.splice(0)) if (!raw.destroyed) this.#admit(raw);
  }

  /** Ends those without proof; resolves when no connection is open. */
  async close(): Promise<void> {
    const closed = this.#server.listening ? once(this.#server, 'close') : undefined;
    this.#server.close();
    for (const raw of this.#early.splice(0)) raw.destroy();
    for (const { raw } of [...this.#visits]) raw.destroy();
    await closed;
  }

  #admit(raw: Socket): void {
    const { clock, limits, prove, refused } = this.#parts;
    const address = { host: plainAddress(raw.remoteAddress), port: raw.remotePort ?? 0 };
    const reason = this.#reasonAgainst(address.host);
    if (reason !== undefined) {
      raw.destroy();
      refused(address, 'too-many', reason);
      return;
    }
    const over = new AbortController();
    const limit = deadline(clock, limits.handshakeMs, over.signal);
    const leave = (): boolean => {
      limit[Symbol.dispose]();
      return this.#visits.delete(visit);
    };
    const visit: Visit = {
      address,
      raw,
      sinceMs: clock.nowMs(),
      signal: limit.signal,
      isProven: false,
      isReported: true,
      pass: () => {
        if (this.#open >= limits.openMax || !leave()) return false;
        this.#open += 1;
        raw.once('close', () => {
          this.#open -= 1;
        });
        return true;
      },
      leave,
    };
    this.#visits.add(visit);
    limit.signal.addEventListener('abort', () =>
      this.#end(visit, 'too-slow', `its handshake took longer than ${limits.handshakeMs / 1_000} s`),
    );
    raw.once('close', () => this.#end(visit, 'lost', 'it closed the connection during the handshake'));
    prove(visit);
  }

  /** Makes room for one more of this address if it may. */
  #reasonAgainst(host: string): string | undefined {
    const { limits, isExpected } = this.#parts;
    const bucket = this.#buckets?.of(host);
    if (bucket?.has() === false) return 'this address connects too often';
    const own = [...this.#visits].filter(({ address }) => address.host === host);
    const isOwnFull = own.length >= limits.handshakesPerAddressMax;
    if (isOwnFull && !(limits.replacesOwn && this.#replaceOne(own)))
      return `${limits.handshakesPerAddressMax} handshakes from this address are in progress`;
    const others = [...this.#visits].filter(({ address }) => isExpected?.(address.host) !== true);
    if (this.#visits.size >= limits.handshakesMax && !this.#replaceOne(others))
      return `${limits.handshakesMax} handshakes are in progress`;
    bucket?.take();
    return undefined;
  }

  #replaceOne(visits: readonly Visit[]): boolean {
    const beforeMs = this.#parts.clock.nowMs() - this.#parts.limits.replacedAfterMs;
    const waiting = visits.filter(({ isProven, sinceMs }) => !isProven && sinceMs <= beforeMs);
    const byAddress = Map.groupBy(waiting, ({ address }) => address.host);
    const [most] = [...byAddress.values()].sort((a, b) => b.length - a.length);
    const [oldest] = most ?? [];
    if (oldest === undefined) return false;
    this.#end(oldest, 'too-slow', 'it was replaced by others waiting');
    return true;
  }

  #end(visit: Visit, reason: 'too-slow' | 'lost', detail: string): void {
    if (visit.leave() && visit.isReported) this.#parts.refused(visit.address, reason, detail);
    visit.raw.destroy();
  }
}

/** IPv4 in its usual form, also on a dual-stack socket. */
export const plainAddress = (address: string | undefined): string =>
  (address ?? '').replace(/^::ffff:(?=\d+\.)/i, '');

const ADDRESSES_MAX = 1_024;
