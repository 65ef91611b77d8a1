// Sends OTLP over HTTP, one message after the other, and counts what could not be brought: a receiver that is down or slow costs
// bounded memory and time, and never the run.

import type { IncomingMessage } from 'node:http';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { gzipSync } from 'node:zlib';
import * as v from 'valibot';
import type { Clock } from '../../clock/clock.ts';
import { errorMessage } from '../../core/problem.ts';
import { singleLine } from '../../core/text/single-line.ts';
import type { OtlpMessage } from './run-telemetry.ts';

export interface OtlpSent {
  readonly sent: number;
  /** Refused, or given up after OTLP_TRIES_MAX. */
  readonly dropped: number;
  /** Points and spans of messages that were taken otherwise. */
  readonly rejected: number;
  /** Of the last message that was not taken whole; undefined where all were. */
  readonly problem: string | undefined;
}

export interface OtlpSending {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Default: none. */
  readonly compression?: OtlpCompression;
}

export type OtlpCompression = 'none' | 'gzip';

export const OTLP_TRIES_MAX = 4;
/** Messages of one sending; more are dropped unsent. */
export const OTLP_MESSAGES_MAX = 64;
/** Of an answer, which says what was rejected; a longer one is taken for none. */
export const OTLP_ANSWER_BYTES_MAX = 65_536;

/**
 * @param endpoint of the receiver, without /v1/metrics, as OTEL_EXPORTER_OTLP_ENDPOINT is
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
  const taken = messages.slice(0, OTLP_MESSAGES_MAX);
  if (taken.length < messages.length) problem = `only ${OTLP_MESSAGES_MAX} messages are sent at once`;
  for (const message of taken) {
    const outcome = await brought(endpoint, message, sending);
    problem = outcome.problem ?? problem;
    if (outcome.kind === 'dropped') continue;
    sent += 1;
    rejected += outcome.rejected;
  }
  return { sent, dropped: messages.length - sent, rejected, problem };
};

type Outcome =
  | { readonly kind: 'sent'; readonly rejected: number; readonly problem: string | undefined }
  | { readonly kind: 'dropped'; readonly problem: string };

/** 429, 502, 503 and 504 are tried again, as OTLP has it; others are not. */
const brought = async (
  endpoint: string,
  { path, body }: OtlpMessage,
  { clock, signal, compression }: OtlpSending,
): Promise<Outcome> => {
  const url = new URL(`${endpoint.replace(/\/+$/, '')}${path}`);
  const packed = compression === 'gzip' ? gzipSync(body) : Buffer.from(body);
  let failure = '';
  for (let tries = 1; ; tries += 1) {
    const answer = await post(url, packed, { signal, isPacked: compression === 'gzip' });
    signal.throwIfAborted();
    if (typeof answer !== 'string' && answer.status >= 200 && answer.status < 300)
      return { kind: 'sent', ...rejectedIn(answer.body, url) };
    failure = typeof answer === 'string' ? answer : `status ${answer.status}`;
    const isWorthIt = typeof answer === 'string' || RETRIED.has(answer.status);
    if (!isWorthIt || tries >= OTLP_TRIES_MAX)
      return { kind: 'dropped', problem: `${url.origin}${path}: ${failure}` };
    const asked = typeof answer === 'string' ? undefined : answer.retryAfterMs;
    await clock.sleep(Math.min(asked ?? BACKOFF_MS * 2 ** (tries - 1), BACKOFF_MS_MAX), signal);
  }
};

/** What a receiver says that it did not keep of a message that it took: `partialSuccess`. Most answers say nothing. */
const rejectedIn = (
  body: string,
  { origin, pathname }: URL,
): { readonly rejected: number; readonly problem: string | undefined } => {
  const parsed = v.safeParse(PARTIAL, body);
  const told = parsed.success ? parsed.output.partialSuccess : undefined;
  const rejected = Number(told?.rejectedDataPoints ?? told?.rejectedSpans ?? 0);
  if (!Number.isSafeInteger(rejected) || rejected <= 0) return { rejected: 0, problem: undefined };
  const said = singleLine(told?.errorMessage ?? '').slice(0, REASON_LENGTH_MAX);
  const problem = `${origin}${pathname}: ${rejected} of its points were rejected${said === '' ? '' : `: ${said}`}`;
  return { rejected, problem };
};

interface Answer {
  readonly status: number;
  readonly retryAfterMs: number | undefined;
  readonly body: string;
}

/** What went wrong as words. */
const post = (
  url: URL,
  body: Buffer,
  { signal, isPacked }: { readonly signal: AbortSignal; readonly isPacked: boolean },
): Promise<Answer | string> =>
  new Promise(resolve => {
    const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
    // A timer of our own, because one of AbortSignal.timeout holds the request for all of its time, however soon the answer came.
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), ANSWER_MS_MAX);
    const limit = AbortSignal.any([signal, late.signal]);
    const headers = {
      'content-type': 'application/json',
      'content-length': body.length,
      ...(isPacked ? { 'content-encoding': 'gzip' } : {}),
    };
    const sending = request(url, { method: 'POST', headers, signal: limit, agent: false });
    sending.once('close', () => clearTimeout(timer));
    let hasAnswered = false;
    sending.once('response', answer => {
      hasAnswered = true;
      void answerOf(answer).then(resolve);
    });
    // What is wrong behind the head of an answer does not undo it: sent once more, the message would count twice.
    sending.on('error', error => {
      if (!hasAnswered) resolve(limit.aborted ? 'no answer in time' : errorMessage(error));
    });
    sending.end(body);
  });

/** The status counts even where the rest of the answer is lost. */
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

const RETRIED: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const BACKOFF_MS = 500;
const BACKOFF_MS_MAX = 5_000;
const ANSWER_MS_MAX = 10_000;
const REASON_LENGTH_MAX = 200;
/** 64-bit integers are texts in protobuf's JSON; some write numbers. */
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
