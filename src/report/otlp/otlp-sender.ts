// Sends OTLP over HTTP, one message after another, and counts what could not be delivered: a receiver that is down or
// slow costs bounded memory and time, and never the run. A failure is not repeated for other messages: a receiver
// that does not reply gets no more of them, and an address that refuses a kind gets no more of that kind.

import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { gzipSync } from 'node:zlib';
import * as v from 'valibot';
import { type Clock, pause } from '../../clock/clock.ts';
import { errorMessage } from '../../core/problem.ts';
import { singleLine } from '../../core/text/single-line.ts';
import type { OtlpMessage } from './run-telemetry.ts';

export interface OtlpSent {
  readonly sent: number;
  /** Refused, or given up after OTLP_TRIES_MAX. */
  readonly dropped: number;
  /** Points and spans that the receiver rejected from accepted messages. */
  readonly rejected: number;
  /** Of the last message that was not fully accepted; undefined if all were. */
  readonly problem: string | undefined;
}

interface OtlpSending {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Default: none. */
  readonly compression?: OtlpCompression;
  /** For all messages together, including retries, ms; the rest is dropped. Default: no limit. */
  readonly budgetMs?: number;
}

export type OtlpCompression = 'none' | 'gzip';

export const OTLP_TRIES_MAX = 4;
/** Timeout for a reply, for each try. */
export const OTLP_ANSWER_MS_MAX = 10_000;
/** Messages of one export; further ones are dropped unsent. */
export const OTLP_MESSAGES_MAX = 64;
/** Limit of a reply, which contains what was rejected; a longer one is ignored. */
const OTLP_ANSWER_BYTES_MAX = 65_536;

/**
 * @param endpoint of the receiver, without /v1/metrics, like OTEL_EXPORTER_OTLP_ENDPOINT
 * @throws the signal's reason
 */
export const sendOtlp = async (
  endpoint: string,
  messages: readonly OtlpMessage[],
  sending: OtlpSending,
): Promise<OtlpSent> => {
  let sent = 0;
  let rejected = 0;
  let problem: string | undefined;
  const untilMs = sending.clock.nowMs() + (sending.budgetMs ?? Number.POSITIVE_INFINITY);
  const refused = new Set<string>();
  const taken = messages.slice(0, OTLP_MESSAGES_MAX);
  if (taken.length < messages.length) problem = `only ${OTLP_MESSAGES_MAX} messages are sent at once`;
  for (const message of taken) {
    if (refused.has(message.path)) continue;
    const outcome = await brought(endpoint, message, { ...sending, untilMs });
    problem = outcome.problem ?? problem;
    if (outcome.kind === 'dropped') {
      if (outcome.isOfAll) break;
      refused.add(message.path);
      continue;
    }
    sent += 1;
    rejected += outcome.rejected;
  }
  return { sent, dropped: messages.length - sent, rejected, problem };
};

type Outcome =
  | { readonly kind: 'sent'; readonly rejected: number; readonly problem: string | undefined }
  /** `isOfAll`: the receiver does not reply, so no other message would be accepted. */
  | { readonly kind: 'dropped'; readonly problem: string; readonly isOfAll: boolean };

/** 429, 502, 503 and 504 are retried, as OTLP specifies; others are not. */
const brought = async (
  endpoint: string,
  { path, body }: OtlpMessage,
  { clock, signal, compression, untilMs }: OtlpSending & { readonly untilMs: number },
): Promise<Outcome> => {
  const url = new URL(`${endpoint.replace(/\/+$/, '')}${path}`);
  const packed = compression === 'gzip' ? gzipSync(body) : Buffer.from(body);
  for (let tries = 1; ; tries += 1) {
    const limitMs = Math.min(OTLP_ANSWER_MS_MAX, untilMs - clock.nowMs());
    const answer =
      limitMs <= 0
        ? NO_ANSWER
        : await post(url, packed, { clock, signal, limitMs, isPacked: compression === 'gzip' });
    signal.throwIfAborted();
    if (typeof answer !== 'string' && answer.status >= 200 && answer.status < 300)
      return { kind: 'sent', ...rejectedIn(answer.body, url) };
    const isSilent = typeof answer === 'string';
    const failure = isSilent ? answer : `status ${answer.status}`;
    const isRetried = isSilent || RETRIED.has(answer.status);
    const requested = isSilent ? undefined : answer.retryAfterMs;
    const waitMs = Math.min(requested ?? BACKOFF_MS * 2 ** (tries - 1), BACKOFF_MS_MAX);
    const isOver = tries >= OTLP_TRIES_MAX || clock.nowMs() + waitMs >= untilMs;
    if (!isRetried || isOver)
      return { kind: 'dropped', problem: `${url.origin}${path}: ${failure}`, isOfAll: isRetried };
    await clock.sleep(waitMs, signal);
  }
};

/** What a receiver reports as rejected from an accepted message: `partialSuccess`. Most replies contain nothing. */
const rejectedIn = (
  body: string,
  { origin, pathname }: URL,
): { readonly rejected: number; readonly problem: string | undefined } => {
  const parsed = v.safeParse(PARTIAL, body);
  const partial = parsed.success ? parsed.output.partialSuccess : undefined;
  const rejected = Number(partial?.rejectedDataPoints ?? partial?.rejectedSpans ?? 0);
  if (!Number.isSafeInteger(rejected) || rejected <= 0) return { rejected: 0, problem: undefined };
  const errorText = singleLine(partial?.errorMessage ?? '').slice(0, REASON_LENGTH_MAX);
  const problem = `${origin}${pathname}: ${rejected} of its points were rejected${errorText === '' ? '' : `: ${errorText}`}`;
  return { rejected, problem };
};

interface Answer {
  readonly status: number;
  readonly retryAfterMs: number | undefined;
  readonly body: string;
}

interface PostOptions extends Pick<OtlpSending, 'clock' | 'signal'> {
  readonly limitMs: number;
  readonly isPacked: boolean;
}

/** The failure as a sentence. */
const post = (
  url: URL,
  body: Buffer,
  { clock, signal, limitMs, isPacked }: PostOptions,
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
      ...(isPacked ? { 'content-encoding': 'gzip' } : {}),
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
      if (!hasAnswered) resolve(limit.aborted ? NO_ANSWER : errorMessage(error));
    });
    sending.end(body);
  });

/** The status counts even if the rest of the reply is lost. */
const answerOf = async (answer: IncomingMessage): Promise<Answer> => {
  const seconds = Number(answer.headers['retry-after'] ?? Number.NaN);
  return {
    status: answer.statusCode ?? 0,
    retryAfterMs: Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : undefined,
    body: await boundedBody(answer),
  };
};

const boundedBody = async (answer: IncomingMessage): Promise<string> => {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of answer) {
      if (!Buffer.isBuffer(part)) continue;
      bytes += part.length;
      if (bytes > OTLP_ANSWER_BYTES_MAX) return '';
      parts.push(part);
    }
  } catch {
    return '';
  }
  return Buffer.concat(parts).toString('utf8');
};

const NO_ANSWER = 'no answer in time';
const RETRIED: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const BACKOFF_MS = 500;
const BACKOFF_MS_MAX = 5_000;
const REASON_LENGTH_MAX = 200;
/** 64-bit integers are strings in protobuf's JSON; some write numbers. */
const COUNT = v.exactOptional(v.union([v.string(), v.number()]));
const PARTIAL = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    partialSuccess: v.exactOptional(
      v.object({
        rejectedDataPoints: COUNT,
        rejectedSpans: COUNT,
        errorMessage: v.exactOptional(v.string()),
      }),
    ),
  }),
);
