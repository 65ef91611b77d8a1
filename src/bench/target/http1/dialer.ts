// Opens sockets to the one target of a run. All sockets of a thread read into one buffer: reading and telling are one
// step on Unix, so that nobody else's bytes come between. Windows may hand the buffer to the kernel early, so each socket
// has its own there.

import net from 'node:net';
import tls from 'node:tls';
import type { LoadTarget } from '../load-target.ts';
import { RememberedNames } from './remembered-names.ts';

export class SocketDialer {
  readonly isTls: boolean;
  readonly #target: LoadTarget;
  readonly #context: tls.SecureContext | undefined;
  readonly #names: RememberedNames = new RememberedNames();
  readonly #sharedBuffer: Buffer | undefined;
  #session: Buffer | undefined;

  /** @throws the TLS library's error when the authorities are no certificates. */
  constructor(target: LoadTarget, sharesBuffer: boolean) {
    this.#target = target;
    this.isTls = target.tls !== undefined;
    this.#sharedBuffer = sharesBuffer ? Buffer.allocUnsafeSlow(READ_BYTES) : undefined;
    if (target.tls !== undefined) {
      const { authorities } = target.tls;
      this.#context = tls.createSecureContext(authorities === undefined ? {} : { ca: authorities });
    }
  }

  /** Starts a connection whose reads go to `received`; 'connect' or 'secureConnect' follows. */
  dial(received: (length: number, bytes: Buffer) => boolean): net.Socket {
    const buffer = this.#sharedBuffer ?? Buffer.allocUnsafeSlow(READ_BYTES);
    const onread: net.OnReadOpts = {
      buffer,
      callback: length => received(length, buffer),
    };
    const { host, port } = this.#target;
    const { tls: plan } = this.#target;
    const { lookup } = this.#names;
    if (plan === undefined) return net.connect({ host, port, noDelay: true, onread, lookup });
    // The types of Node do not know that TLS sockets read into a given buffer too.
    const options: tls.ConnectionOptions & { readonly onread: net.OnReadOpts } = {
      host,
      port,
      onread,
      lookup,
      ...(plan.serverName === '' ? {} : { servername: plan.serverName }),
      ...(this.#context === undefined ? {} : { secureContext: this.#context }),
      rejectUnauthorized: !plan.isInsecure,
      ALPNProtocols: ['http/1.1'],
      ...(this.#session === undefined ? {} : { session: this.#session }),
    };
    const socket = tls.connect(options);
    socket.on('session', session => {
      this.#session = session;
    });
    return socket;
  }
}

/** A flood fills it, and a second-level cache holds it. */
const READ_BYTES = 65_536;
