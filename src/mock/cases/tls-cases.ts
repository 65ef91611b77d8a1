// What a server can do to a TLS client before keys are agreed on: plain bytes are enough, and no certificate is needed.
// Selected by `--fail`, because a request that names a model would come too late.

import { type Expected, failedAs, timeout } from '../failure.ts';
import { atOnce, type CaseReply, CLOSED, RESET_SOON, SILENT } from './fault-case.ts';

interface TlsCase {
  readonly name: string;
  /** Its reply to a ClientHello. */
  readonly meaning: string;
  readonly expected: Expected;
  readonly reply: CaseReply;
}

/** RFC 8446 §6: a fatal alert in a separate record. */
const alert = (name: string, meaning: string, code: number): TlsCase => ({
  name: `tls-${name}`,
  meaning,
  expected: failedAs('tls'),
  reply: atOnce(CLOSED, Buffer.from([0x15, 3, 3, 0, 2, 2, code])),
});

const bytes = (name: string, meaning: string, data: string | Buffer): TlsCase => ({
  name: `tls-${name}`,
  meaning,
  expected: failedAs('tls'),
  reply: atOnce(CLOSED, data),
});

export const TLS_CASES: readonly TlsCase[] = [
  alert('handshake-failure', 'the alert handshake_failure: no cipher in common', 40),
  alert('protocol-version', 'the alert protocol_version: too old or too new', 70),
  alert('unrecognized-name', 'the alert unrecognized_name: no such site here', 112),
  alert('access-denied', 'the alert access_denied', 49),
  alert('internal-error', 'the alert internal_error, as CDNs answer without a certificate', 80),
  alert('certificate-required', 'the alert certificate_required: the client should have one', 116),
  alert('unknown-alert', 'an unknown alert', 250),
  bytes('plain-http', 'a reply of HTTP without TLS', 'HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n'),
  bytes('ssh', 'the greeting of an SSH server', 'SSH-2.0-OpenSSH_9.6\r\n'),
  bytes('garbage', 'bytes that are no record', Buffer.from('ffffffffffffffffffff', 'hex')),
  bytes(
    'old-record',
    'a ServerHello of SSL 3.0',
    Buffer.from(`160300002a02000026${'0300'}${'00'.repeat(32)}00000500`, 'hex'),
  ),
  bytes(
    'huge-record',
    'a record that promises more than TLS allows',
    Buffer.concat([Buffer.from('160303ffff', 'hex'), Buffer.alloc(1_024)]),
  ),
  bytes('cut-hello', 'half a ServerHello, then the end', Buffer.from('160303007a020000760303', 'hex')),
  bytes('empty-records', 'records without anything in them', Buffer.from('1603030000'.repeat(64), 'hex')),
  bytes(
    'wrong-type',
    'application data before any key',
    Buffer.from('1703030010'.concat('00'.repeat(16)), 'hex'),
  ),
  {
    name: 'tls-close',
    meaning: 'the end of the connection',
    expected: failedAs('tls'),
    reply: { writes: [], ending: CLOSED },
  },
  {
    name: 'tls-reset',
    meaning: 'a reset',
    expected: failedAs('tls'),
    reply: { writes: [], ending: RESET_SOON },
  },
  {
    name: 'tls-silence',
    meaning: 'nothing at all',
    expected: timeout('connect'),
    reply: { writes: [], ending: SILENT },
  },
  {
    name: 'tls-stall',
    meaning: 'half a ServerHello, then silence',
    expected: timeout('connect'),
    reply: atOnce(SILENT, Buffer.from('160303007a020000760303', 'hex')),
  },
];

export const tlsCaseNamed = (name: string): TlsCase | undefined => TLS_CASES.find(one => one.name === name);
