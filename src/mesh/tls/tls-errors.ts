// The meaning of an error of TLS or of the system for a person: the wrong key, not a node, or nothing there.
// OpenSSL's codes as Node 24 gives them; each was seen in the tests.

import { errorCode } from '../../core/problem.ts';
import type { UnreachableCause } from '../../wire/mesh-status.ts';
import type { RefusalMeaning } from '../mesh.ts';

/** At the dialling end. */
export const dialMeaning = (error: Error): RefusalMeaning => {
  const code = errorCode(error) ?? '';
  if (WRONG_KEY_ALERTS.has(code))
    return { reason: 'wrong-key', detail: 'the node there does not accept this cluster key' };
  if (code === 'ECONNRESET' || code === 'EPIPE')
    return { reason: 'lost', detail: 'the connection was closed during the handshake' };
  if (isSystemCode(code)) {
    const [cause, detail] = UNREACHABLE[code] ?? ['no-answer', code];
    return { reason: 'unreachable', cause, detail };
  }
  return {
    reason: 'not-a-node',
    detail: `the service there is not a node of a cluster (${code || error.message})`,
  };
};

/**
 * At the dialled end, without an error if TLS was opened without a key; `knewKey`: whether the named key id is known,
 * undefined if none was named.
 */
export const acceptMeaning = (error: Error | undefined, knewKey: boolean | undefined): RefusalMeaning => {
  if (error === undefined) return { reason: 'not-a-node', detail: 'it opened TLS without a cluster key' };
  const code = errorCode(error) ?? '';
  if (isWrongPsk(error) || knewKey === false)
    return { reason: 'wrong-key', detail: 'it has another cluster key' };
  if (code === 'ECONNRESET' || code === 'EPIPE')
    return { reason: 'lost', detail: 'it closed the connection during the handshake' };
  return { reason: 'not-a-node', detail: `it does not use the mesh protocol (${code || error.message})` };
};

/** The other end named a PSK that is known here without having it. */
export const isWrongPsk = (error: Error): boolean => errorCode(error) === 'ERR_SSL_BINDER_DOES_NOT_VERIFY';

const isSystemCode = (code: string): boolean => /^E[A-Z0-9_]+$/.test(code) && !code.startsWith('ERR_');

const WRONG_KEY_ALERTS: ReadonlySet<string> = new Set([
  'ERR_SSL_TLSV1_ALERT_DECRYPT_ERROR',
  'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE',
  'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE',
  'ERR_SSL_TLSV1_ALERT_UNKNOWN_PSK_IDENTITY',
]);

const UNREACHABLE: Readonly<Record<string, readonly [UnreachableCause, string]>> = {
  ECONNREFUSED: ['nothing-listens', 'nothing listens on that port'],
  EHOSTUNREACH: ['no-route', 'no route to that address'],
  ENETUNREACH: ['no-route', 'no route to that network'],
  ENOTFOUND: ['unknown-name', 'no address has that name'],
  EAI_AGAIN: ['unknown-name', 'the name service does not answer'],
  ETIMEDOUT: ['no-answer', 'nothing answers there'],
  EINVAL: [
    'needs-interface',
    'that address cannot be dialled from here; a link-local one needs its interface: fe80::1%en0',
  ],
};
