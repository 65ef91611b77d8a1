// Dials a peer over TLS under a cluster key.

import { plainAddress } from '../../channel/guarded-listener.ts';
import { closedWith, dialByPsk } from '../../channel/psk-proof.ts';
import type { ByteBudget } from '../../core/byte-budget.ts';
import type { DialOutcome } from '../link/pipe.ts';
import type { MeshCandidate, RefusalMeaning } from '../mesh.ts';
import type { OwnHello } from './authentication.ts';
import { introduce } from './introduce.ts';
import type { MeshKey } from './mesh-keys.ts';
import { dialMeaning } from './tls-errors.ts';

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
  const to = { host: candidate.address, port: candidate.port };
  const refused = (meaning: RefusalMeaning): DialOutcome => ({
    kind: 'refused',
    refusal: { ...meaning, direction: 'dialled', address: to },
  });
  const dialled = await dialByPsk(key, to, signal);
  signal.throwIfAborted();
  if (dialled.kind === 'impossible') {
    const detail = `that address cannot be dialled: ${dialled.error.message}`;
    return refused({ reason: 'unreachable', cause: 'no-answer', detail });
  }
  if (dialled.kind === 'failed') return refused(dialMeaning(dialled.error));
  if (dialled.kind === 'no-secret')
    return refused({ reason: 'not-a-node', detail: 'the service there opened TLS without the cluster key' });
  const { socket } = dialled;
  using _ = closedWith(socket, signal);
  const remoteAddress = { host: plainAddress(socket.remoteAddress), port: socket.remotePort ?? to.port };
  const parts = { own, isInitiator: true, keySecret: key.proof, frameBytesMax, partial };
  const introduction = await introduce(socket, parts);
  signal.throwIfAborted();
  if (introduction.kind === 'refused') return refused(introduction.meaning);
  const { pipe, peer } = introduction;
  return { kind: 'handshake', handshake: { pipe, peer, remoteAddress, isInitiator: true, keyId: key.id } };
};
