// Why a connection cannot be opened, by the code of the system, of Node or of its TLS library, with what to
// do. One table: for the request before a run, for the load, and for the advice of a report.

import type { Sentences } from '../problem.ts';

export interface ConnectionProblem extends Sentences {
  /** This machine lacks a resource, and the server is not involved. */
  readonly isOurs: boolean;
}

const problem = (text: string, advice: string, isOurs = false): ConnectionProblem => ({
  problem: text,
  advice,
  isOurs,
});

export const HTTP2_ONLY = 'the reply is HTTP/2, and this client sends HTTP/1.1';
export const HTTP2_ADVICE =
  'Enable HTTP/1.1 on the front end, or use the address of the server that it forwards to.';
export const CHECK_ADDRESS = 'Start the server, or check host and port.';
const NOT_TRUSTED = problem(
  'its certificate is not signed by a trusted CA',
  'Give a PEM file with the CA, or with the certificate if it is self-signed: --ca FILE. On another machine, set NODE_EXTRA_CA_CERTS to it.',
);
const NOT_TLS = problem('it does not use TLS', 'Write http:// instead of https://.');

export const CONNECTION_PROBLEMS: ReadonlyMap<string, ConnectionProblem> = new Map([
  ['ECONNREFUSED', problem('connection refused', CHECK_ADDRESS)],
  ['ENOTFOUND', problem('its name cannot be resolved', 'Check the host name.')],
  ['EAI_AGAIN', problem('its name cannot be resolved now', 'Check the DNS server of this machine.')],
  ['EHOSTUNREACH', problem('there is no route to that host', 'Check the address, and the network.')],
  ['ENETUNREACH', problem('there is no route to that network', 'Check the address, and the network.')],
  ['ETIMEDOUT', problem('it does not answer', CHECK_ADDRESS)],
  ['ECONNRESET', problem('the connection was reset', CHECK_ADDRESS)],
  ['EPIPE', problem('the connection was closed', CHECK_ADDRESS)],
  ['EPROTO', NOT_TLS],
  ['ERR_SSL_WRONG_VERSION_NUMBER', NOT_TLS],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG', NOT_TLS],
  ['ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL', problem('it accepts only HTTP/2', HTTP2_ADVICE)],
  [
    'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
    problem('it requires a certificate of its clients', 'Give one: --client-cert FILE'),
  ],
  ['CERT_HAS_EXPIRED', problem('its certificate has expired', 'Renew the certificate of the server.')],
  ['CERT_NOT_YET_VALID', problem('its certificate is not valid yet', 'Check the clocks of both machines.')],
  [
    'ERR_TLS_CERT_ALTNAME_INVALID',
    problem('its certificate is for another name', 'Use the name that the certificate has.'),
  ],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', NOT_TRUSTED],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', NOT_TRUSTED],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', NOT_TRUSTED],
  ['SELF_SIGNED_CERT_IN_CHAIN', NOT_TRUSTED],
  [
    'EMFILE',
    problem(
      'this process may not open more files',
      'Raise the limit, with: ulimit -n 65536; or send fewer requests at a time.',
      true,
    ),
  ],
  [
    'ENFILE',
    problem(
      'this machine may not open more files',
      'Close some programs, or raise the limit of the system.',
      true,
    ),
  ],
  [
    'EADDRNOTAVAIL',
    problem(
      'this machine has no free port left for connections to it',
      'Wait a minute, or send fewer requests at a time.',
      true,
    ),
  ],
  ['ENOBUFS', problem('this machine has no buffer left for a connection', 'Send fewer at a time.', true)],
]);

/** "connection refused (ECONNREFUSED)" */
export const connectionProblemText = (code: string, { problem: text }: ConnectionProblem): string =>
  `${text} (${code})`;

/** What to do about a connection that failed with this text; undefined if it is none of the above. */
export const connectionAdvice = (text: string): string | undefined => {
  const [, code = ''] = /\(([A-Z_]+)\)$/.exec(text) ?? [];
  return CONNECTION_PROBLEMS.get(code)?.advice;
};
