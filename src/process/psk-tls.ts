// TLS between processes of ours on different machines, the same at both ends: 1.3 only, one suite, a secret that both have as
// external PSK (the cluster key, a one-time code), no certificates. Node's pskCallback works only with suites of SHA-256.

import { constants } from 'node:crypto';
import type { TLSSocket } from 'node:tls';

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
export const isByPsk = (socket: TLSSocket): boolean =>
  socket.isSessionReused() &&
  socket.getProtocol() === TLS_SETTINGS.maxVersion &&
  socket.getCipher().name === TLS_SETTINGS.ciphers;
