// The proof of a secret by TLS 1.3 with it as external PSK (the cluster key, a code to join, the code of an agent), at both
// ends. A certificate is never accepted instead: checkServerIdentity, which Node calls only if no PSK was used, fails.

import { constants } from 'node:crypto';
import type { Socket } from 'node:net';
import { connect, createServer, type TLSSocket } from 'node:tls';
import type { HostPort } from '../core/address/host-port.ts';
import type { Visit } from './guarded-listener.ts';

/** One suite, no certificates. Node's pskCallback works only with suites of SHA-256. */
export const TLS_SETTINGS: {
  readonly minVersion: 'TLSv1.3';
  readonly maxVersion: 'TLSv1.3';
  readonly ciphers: string;
  readonly secureOptions: number;
} = {
  minVersion: 'TLSv1.3',
  maxVersion: 'TLSv1.3',
  ciphers: 'TLS_AES_128_GCM_SHA256',
  // Without tickets a session could only be resumed from a store on the server, which does not exist.
  secureOptions: constants.SSL_OP_NO_TICKET,
};

/** Node reports a PSK as a resumed session; otherwise a certificate was used, or nothing. */
const isByPsk = (socket: TLSSocket): boolean =>
  socket.isSessionReused() &&
  socket.getProtocol() === TLS_SETTINGS.maxVersion &&
  socket.getCipher().name === TLS_SETTINGS.ciphers;

export interface PskSecret {
  /** Sent in plain text by the dialling end. */
  readonly id: string;
  readonly psk: Uint8Array;
}

interface PskProofParts {
  readonly handshakeMs: number;
  /** Read at each handshake; undefined: no such secret. */
  readonly pskOf: (id: string) => Uint8Array | undefined;
  readonly opened: (socket: TLSSocket, visit: Visit, id: string) => void;
  /**
   * Its TLS failed, or, without an error, used no secret. The connection is closed afterwards.
   * @param named the id that it named, and whether there is such a secret
   */
  readonly failed?: (visit: Visit, error: Error | undefined, named: NamedSecret | undefined) => void;
}

interface NamedSecret {
  readonly id: string;
  readonly isKnown: boolean;
}

/** For a guarded listener. */
export const pskProof = ({ handshakeMs, pskOf, opened, failed }: PskProofParts): ((visit: Visit) => void) => {
  const visits = new Map<string, Visit>();
  const named = new WeakMap<Socket, NamedSecret>();
  const server = createServer({
    ...TLS_SETTINGS,
    handshakeTimeout: handshakeMs,
    pskCallback: (socket, id) => {
      const psk = pskOf(id);
      named.set(socket, { id, isKnown: psk !== undefined });
      return psk === undefined ? null : Buffer.from(psk);
    },
  });
  const fail = (socket: TLSSocket, error?: Error): void => {
    const visit = visits.get(remoteOf(socket));
    if (visit !== undefined) failed?.(visit, error, named.get(socket));
    socket.destroy();
  };
  server.on('secureConnection', socket => {
    socket.on('error', () => undefined); // its 'close' follows
    const visit = visits.get(remoteOf(socket));
    const secret = named.get(socket);
    if (visit === undefined || secret === undefined || !isByPsk(socket)) fail(socket);
    else opened(socket, visit, secret.id);
  });
  server.on('tlsClientError', (error, socket) => fail(socket, error));
  return visit => {
    const remote = remoteOf(visit.raw);
    visits.set(remote, visit);
    visit.raw.once('close', () => visits.delete(remote));
    server.emit('connection', visit.raw);
  };
};

type PskDial =
  | { readonly kind: 'open'; readonly socket: TLSSocket }
  /** Node cannot dial such an address. */
  | { readonly kind: 'impossible'; readonly error: Error }
  /** The connection failed, or TLS did. */
  | { readonly kind: 'failed'; readonly error: Error }
  /** The service there opened TLS with a certificate. */
  | { readonly kind: 'no-secret' };

/** Never rejects: when the signal aborts, the connection is closed, which is a failure. */
export const dialByPsk = async (
  { id, psk }: PskSecret,
  { host, port }: HostPort,
  signal: AbortSignal,
): Promise<PskDial> => {
  const { promise, resolve } = Promise.withResolvers<Error | undefined>();
  let socket: TLSSocket;
  try {
    socket = connect({
      ...TLS_SETTINGS,
      host,
      port,
      servername: '', // keep the name off the wire
      pskCallback: () => ({ psk, identity: id }),
      checkServerIdentity: () => new Error('a certificate does not prove the secret'),
    });
  } catch (error) {
    // Node throws for impossible addresses, and some addresses come from peers.
    return { kind: 'impossible', error: error instanceof Error ? error : new Error(String(error)) };
  }
  using _ = closedWith(socket, signal);
  socket.setNoDelay(true);
  socket.once('secureConnect', () => resolve(undefined));
  socket.on('error', resolve); // stays: an error without a listener would crash the process
  socket.once('close', () => resolve(new Error('the connection was closed')));
  const error = await promise;
  if (error === undefined && isByPsk(socket)) return { kind: 'open', socket };
  socket.destroy();
  return error === undefined ? { kind: 'no-secret' } : { kind: 'failed', error };
};

/** Closes the socket when the signal aborts, until this is disposed of. */
export const closedWith = (socket: Socket, signal: AbortSignal): Disposable => {
  const close = (): void => void socket.destroy();
  if (signal.aborted) close();
  signal.addEventListener('abort', close, { once: true });
  return { [Symbol.dispose]: () => signal.removeEventListener('abort', close) };
};

const remoteOf = (socket: Socket): string => `${socket.remoteAddress} ${socket.remotePort}`;
