// How a target's certificate is verified, and which certificate it is shown. One set of options of node:tls, for the requests before a
// run and for the load.

import type { ConnectionOptions, SecureContextOptions } from 'node:tls';

export interface TlsPlan {
  /** SNI and the name that the certificate must have; '' if the host is an address. */
  readonly serverName: string;
  /** PEM; undefined: the system's authorities. */
  readonly authorities: string | undefined;
  readonly isInsecure: boolean;
  /** Shown to a server that requires a certificate of its clients: PEM. The key is a secret. */
  readonly identity?: TlsIdentity;
}

export interface TlsIdentity {
  readonly certificate: string;
  readonly key: string;
}

/** What is read once for all connections. */
export const tlsContextOptions = ({
  authorities,
  identity,
}: Pick<TlsPlan, 'authorities' | 'identity'>): SecureContextOptions => ({
  ...(authorities === undefined ? {} : { ca: authorities }),
  ...(identity === undefined ? {} : { cert: identity.certificate, key: identity.key }),
});

/** The options of each connection. */
export const tlsNameOptions = ({
  serverName,
  isInsecure,
}: TlsPlan): Pick<ConnectionOptions, 'servername' | 'rejectUnauthorized'> => ({
  ...(serverName === '' ? {} : { servername: serverName }),
  rejectUnauthorized: !isInsecure,
});
