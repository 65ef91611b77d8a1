// After TLS each end states its identity and proves it, both bound to this connection by the TLS exporter (RFC 9266's
// idea): an ed25519 signature proves the identity, an HMAC under the cluster key proves the key even if TLS was opened
// without it. Both cover both hellos and the role, so nothing can be replayed, reflected or forwarded.

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import { isSignedBy, nodeIdOf, PUBLIC_KEY_BYTES, SIGNATURE_BYTES } from '../../wire/node-signature.ts';
import type { PeerHello } from '../link/pipe.ts';
import type { MeshIdentity, RefusalReason } from '../mesh.ts';

/** Version of everything after TLS. A peer with another version is refused with that reason. */
export const MESH_VERSION = 1;
export const INSTANCE_BYTES = 16;

export interface OwnHello {
  readonly identity: MeshIdentity;
  readonly start: number;
  /** INSTANCE_BYTES. */
  readonly instance: Uint8Array;
  /** Default MESH_VERSION; tests use another one. */
  readonly version?: number;
}

type DecodedHello =
  | { readonly kind: 'hello'; readonly hello: PeerHello }
  | { readonly kind: 'refused'; readonly reason: RefusalReason; readonly detail: string };

/** "PLSM", version (2 bytes), public key (32), start number (8), instance (16). */
export const encodeHello = ({ identity, start, instance, version = MESH_VERSION }: OwnHello): Uint8Array => {
  const bytes = new Uint8Array(HELLO_BYTES);
  const view = new DataView(bytes.buffer);
  bytes.set(MAGIC);
  view.setUint16(AT_VERSION, version);
  bytes.set(identity.publicKey, AT_KEY);
  view.setBigUint64(AT_START, BigInt(start));
  bytes.set(instance, AT_INSTANCE);
  return bytes;
};

/** Never throws. Other versions may have other lengths, so the version is checked first. */
export const decodeHello = (bytes: Uint8Array): DecodedHello => {
  if (bytes.length < AT_KEY || MAGIC.some((byte, index) => bytes[index] !== byte))
    return { kind: 'refused', reason: 'malformed', detail: 'its first message is not that of a node' };
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const version = view.getUint16(AT_VERSION);
  if (version !== MESH_VERSION) {
    const detail = `it uses version ${version} of the mesh protocol, this node version ${MESH_VERSION}: run the same Plimsoll on both`;
    return { kind: 'refused', reason: 'version', detail };
  }
  if (bytes.length !== HELLO_BYTES)
    return { kind: 'refused', reason: 'malformed', detail: 'its hello has another length' };
  const start = Number(view.getBigUint64(AT_START));
  if (!Number.isSafeInteger(start))
    return { kind: 'refused', reason: 'malformed', detail: 'its start number is too large' };
  const publicKey = bytes.slice(AT_KEY, AT_START);
  const instance = Buffer.from(bytes.subarray(AT_INSTANCE)).toString('hex');
  return { kind: 'hello', hello: { nodeId: nodeIdOf(publicKey), publicKey, start, instance } };
};

interface ProofParts {
  readonly exporter: Uint8Array;
  /** From HKDF for `proof`. */
  readonly keySecret: Uint8Array;
  readonly isByInitiator: boolean;
  /** Hello of the prover, and of the verifier. */
  readonly hello: Uint8Array;
  readonly otherHello: Uint8Array;
}

/** Signature (64 bytes), HMAC-SHA256 (32). */
export const makeProof = (parts: ProofParts, identity: MeshIdentity): Uint8Array => {
  const transcript = transcriptOf(parts);
  return Buffer.concat([identity.sign(transcript), macOf(parts, transcript)]);
};

type ProofVerdict = 'good' | 'bad-signature' | 'bad-key';

/** Never throws. */
export const checkProof = (parts: ProofParts, publicKey: Uint8Array, proof: Uint8Array): ProofVerdict => {
  const transcript = transcriptOf(parts);
  const mac = macOf(parts, transcript);
  const reported = proof.subarray(SIGNATURE_BYTES);
  if (reported.length !== mac.length || !timingSafeEqual(reported, mac)) return 'bad-key';
  return isSignedBy(publicKey, transcript, proof.subarray(0, SIGNATURE_BYTES)) ? 'good' : 'bad-signature';
};

/** 32 bytes that only the two ends of this connection have (RFC 8446 §7.5). */
export const exporterOf = (socket: TLSSocket): Uint8Array =>
  socket.exportKeyingMaterial(32, 'EXPORTER-plimsoll-mesh', Buffer.alloc(0));

const transcriptOf = ({ exporter, isByInitiator, hello, otherHello }: ProofParts): Buffer =>
  Buffer.concat([
    Buffer.from(`plimsoll mesh proof\0${isByInitiator ? 'initiator' : 'responder'}\0`),
    exporter,
    lengthOf(hello),
    hello,
    lengthOf(otherHello),
    otherHello,
  ]);

const lengthOf = (bytes: Uint8Array): Buffer => {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return length;
};

const macOf = ({ keySecret }: ProofParts, transcript: Uint8Array): Buffer =>
  createHmac('sha256', keySecret).update(transcript).digest();

const MAGIC = Buffer.from('PLSM');
const AT_VERSION = 4;
const AT_KEY = 6;
const AT_START = AT_KEY + PUBLIC_KEY_BYTES;
const AT_INSTANCE = AT_START + 8;
const HELLO_BYTES = AT_INSTANCE + INSTANCE_BYTES;
/** For a frame during the handshake: leaves room for hellos of future versions. */
export const HANDSHAKE_FRAME_BYTES_MAX = 512;
