// The INFO of a fleet's server, copied field by field: a library reads it after this, and none of its texts
// may be of a kind or length that a server does not send. Fields that are not needed are left out.

import { Buffer } from 'node:buffer';
import * as v from 'valibot';
import { showable } from '../../core/text/single-line.ts';

const TEXT_LENGTH_MAX = 256;

const PAYLOAD_BYTES_DEFAULT = 1_048_576;

const text = v.optional(
  v.pipe(
    v.string(),
    v.transform(reported => showable(reported).slice(0, TEXT_LENGTH_MAX)),
  ),
  '',
);
const whole = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const count = v.optional(whole, 0);
const flag = v.optional(v.boolean(), false);

/** Fields by their names on the wire. */
export interface ServerInfoFields {
  readonly version: string;
  readonly server_id: string;
  readonly server_name: string;
  readonly host: string;
  readonly port: number;
  readonly proto: number;
  readonly client_id: number;
  readonly max_payload: number;
  readonly headers: boolean;
  readonly jetstream: boolean;
  readonly auth_required: boolean;
  readonly tls_required: boolean;
  readonly tls_available: boolean;
  readonly ldm: boolean;
  /** To be signed by a client with credentials. */
  readonly nonce?: string | undefined;
}

const SERVER_INFO: v.GenericSchema<unknown, ServerInfoFields> = v.object({
  // "2.9.10", "2.12.0-preview.1"
  version: v.pipe(v.string(), v.regex(/^\d{1,6}\.\d{1,6}\.\d{1,6}[\w.+-]{0,40}$/)),
  server_id: text,
  server_name: text,
  host: text,
  port: count,
  proto: count,
  client_id: count,
  max_payload: v.optional(whole, PAYLOAD_BYTES_DEFAULT),
  headers: flag,
  jetstream: flag,
  auth_required: flag,
  tls_required: flag,
  tls_available: flag,
  ldm: flag,
  nonce: v.optional(v.pipe(v.string(), v.regex(/^[\x21-\x7e]{0,256}$/))),
});

/** Undefined: not the INFO of a nats-server. */
export const serverInfoOf = (json: string): ServerInfoFields | undefined => {
  let reported: unknown;
  try {
    reported = JSON.parse(json);
  } catch {
    return undefined;
  }
  const parsed = v.safeParse(SERVER_INFO, reported);
  return parsed.success ? parsed.output : undefined;
};

/** The line as the library should read it. */
export const infoLine = (info: ServerInfoFields): Uint8Array =>
  Buffer.from(`INFO ${JSON.stringify(info)}\r\n`, 'utf8');
