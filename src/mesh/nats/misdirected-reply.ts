// A reply of the server, or a message that it stores, that another node sent to a node's subject: a request
// names the subject of its reply, which no server checks, and a stream stores what comes on its subjects. The
// node whose id is in the subject did not publish it. What a node publishes begins with the version of its
// seal, and has no headers.

import type { Msg, MsgHdrs } from '@nats-io/nats-core';

/** For a message as it was delivered, by a subscription or, without a reply subject, by a consumer. */
export const isMisdirected = ({
  data,
  headers,
  reply,
}: {
  readonly data: Uint8Array;
  readonly headers?: MsgHdrs | undefined;
  readonly reply?: string | undefined;
}): boolean =>
  data[0] === OPENING_BRACE ||
  (headers !== undefined && (headers.code !== 0 || headers.has(STREAM_HEADER))) ||
  reply?.startsWith('$JS.ACK.') === true;

export interface StoredMessage {
  readonly subject: string;
  readonly seq: number;
  readonly storedAtMs: number;
  readonly data: Uint8Array;
  /** No node stored it. */
  readonly isMisdirected: boolean;
}

/** The message in a reply to a direct request; undefined: there is no other. */
export const storedIn = (message: Pick<Msg, 'data' | 'headers'> | undefined): StoredMessage | undefined => {
  const headers = message?.headers;
  if (message === undefined || headers === undefined) return undefined;
  // A server adds its own headers to those of the message: the last ones belong to this reply.
  const of = (name: string): string => headers.values(name).at(-1) ?? '';
  const seq = Number(of('Nats-Sequence'));
  const storedAtMs = Date.parse(of('Nats-Time-Stamp'));
  if (!Number.isSafeInteger(seq) || seq < 1) return undefined;
  return {
    subject: of('Nats-Subject'),
    seq,
    storedAtMs: Number.isFinite(storedAtMs) ? storedAtMs : 0,
    data: message.data,
    isMisdirected:
      headers.code !== 0 ||
      message.data[0] === OPENING_BRACE ||
      headers.values(STREAM_HEADER).length > 1 ||
      // No such message, without a status; a server that expires a message leaves one like it.
      (message.data.length === 0 && !headers.has('Nats-Marker-Reason')),
  };
};

const STREAM_HEADER = 'Nats-Stream';
const OPENING_BRACE = 0x7b;
