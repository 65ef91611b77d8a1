// Accepts peers: each connection is admitted, uses TLS under a cluster key, and proves its identity, all
// within the time of a handshake. Everything else is closed, counted and reported. Connections that arrive
// before `accept` wait unread.

import { createServer as createNetServer, type Server as NetServer, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket, type Server as TlsServer } from 'node:tls';
import type { Clock } from '../../clock/clock.ts';
import { AddressBuckets } from '../../clock/token-bucket.ts';
import { type HostPort, hostPortText } from '../../core/address/host-port.ts';
import type { ByteBudget } from '../../core/byte-budget.ts';
import { errorCode } from '../../core/problem.ts';
import { isByPsk, TLS_SETTINGS } from '../../process/psk-tls.ts';
import { deadline } from '../link/deadline.ts';
import type { AcceptEvents } from '../link/pipe.ts';
import { MeshError, type MeshLimits, type RefusalMeaning } from '../mesh.ts';
import type { OwnHello } from './authentication.ts';
import { introduce } from './introduce.ts';
import type { JoinCredentials } from './join-code-service.ts';
import type { MeshKeys } from './mesh-keys.ts';
import { acceptMeaning, isWrongPsk } from './tls-errors.ts';

export interface TlsListenerParts {
  readonly own: OwnHello;
  readonly keys: MeshKeys;
  readonly clock: Clock;
  readonly limits: MeshLimits;
  /** Budget over all links, for incomplete frames. */
  readonly partial: ByteBudget;
  /** Undefined: machines cannot join here. */
  readonly joinCredentials: JoinCredentials | undefined;
}

/** One connection on its way to becoming a link. */
interface Visit {
  readonly address: HostPort;
  readonly raw: Socket;
  readonly sinceMs: number;
  /** It has opened TLS under a cluster key. */
  hasKey: boolean;
  /** It has a join code, gets its reply, and its end is not a refusal. */
  isJoining: boolean;
  /** Resolves with the pipe or the refusal, whichever comes first. */
  end(meaning: RefusalMeaning): void;
  /** It has become a link. */
  pass(): void;
}

export class TlsListener {
  readonly #parts: TlsListenerParts;
  #events: AcceptEvents | undefined;
  readonly #early: Socket[] = [];
  readonly #admission: HandshakeAdmission;
  readonly #net: NetServer;
  readonly #tls: TlsServer;
  readonly #visits = new Map<string, Visit>();
  /** The key id that a connection named, and whether it is known. */
  readonly #named = new WeakMap<TLSSocket, { readonly id: string; readonly isKnown: boolean }>();

  constructor(parts: TlsListenerParts) {
    const { keys, limits, joinCredentials } = parts;
    this.#parts = parts;
    this.#admission = new HandshakeAdmission(parts.clock, limits);
    this.#tls = createTlsServer({
      ...TLS_SETTINGS,
      handshakeTimeout: limits.handshakeMs,
      pskCallback: (socket, id) => {
        const psk = keys.get(id)?.psk ?? joinCredentials?.pskOf(id);
        this.#named.set(socket, { id, isKnown: psk !== undefined });
        return psk === undefined ? null : Buffer.from(psk);
      },
    });
    this.#tls.on('secureConnection', socket => void this.#welcome(socket));
    this.#tls.on('tlsClientError', (error, socket) => {
      const named = this.#named.get(socket);
      if (named?.isKnown === true && isWrongPsk(error)) joinCredentials?.failed(named.id);
      this.#visits.get(addressOf(socket))?.end(acceptMeaning(error, named?.isKnown));
    });
    this.#net = createNetServer({ noDelay: true }, raw => {
      // Until TLS takes over; afterwards it reports the errors.
      raw.on('error', () => undefined);
      if (this.#events === undefined) this.#early.push(raw);
      else this.#visit(raw, this.#events);
    });
    this.#net.on('drop', data => {
      const address = { host: plainAddress(data?.remoteAddress), port: data?.remotePort ?? 0 };
      const detail = 'too many connections are open';
      this.#events?.refused({ direction: 'accepted', address, reason: 'too-many', detail });
    });
    // Also limits the connections that wait for `accept`.
    this.#net.maxConnections = limits.linksMax + 2 * limits.handshakesMax;
  }

  /** @throws MeshError */
  async listen({ host, port }: HostPort): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const fail = (error: Error): void => reject(listenError({ host, port }, error));
    this.#net.once('error', fail);
    this.#net.listen({ host, port }, resolve);
    await promise;
    this.#net.off('error', fail);
    // A failed accept, for lack of descriptors, costs only that connection.
    this.#net.on('error', () => undefined);
  }

  /** Connections that arrived earlier are admitted now, by the same rules. */
  accept(events: AcceptEvents): void {
    this.#events = events;
    for (const raw of this.#early.splice(0)) if (!raw.destroyed) this.#visit(raw, events);
  }

  get address(): HostPort | undefined {
    const address = this.#net.address();
    return address === null || typeof address === 'string'
      ? undefined
      : { host: address.address, port: address.port };
  }

  /** Resolves when no connection is open, including those of links. */
  async close(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.#net.listening) this.#net.close(() => resolve());
    else resolve();
    for (const raw of this.#early.splice(0)) raw.destroy();
    for (const visit of [...this.#visits.values()]) visit.raw.destroy();
    await promise;
  }

  #visit(raw: Socket, events: AcceptEvents): void {
    const address = { host: plainAddress(raw.remoteAddress), port: raw.remotePort ?? 0 };
    const admission = this.#admission.enter(address.host, () => this.#makeRoom());
    if (typeof admission === 'string') {
      raw.destroy();
      events.refused({ direction: 'accepted', address, reason: 'too-many', detail: admission });
      return;
    }
    const { clock, limits } = this.#parts;
    const stop = new AbortController();
    const limit = deadline(clock, limits.handshakeMs, stop.signal);
    const key = addressOf(raw);
    const leave = (): boolean => {
      if (this.#visits.get(key) !== visit) return false;
      this.#visits.delete(key);
      limit[Symbol.dispose]();
      admission[Symbol.dispose]();
      return true;
    };
    const visit: Visit = {
      address,
      raw,
      sinceMs: clock.nowMs(),
      hasKey: false,
      isJoining: false,
      end: meaning => {
        if (leave() && !visit.isJoining) events.refused({ ...meaning, direction: 'accepted', address });
      },
      pass: () => void leave(),
    };
    this.#visits.set(key, visit);
    limit.signal.addEventListener('abort', () => {
      visit.end({
        reason: 'too-slow',
        detail: `its handshake took longer than ${limits.handshakeMs / 1_000} s`,
      });
      raw.destroy();
    });
    raw.once('close', () =>
      visit.end({ reason: 'lost', detail: 'it closed the connection during the handshake' }),
    );
    this.#tls.emit('connection', raw);
  }

  /**
   * Ends the one that has been open longest without proving the key, if that is longer than a peer usually
   * needs.
   */
  #makeRoom(): void {
    const before = this.#parts.clock.nowMs() - UNPROVEN_MS;
    for (const visit of this.#visits.values()) {
      if (visit.hasKey || visit.sinceMs > before) continue;
      visit.end({ reason: 'too-slow', detail: 'it was replaced by others waiting' });
      visit.raw.destroy();
      return;
    }
  }

  async #welcome(socket: TLSSocket): Promise<void> {
    socket.on('error', () => undefined); // its 'close' follows
    const visit = this.#visits.get(addressOf(socket));
    const id = this.#named.get(socket)?.id ?? '';
    const { joinCredentials } = this.#parts;
    if (visit !== undefined && joinCredentials?.pskOf(id) !== undefined && isByPsk(socket)) {
      // It ends with the connection, or with the time of the handshake.
      visit.hasKey = true;
      visit.isJoining = true;
      socket.resume().end(joinCredentials.answer(id));
      return;
    }
    const key = this.#parts.keys.get(id);
    if (visit === undefined || key === undefined || !isByPsk(socket)) {
      visit?.end({ reason: 'not-a-node', detail: 'it opened TLS without a cluster key' });
      socket.destroy();
      return;
    }
    visit.hasKey = true;
    const { own, limits, partial } = this.#parts;
    const introduction = await introduce(socket, {
      own,
      isInitiator: false,
      keySecret: key.proof,
      frameBytesMax: limits.frameBytesMax,
      partial,
    });
    if (introduction.kind === 'refused') {
      visit.end(introduction.meaning);
      return;
    }
    visit.pass();
    const { pipe, peer } = introduction;
    this.#events?.accepted({ pipe, peer, remoteAddress: visit.address, isInitiator: false, keyId: key.id });
  }
}

/** A peer proves the key within milliseconds; nodes that start together may need more. */
const UNPROVEN_MS = 250;

/** IPv4 in its usual form, also on a dual-stack socket. */
export const plainAddress = (address: string | undefined): string =>
  (address ?? '').replace(/^::ffff:(?=\d+\.)/, '');

const addressOf = (socket: Socket): string => `${socket.remoteAddress} ${socket.remotePort}`;

const listenError = (at: HostPort, error: Error): MeshError =>
  errorCode(error) === 'EADDRINUSE'
    ? new MeshError(
        { code: 'address-in-use', problem: `${hostPortText(at)} is taken by another program`, advice: '' },
        { cause: error },
      )
    : new MeshError(
        {
          code: 'address-unusable',
          problem: `the mesh cannot listen on ${hostPortText(at)}: ${error.message}`,
          advice: '',
        },
        { cause: error },
      );

// Admission of handshakes: limits at one time, in total and per address, and a rate. A handshake costs more
// than a connection, and a stranger can open connections for nothing.
class HandshakeAdmission {
  readonly #limits: MeshLimits;
  readonly #buckets: AddressBuckets;
  /** Only addresses with an open handshake, so never more entries than handshakes. */
  readonly #openBy = new Map<string, number>();
  #open = 0;

  constructor(clock: Clock, limits: MeshLimits) {
    this.#limits = limits;
    const rate = { burst: limits.acceptBurst, perSecond: limits.acceptsPerSecond };
    this.#buckets = new AddressBuckets(clock, rate, ADDRESSES_MAX);
  }

  /** Handshakes in progress. */
  get openCount(): number {
    return this.#open;
  }

  /**
   * @param makeRoom ends a handshake that has proven nothing yet, if there is one: a stranger with many
   * addresses could otherwise occupy every slot for as long as a handshake may take.
   * @returns the slot, to be released when the handshake has ended, or why there is none.
   */
  enter(address: string, makeRoom: () => void = () => undefined): Disposable | string {
    const { handshakesMax, handshakesPerAddressMax } = this.#limits;
    if ((this.#openBy.get(address) ?? 0) >= handshakesPerAddressMax)
      return `${handshakesPerAddressMax} handshakes from this address are in progress`;
    const bucket = this.#buckets.of(address);
    if (!bucket.has()) return 'this address connects too often';
    if (this.#open >= handshakesMax) makeRoom();
    if (this.#open >= handshakesMax) return `${handshakesMax} handshakes are in progress`;
    bucket.take();
    this.#count(address, 1);
    let isTaken = true;
    return {
      [Symbol.dispose]: () => {
        if (!isTaken) return;
        isTaken = false;
        this.#count(address, -1);
      },
    };
  }

  #count(address: string, change: 1 | -1): void {
    const open = (this.#openBy.get(address) ?? 0) + change;
    if (open === 0) this.#openBy.delete(address);
    else this.#openBy.set(address, open);
    this.#open += change;
  }
}

const ADDRESSES_MAX = 1_024;
