// The exchange after TLS: hellos, then proofs, in both directions at once. The result is a pipe to a peer with a proven
// identity.

import type { TLSSocket } from 'node:tls';
import { SocketPipe } from '../../channel/socket-pipe.ts';
import type { ByteBudget } from '../../core/byte-budget.ts';
import type { PeerHello } from '../link/pipe.ts';
import type { RefusalMeaning, RefusalReason } from '../mesh.ts';
import {
  checkProof,
  decodeHello,
  encodeHello,
  exporterOf,
  HANDSHAKE_FRAME_BYTES_MAX,
  makeProof,
  type OwnHello,
} from './authentication.ts';

interface IntroductionParts {
  readonly own: OwnHello;
  readonly isInitiator: boolean;
  readonly keySecret: Uint8Array;
  /** For the frames of the link. */
  readonly frameBytesMax: number;
  /** Budget over all links, for incomplete frames. */
  readonly partial: ByteBudget;
}

type PeerIntroduction =
  | { readonly kind: 'peer'; readonly pipe: SocketPipe; readonly peer: PeerHello }
  | { readonly kind: 'refused'; readonly meaning: RefusalMeaning };

/** Ends with the socket at the latest; to limit its time, destroy the socket. Never rejects. */
export const introduce = (socket: TLSSocket, parts: IntroductionParts): Promise<PeerIntroduction> => {
  const { own, isInitiator, keySecret, frameBytesMax, partial } = parts;
  const { promise, resolve } = Promise.withResolvers<PeerIntroduction>();
  const pipe = new SocketPipe(socket, HANDSHAKE_FRAME_BYTES_MAX);
  let exporter: Uint8Array;
  try {
    exporter = exporterOf(socket);
  } catch {
    socket.destroy();
    const meaning = { reason: 'lost', detail: 'it closed the connection after TLS' } as const;
    return Promise.resolve({ kind: 'refused', meaning });
  }
  const hello = encodeHello(own);
  let otherHello: Uint8Array | undefined;
  let peer: PeerHello | undefined;

  const refuse = (reason: RefusalReason, detail: string): void => {
    pipe.pauseDelivery();
    resolve({ kind: 'refused', meaning: { reason, detail } });
    // Our own hello is still sent: its version shows the peer what is wrong.
    socket.destroySoon();
  };
  const takeHello = (bytes: Uint8Array): void => {
    const decoded = decodeHello(bytes);
    if (decoded.kind === 'refused') {
      refuse(decoded.reason, decoded.detail);
      return;
    }
    otherHello = bytes;
    peer = decoded.hello;
    const mine = { exporter, keySecret, isByInitiator: isInitiator, hello, otherHello };
    pipe.write(HANDSHAKE.proof, makeProof(mine, own.identity));
  };
  const takeProof = (proof: Uint8Array, { publicKey }: PeerHello, peerHello: Uint8Array): void => {
    const theirs = { exporter, keySecret, isByInitiator: !isInitiator, hello: peerHello, otherHello: hello };
    switch (checkProof(theirs, publicKey, proof)) {
      case 'good':
        if (peer === undefined) return;
        pipe.pauseDelivery();
        pipe.allow(frameBytesMax, partial);
        resolve({ kind: 'peer', pipe, peer });
        return;
      case 'bad-key':
        refuse('wrong-key', 'it does not prove that it has the cluster key');
        return;
      case 'bad-signature':
        refuse('bad-proof', 'it does not prove that its identity is its own');
    }
  };

  pipe.write(HANDSHAKE.hello, hello);
  pipe.listen({
    frame: (kind, payload) => {
      if (kind === HANDSHAKE.hello && peer === undefined) takeHello(payload);
      else if (kind === HANDSHAKE.proof && peer !== undefined && otherHello !== undefined)
        takeProof(payload, peer, otherHello);
      else refuse('malformed', 'it does not start like a node');
    },
    received: () => undefined,
    drained: () => undefined,
    malformed: detail => refuse('malformed', `it sent ${detail} during the handshake`),
    closed: detail => resolve({ kind: 'refused', meaning: { reason: 'lost', detail } }),
  });
  return promise;
};

const HANDSHAKE = { hello: 16, proof: 17 } as const;
