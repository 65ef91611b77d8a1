// Dials a peer over TLS under a cluster key. A certificate is never accepted instead: checkServerIdentity, which Node
// calls only if no PSK was used, always fails.

import { connect, type TLSSocket } from 'node:tls';
import type { ByteBudget } from '../../core/byte-budget.ts';
import { isByPsk, TLS_SETTINGS } from '../../process/psk-tls.ts';
import type { DialOutcome } from '../link/pipe.ts';
import type { MeshCandidate, RefusalMeaning } from '../mesh.ts';
import type { OwnHello } from './authentication.ts';
import { introduce } from './introduce.ts';
import type { MeshKey } from './mesh-keys.ts';
import { dialMeaning } from './tls-errors.ts';
import { plainAddress } from './tls-listener.ts';

interface TlsDialParts {
  readonly own: OwnHello;
  readonly frameBytesMax: number;
  readonly partial: ByteBudget;
}

/**
 * Tries one key.
 * @throws the signal's reason.
 */
export const dialWith = async (
  key: MeshKey,
  candidate: MeshCandidate,
  { own, frameBytesMax, partial }: TlsDialParts,
  signal: AbortSignal,
): Promise<DialOutcome> => {
  signal.throwIfAborted();
  const refused = (meaning: RefusalMeaning): DialOutcome => {
    const address = { host: candidate.address, port: candidate.port };
    return { kind: 'refused', refusal: { ...meaning, direction: 'dialled', address } };
  };
  const opened = openPskSocket(key, candidate);
  if (opened instanceof Error) {
    const detail = `that address cannot be dialled: ${opened.message}`;
    return refused({ reason: 'unreachable', cause: 'no-answer', detail });
  }
  const abort = (): void => void opened.socket.destroy();
  signal.addEventListener('abort', abort, { once: true });
  try {
    const failure = await opened.secured;
    signal.throwIfAborted();
    const { socket } = opened;
    if (failure !== undefined) return refused(dialMeaning(failure));
    if (!isByPsk(socket)) {
      socket.destroy();
      return refused({
        reason: 'not-a-node',
        detail: 'the service there opened TLS without the cluster key',
      });
    }
    const remoteAddress = {
      host: plainAddress(socket.remoteAddress),
      port: socket.remotePort ?? candidate.port,
    };
    const parts = { own, isInitiator: true, keySecret: key.proof, frameBytesMax, partial };
    const introduction = await introduce(socket, parts);
    signal.throwIfAborted();
    if (introduction.kind === 'refused') return refused(introduction.meaning);
    const { pipe, peer } = introduction;
    return { kind: 'handshake', handshake: { pipe, peer, remoteAddress, isInitiator: true, keyId: key.id } };
  } finally {
    signal.removeEventListener('abort', abort);
  }
};

/** `secured` resolves with undefined once TLS is established, else with the error. */
export const openPskSocket = (
  key: Pick<MeshKey, 'id' | 'psk'>,
  candidate: Pick<MeshCandidate, 'address' | 'port'>,
): { readonly socket: TLSSocket; readonly secured: Promise<Error | undefined> } | Error => {
  const { promise, resolve } = Promise.withResolvers<Error | undefined>();
  const socket = socketTo(key, candidate);
  if (socket instanceof Error) return socket;
  socket.setNoDelay(true);
  socket.once('secureConnect', () => resolve(undefined));
  socket.on('error', resolve); // stays: an error without a listener would crash the process
  socket.once('close', () => resolve(new Error('the connection was closed')));
  return { socket, secured: promise };
};

/** Node throws for impossible addresses, and some addresses come from peers. */
const socketTo = (
  key: Pick<MeshKey, 'id' | 'psk'>,
  { address, port }: Pick<MeshCandidate, 'address' | 'port'>,
): TLSSocket | Error => {
  try {
    return connect({
      ...TLS_SETTINGS,
      host: address,
      port,
      servername: '', // keep the node's name off the wire
      pskCallback: () => ({ psk: key.psk, identity: key.id }),
      checkServerIdentity: () => new Error('a certificate does not prove the cluster key'),
    });
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
};
