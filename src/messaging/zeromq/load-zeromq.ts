// The addon is loaded when a run first needs it, not by an idle daemon, and never in a worker thread: with a
// socket in one, zeromq 6.8.0 aborted the process with a damaged heap in 7 of 26 floods.

import { isMainThread } from 'node:worker_threads';
import type * as Zeromq from 'zeromq';
import { TOPIC_FRAME_SIZE } from '../codec.ts';
import { MessagingError } from '../messaging-error.ts';

/** @throws MessagingError in a worker thread. */
export const loadZeromq = async (): Promise<typeof Zeromq> => {
  if (!isMainThread)
    throw new MessagingError('thread', "ZeroMQ sockets live on a process's main thread only");
  return import('zeromq');
};

// How both sides of a ZeroMQ connection verify that messages arrive, without a pause. ZeroMQ reports
// subscriptions to an XPUB socket (RFC 29/PUBSUB: one byte, 1 or 0, then the topic), in the subscriber's
// order, so a subscriber sends signals by subscribing to topics that carry an id:
//
//   subscriber                                     publisher
//   subscribes its topic, then ~probe/<id>    ->   answers with a message on ~probe/<id>
//   gets that message, or any other: it is ready
//   subscribes ~here/<id>                     ->   counts it; ZeroMQ unsubscribes it when the connection ends
//   gets ~end, after everything else         <-   closing: sends ~end to all
//   subscribes ~done/<id>                     ->   this one has everything
export const END_TOPIC = '~end';

type HandshakeStep = 'probe' | 'here' | 'done';

export const controlTopic = (step: HandshakeStep, id: string): string => `~${step}/${id}`;

export type HandshakeNotice = {
  readonly isSubscribed: boolean;
  readonly step: HandshakeStep;
  readonly id: string;
};

/** What an XPUB socket receives; undefined for subscriptions to topics outside the handshake. */
export const parseNotice = (bytes: Uint8Array): HandshakeNotice | undefined => {
  if (bytes.length < 2 || bytes.length > 1 + TOPIC_FRAME_SIZE) return undefined;
  const match = NOTICE.exec(Buffer.from(bytes).toString('latin1'));
  const [, flag, step, id] = match ?? [];
  if (!isStep(step) || id === undefined) return undefined;
  return { isSubscribed: flag === '\u0001', step, id };
};

const isStep = (text: string | undefined): text is HandshakeStep =>
  text === 'probe' || text === 'here' || text === 'done';

// biome-ignore lint/suspicious/noControlCharactersInRegex: the protocol's own bytes
const NOTICE = /^([\u0000\u0001])~(probe|here|done)\/([0-9a-f]{16})$/;
