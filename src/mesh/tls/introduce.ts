// The exchange after TLS: hellos, then proofs, in both directions at once. The result is a pipe to a peer with a proven
// identity.

import type { TLSSocket } from 'node:tls';
import type { BudgetShare, ByteBudget } from '../../core/byte-budget.ts';
import { FrameDecoder, frameHead } from '../../wire/frame-decoder.ts';
import type { FramePipe, PeerHello, PipeEvents } from '../link/pipe.ts';
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
  | { readonly kind: 'peer'; readonly pipe: TlsPipe; readonly peer: PeerHello }
  | { readonly kind: 'refused'; readonly meaning: RefusalMeaning };

/** Ends with the socket at the latest; to limit its time, destroy the socket. Never rejects. */
export const introduce = (socket: TLSSocket, parts: IntroductionParts): Promise<PeerIntroduction> => {
  const { own, isInitiator, keySecret, frameBytesMax, partial } = parts;
  const { promise, resolve } = Promise.withResolvers<PeerIntroduction>();
  const pipe = new TlsPipe(socket, HANDSHAKE_FRAME_BYTES_MAX);
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

// A pipe over a TLS connection. Nothing is read while there is no listener, so a frame that arrives with the
// handshake's last one waits for the link.
class TlsPipe implements FramePipe {
  readonly #socket: TLSSocket;
  readonly #decoder: FrameDecoder;
  #events: PipeEvents | undefined;
  #partial: BudgetShare | undefined;
  #isReading = false;
  #isMalformed = false;
  #closedDetail: string | undefined;
  #error = '';

  constructor(socket: TLSSocket, payloadBytesMax: number) {
    this.#socket = socket;
    this.#decoder = new FrameDecoder(payloadBytesMax);
    socket.on('data', chunk => {
      this.#decoder.push(chunk);
      this.#events?.received();
      this.#read();
      this.#partial?.resize(this.#decoder.bufferedBytes);
    });
    socket.on('drain', () => this.#events?.drained());
    socket.on('error', error => {
      this.#error = error.message;
    });
    // The peer has ended its half; nothing more can be sent to it.
    socket.on('end', () => socket.destroy());
    socket.on('close', () => {
      this.#partial?.release();
      this.#closedDetail = this.#error === '' ? 'the peer closed the connection' : this.#error;
      this.#events?.closed(this.#closedDetail);
    });
    socket.pause();
  }

  get queuedBytes(): number {
    return this.#socket.destroyed ? 0 : this.#socket.writableLength;
  }

  /** For what is read from now on. The received part of a frame counts in the budget. */
  allow(payloadBytesMax: number, partial: ByteBudget): void {
    this.#decoder.allow(payloadBytesMax);
    this.#partial = partial.share(() => {
      this.#decoder.unwatch();
      this.#socket.destroy(new Error('it sent a frame that is larger than the limit'));
    });
  }

  listen(events: PipeEvents): void {
    this.#events = events;
    const detail = this.#closedDetail;
    if (detail !== undefined) {
      setImmediate(() => events.closed(detail));
      return;
    }
    this.#socket.resume();
    this.#read();
  }

  /** Nothing is read until there is a listener again. */
  pauseDelivery(): void {
    this.#events = undefined;
    this.#socket.pause();
  }

  write(kind: number, payload: Uint8Array): void {
    const socket = this.#socket;
    if (socket.destroyed || socket.writableEnded) return;
    const head = frameHead(kind, payload.length);
    if (payload.length <= JOINED_BYTES_MAX) {
      socket.write(Buffer.concat([head, payload]));
      return;
    }
    socket.cork();
    socket.write(head);
    socket.write(payload);
    socket.uncork();
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    if (this.#events !== undefined) this.#socket.resume();
  }

  end(): void {
    if (!this.#socket.destroyed) this.#socket.end();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #read(): void {
    if (this.#isReading) return;
    this.#isReading = true;
    while (this.#events !== undefined && !this.#isMalformed && !this.#socket.destroyed) {
      const decoded = this.#decoder.next();
      if (decoded === undefined) break;
      if (decoded.kind === 'frame') this.#events.frame(decoded.type, decoded.payload);
      else {
        this.#isMalformed = true;
        this.#events.malformed(decoded.detail);
      }
    }
    this.#isReading = false;
  }
}

/** Copying is cheaper than a second write up to about here. */
const JOINED_BYTES_MAX = 16_384;
