// Opens sockets to the one target of a run. All sockets of a thread read into one buffer: on Unix, reading and the
// callback are one step, so no other socket's bytes can come between. Windows may pass the buffer to the kernel
// early, so each socket has its own there.

import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { createRequire } from 'node:module';
import net, { type LookupFunction } from 'node:net';
import type { ConnectionOptions, SecureContext } from 'node:tls';
import type { LoadTarget } from '../load-target.ts';
import { tlsContextOptions, tlsNameOptions } from '../tls-plan.ts';

/** The operations of a connection on its socket. */
export interface DialedSocket {
  on(event: 'connectionAttempt', reported: () => void): unknown;
  once(event: 'connect' | 'secureConnect' | 'end' | 'close', reported: () => void): unknown;
  once(event: 'error', reported: (error: Error) => void): unknown;
  write(bytes: Uint8Array): unknown;
  /** When the last byte written left this machine, for a call that began at `fromNs`; undefined: not known. */
  departedNs?(fromNs: number): number | undefined;
  readonly writableLength: number;
  setNoDelay(isOn: boolean): unknown;
  destroy(): unknown;
}

/** When bytes arrived. Overwritten by the next read. */
export interface ReadArrival {
  stampNs: number;
  /** By how much they may have arrived earlier. */
  lateNs: number;
  /** More bytes of the same read follow. */
  hasMore: boolean;
}

/** @param arrival undefined: this moment is when they were read. @returns whether the connection is still used */
export type ReadReceiver = (bytes: Buffer, start: number, end: number, arrival?: ReadArrival) => boolean;

/** Opens the sockets of one thread. */
export interface TargetDialer {
  readonly isTls: boolean;
  /** Shortest TCP handshake so far; 0 before the first. */
  readonly roundTripNs: number;
  shookHands(tookNs: number): void;
  /** @param address one of the target's name; undefined: the system's choice */
  dial(received: ReadReceiver, address?: string): DialedSocket;
}

export class HandshakeTimes {
  #roundTripNs = 0;

  /** Shortest TCP handshake so far, because a busy event loop only makes one longer; 0 before the first. */
  get roundTripNs(): number {
    return this.#roundTripNs;
  }

  shookHands(tookNs: number): void {
    this.#roundTripNs = this.#roundTripNs === 0 ? tookNs : Math.min(this.#roundTripNs, tookNs);
  }
}

/** Node's sockets: for every platform, TLS and sockets of the file system. */
export class SocketDialer extends HandshakeTimes implements TargetDialer {
  readonly isTls: boolean;
  readonly #target: LoadTarget;
  readonly #tls: typeof import('node:tls') | undefined;
  readonly #context: SecureContext | undefined;
  readonly #names: RememberedNames = new RememberedNames();
  readonly #sharedBuffer: Buffer | undefined;
  #session: Buffer | undefined;

  /** @throws the TLS library's error when authorities or identity are not PEM. */
  constructor(target: LoadTarget, sharesBuffer: boolean) {
    super();
    this.#target = target;
    this.isTls = target.tls !== undefined;
    this.#sharedBuffer = sharesBuffer ? Buffer.allocUnsafeSlow(READ_BYTES) : undefined;
    if (target.tls !== undefined) {
      // Imported lazily: loading it takes a third of a thread's start.
      this.#tls = createRequire(import.meta.url)('node:tls');
      this.#context = this.#tls?.createSecureContext(tlsContextOptions(target.tls));
    }
  }

  /** Starts a connection whose reads go to `received`; 'connect' or 'secureConnect' follows. */
  dial(received: ReadReceiver, address?: string): net.Socket {
    const buffer = this.#sharedBuffer ?? Buffer.allocUnsafeSlow(READ_BYTES);
    const onread: net.OnReadOpts = {
      buffer,
      callback: length => received(buffer, 0, length),
    };
    const { port, socketPath } = this.#target;
    const host = address ?? this.#target.host;
    if (socketPath !== undefined) return net.connect({ path: socketPath, onread });
    const { tls: plan } = this.#target;
    const { lookup } = this.#names;
    if (plan === undefined || this.#tls === undefined)
      return net.connect({ host, port, noDelay: true, onread, lookup });
    // Node's types do not declare that TLS sockets can read into a given buffer, too.
    const options: ConnectionOptions & { readonly onread: net.OnReadOpts } = {
      host,
      port,
      onread,
      lookup,
      ...tlsNameOptions(plan),
      ...(this.#context === undefined ? {} : { secureContext: this.#context }),
      ALPNProtocols: ['http/1.1'],
      ...(this.#session === undefined ? {} : { session: this.#session }),
    };
    const socket = this.#tls.connect(options);
    socket.on('session', session => {
      this.#session = session;
    });
    return socket;
  }
}

/**
 * Resolves a name once: a lookup for each connection would load the client's resolver, and would be part of the
 * connection times. A failed lookup is retried.
 */
export class RememberedNames {
  readonly #found: Map<string, readonly LookupAddress[]> = new Map();

  /** In the form of `net.connect`. */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    const key = `${hostname} ${options.family ?? 0} ${options.hints ?? 0}`;
    const known = this.#found.get(key);
    if (known !== undefined) {
      // Asynchronous: net.connect does not expect the result within the call.
      queueMicrotask(() => answer(known, options, callback));
      return;
    }
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) {
        callback(error, '', 0);
        return;
      }
      this.#found.set(key, addresses);
      answer(addresses, options, callback);
    });
  };
}

type Callback = Parameters<LookupFunction>[2];

const answer = (addresses: readonly LookupAddress[], options: LookupOptions, callback: Callback): void => {
  const [first] = addresses;
  if (options.all === true || first === undefined) callback(null, [...addresses]);
  else callback(null, first.address, first.family);
};

/** Large enough for a flood, small enough for the second-level cache. */
const READ_BYTES = 65_536;
