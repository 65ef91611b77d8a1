// Both sides of the opening of a connection between the ends of a probe. Nothing follows its last byte until the source
// sends, so the connection can be handed to a thread without losing a byte.

import type { Socket } from 'node:net';
import { shortReason } from '../../core/problem.ts';
import { ProbeError } from './probe-error.ts';
import {
  ANSWER_BYTES,
  answer,
  CLAIM_BYTES,
  type ConnectionHead,
  claim,
  GREETING_BYTES,
  greeting,
  makeNonce,
  readAnswer,
  readClaim,
  readGreeting,
  type TicketVerdict,
} from './ticket-proof.ts';

/** @throws ProbeError if the other end is not a sink, does not accept the ticket, is busy, or stays silent. */
export const introduceToSink = async (
  socket: Socket,
  ticket: string,
  head: ConnectionHead,
  signal: AbortSignal,
): Promise<void> => {
  const sinkNonce = readGreeting(await readExactly(socket, GREETING_BYTES, signal));
  if (sinkNonce === undefined) {
    throw new ProbeError('unreachable', 'the service there is not a Plimsoll probe');
  }
  const nonces = { sinkNonce, sourceNonce: makeNonce() };
  socket.write(claim(ticket, head, nonces));
  const answered = await readExactly(socket, ANSWER_BYTES, signal).catch((error: unknown) => {
    // A sink is silent to a source that cannot prove the ticket; once it has accepted the ticket, silence means
    // something else.
    if (head.role === 'control' && error instanceof ProbeError && error.code === 'closed') throw refused();
    throw error;
  });
  const verdict = readAnswer(ticket, answered, head, nonces);
  if (verdict === undefined) throw refused();
  if (verdict === 'busy') throw new ProbeError('refused', 'the other end is busy with another probe');
};

type ProbeIntroduction =
  | {
      readonly kind: 'proved';
      readonly head: ConnectionHead;
      /** Resolves once it was handed to the kernel, or the connection is gone. */
      answer(verdict: TicketVerdict): Promise<void>;
    }
  | { readonly kind: 'not-proved' };

/** @throws ProbeError if the dialling end goes away or stays silent. */
export const receiveIntroduction = async (
  socket: Socket,
  ticket: string,
  signal: AbortSignal,
): Promise<ProbeIntroduction> => {
  const sinkNonce = makeNonce();
  socket.write(greeting(sinkNonce));
  const received = readClaim(ticket, await readExactly(socket, CLAIM_BYTES, signal), sinkNonce);
  if (received.kind === 'not-proved') return received;
  return {
    kind: 'proved',
    head: received.head,
    // Flushed before the connection is handed on: what Node's socket still buffers then would be lost.
    answer: verdict =>
      new Promise(resolve => {
        socket.write(answer(ticket, verdict, received.bytes, received.nonces), () => resolve());
      }),
  };
};

const refused = (): ProbeError =>
  new ProbeError(
    'refused',
    'the other end does not accept the code: each is good for one probe, so look there for the newest; or others flood its port',
  );

/**
 * The next `count` bytes; the socket is paused afterwards, and further bytes can still be read.
 * @throws ProbeError `closed` when the stream ends before, `timeout` when the signal aborts.
 */
const readExactly = (socket: Socket, count: number, signal: AbortSignal): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    // 'data' rather than 'readable', which fires repeatedly while there are fewer bytes than requested.
    let bytes: Buffer = Buffer.alloc(0);
    const settle = (finish: () => void): void => {
      socket.off('data', take).off('end', end).off('close', end);
      signal.removeEventListener('abort', late);
      socket.pause();
      finish();
    };
    const take = (chunk: Buffer): void => {
      bytes = Buffer.concat([bytes, chunk]);
      if (bytes.length < count) return;
      settle(() => {
        if (bytes.length > count) socket.unshift(bytes.subarray(count));
        resolve(bytes.subarray(0, count));
      });
    };
    const end = (): void => settle(() => reject(closed(socket)));
    const late = (): void => settle(() => reject(new ProbeError('timeout', 'the other end does not answer')));
    if (socket.destroyed || socket.readableEnded) return reject(closed(socket));
    if (signal.aborted) return late();
    socket.on('data', take).on('end', end).on('close', end);
    signal.addEventListener('abort', late, { once: true });
    socket.resume();
  });

const closed = (socket: Socket): ProbeError => {
  const cause = socket.errored === null ? '' : ` (${shortReason(socket.errored)})`;
  return new ProbeError('closed', `the other end closed the connection${cause}`);
};
