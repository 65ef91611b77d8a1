// What a fleet's server reports about one stream, in one reply. The library's own call requests page after
// page for as long as a server reports that there are more.

import { JetStreamApiCodes, JetStreamApiError } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/nats-core';
import * as v from 'valibot';
import { singleLine } from '../../core/text/single-line.ts';
import { ProtocolViolation } from './server-reader.ts';

interface StreamFacts {
  readonly config: StreamConfigFacts;
  readonly state: { readonly messages: number; readonly bytes: number };
  /** The server's clock; undefined if it does not report that (before 2.10). */
  readonly serverNowMs: number | undefined;
}

/** By their names on the wire. */
interface StreamConfigFacts {
  readonly subjects: readonly string[];
  readonly max_msgs: number;
  readonly max_bytes: number;
  readonly max_msg_size: number;
  readonly max_msgs_per_subject: number;
  readonly num_replicas: number;
}

/**
 * Undefined: there is no such stream.
 * @throws the server's error.
 */
export const readStreamFacts = async (
  connection: Pick<NatsConnection, 'request'>,
  name: string,
): Promise<StreamFacts | undefined> => {
  const reply = await connection.request(`$JS.API.STREAM.INFO.${name}`, '', { timeout: TIMEOUT_MS });
  let reported: unknown;
  try {
    reported = JSON.parse(reply.string());
  } catch {
    throw new ProtocolViolation(NOT_UNDERSTOOD);
  }
  const parsed = v.safeParse(STREAM_INFO, reported);
  if (!parsed.success) throw new ProtocolViolation(NOT_UNDERSTOOD);
  const { error, config, state, ts } = parsed.output;
  if (error?.err_code === JetStreamApiCodes.StreamNotFound) return undefined;
  if (error !== undefined)
    throw new JetStreamApiError({
      code: error.code,
      err_code: error.err_code ?? 0,
      description: singleLine(error.description).slice(0, DESCRIPTION_LENGTH_MAX),
    });
  if (config === undefined || state === undefined) throw new ProtocolViolation(NOT_UNDERSTOOD);
  const serverNowMs = Date.parse(ts);
  return { config, state, serverNowMs: Number.isNaN(serverNowMs) ? undefined : serverNowMs };
};

const NOT_UNDERSTOOD = 'its reply about a stream is not what a nats-server sends';
const TIMEOUT_MS = 5_000;
const DESCRIPTION_LENGTH_MAX = 200;

const count = v.optional(v.number(), 0);
const STREAM_INFO = v.object({
  error: v.optional(
    v.object({ code: v.number(), err_code: v.optional(v.number()), description: v.optional(v.string(), '') }),
  ),
  config: v.optional(
    v.object({
      subjects: v.optional(v.array(v.string()), []),
      max_msgs: count,
      max_bytes: count,
      max_msg_size: count,
      max_msgs_per_subject: count,
      num_replicas: count,
    }),
  ),
  state: v.optional(v.object({ messages: count, bytes: count })),
  ts: v.optional(v.string(), ''),
});
