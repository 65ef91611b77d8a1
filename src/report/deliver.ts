// Delivers one message by POST to a receiver that a person named, with a bounded number of tries: a receiver that is down or slow costs
// bounded memory and time, and never what it is sent about.

import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { type Clock, pause } from '../clock/clock.ts';
import { shortReason } from '../core/problem.ts';

/** Tries of one message. */
export const DELIVERY_TRIES_MAX = 4;
/** Pause between two tries; a receiver that requests a longer one gets no further try. */
export const DELIVERY_PAUSE_MS_MAX = 5_000;
/** Timeout for a reply, for each try. */
export const DELIVERY_ANSWER_MS_MAX = 10_000;
/** Limit of a reply; a longer one is ignored. */
const DELIVERY_ANSWER_BYTES_MAX = 65_536;

interface Delivery {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** JSON, or what `encoding` makes of it. */
  readonly body: Buffer;
  readonly encoding?: 'gzip';
  /** By the clock; what takes longer is given up. */
  readonly untilMs: number;
}

export type Delivered =
  | { readonly kind: 'taken'; readonly body: string }
  /** `isSilent`: it did not reply, or was busy until the last try, so it would take no other message either. */
  | {
      readonly kind: 'dropped';
      readonly failure: string;
      readonly isSilent: boolean;
      /** It cannot accept this body, as it is: another may be taken. */
      readonly isBodyRefused: boolean;
      /** The pause that the receiver requests, ms: RFC 9110 section 10.2.3. */
      readonly retryAfterMs: number | undefined;
    };

/** 429, 502, 503 and 504 are retried, as OTLP specifies, not before `Retry-After`; others are not. @throws the signal's reason */
export const deliver = async (url: URL, delivery: Delivery): Promise<Delivered> => {
  const { clock, signal, untilMs } = delivery;
  for (let tries = 1; ; tries += 1) {
    const limitMs = Math.min(DELIVERY_ANSWER_MS_MAX, untilMs - clock.nowMs());
    const answer = limitMs <= 0 ? NO_ANSWER : await post(url, delivery, limitMs);
    signal.throwIfAborted();
    if (typeof answer !== 'string' && answer.status >= 200 && answer.status < 300)
      return { kind: 'taken', body: answer.body };
    const failure = typeof answer === 'string' ? answer : `status ${answer.status}`;
    const isRetried = typeof answer === 'string' || RETRIED.has(answer.status);
    const requested = typeof answer === 'string' ? undefined : answer.retryAfterMs;
    const waitMs = requested ?? Math.min(BACKOFF_MS * 2 ** (tries - 1), DELIVERY_PAUSE_MS_MAX);
    const isOver =
      tries >= DELIVERY_TRIES_MAX || waitMs > DELIVERY_PAUSE_MS_MAX || clock.nowMs() + waitMs >= untilMs;
    if (!isRetried || isOver)
      return {
        kind: 'dropped',
        failure,
        isSilent: isRetried,
        isBodyRefused: typeof answer !== 'string' && BODY_REFUSED.has(answer.status),
        retryAfterMs: requested,
      };
    await clock.sleep(waitMs, signal);
  }
};

interface Answer {
  readonly status: number;
  readonly retryAfterMs: number | undefined;
  readonly body: string;
}

/** The failure as a sentence. */
const post = (
  url: URL,
  { clock, signal, body, encoding }: Delivery,
  limitMs: number,
): Promise<Answer | string> =>
  new Promise(resolve => {
    const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const late = new AbortController();
    const closed = new AbortController();
    void pause(clock, limitMs, closed.signal).then(() => {
      if (!closed.signal.aborted) late.abort();
    });
    const limit = AbortSignal.any([signal, late.signal]);
    const headers = {
      'content-type': 'application/json',
      'content-length': body.length,
      ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
    };
    const sending = request(url, { method: 'POST', headers, signal: limit, agent: false });
    sending.once('close', () => closed.abort());
    let hasAnswered = false;
    sending.once('response', answer => {
      hasAnswered = true;
      void answerOf(answer).then(resolve);
    });
    // An error after the head of a reply does not undo it: a repeated message would count twice.
    sending.on('error', error => {
      // By its code: the text of the error has the address, which may be a secret.
      if (!hasAnswered) resolve(limit.aborted ? NO_ANSWER : shortReason(error));
    });
    sending.end(body);
  });

/** The status counts even if the rest of the reply is lost. */
const answerOf = async (answer: IncomingMessage): Promise<Answer> => {
  return {
    status: answer.statusCode ?? 0,
    retryAfterMs: secondsMs(answer.headers['retry-after']),
    body: await boundedBody(answer),
  };
};

/** A date is not read: it compares two clocks. */
const secondsMs = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,9}$/.test(text.trim()) ? Number(text) * 1_000 : undefined;

const boundedBody = async (answer: IncomingMessage): Promise<string> => {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of answer) {
      if (!Buffer.isBuffer(part)) continue;
      bytes += part.length;
      if (bytes > DELIVERY_ANSWER_BYTES_MAX) return '';
      parts.push(part);
    }
  } catch {
    return '';
  }
  return Buffer.concat(parts).toString('utf8');
};

const NO_ANSWER = 'no answer in time';
const RETRIED: ReadonlySet<number> = new Set([429, 502, 503, 504]);
/** Bad request, content too large, unsupported media type, unprocessable content: RFC 9110 section 15.5. */
const BODY_REFUSED: ReadonlySet<number> = new Set([400, 413, 415, 422]);
const BACKOFF_MS = 500;
