// Sends OTLP over HTTP, one message after the other, and counts what could not be brought: a receiver that is down or slow costs
// bounded memory and time, and never the run.

import type { IncomingMessage } from 'node:http';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Clock } from '../../clock/clock.ts';
import { errorMessage } from '../../core/problem.ts';
import type { OtlpMessage } from './run-telemetry.ts';

export interface OtlpSent {
  readonly sent: number;
  /** Refused, or given up after OTLP_TRIES_MAX. */
  readonly dropped: number;
  /** Of the last message that was dropped; undefined where none was. */
  readonly problem: string | undefined;
}

export const OTLP_TRIES_MAX = 4;
/** Messages of one sending; more are dropped unsent. */
export const OTLP_MESSAGES_MAX = 64;

/**
 * @param endpoint of the receiver, without /v1/metrics, as OTEL_EXPORTER_OTLP_ENDPOINT is
 * @throws the signal's reason
 */
export const sendOtlp = async (
  endpoint: string,
  messages: readonly OtlpMessage[],
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<OtlpSent> => {
  let sent = 0;
  let problem: string | undefined;
  const taken = messages.slice(0, OTLP_MESSAGES_MAX);
  if (taken.length < messages.length) problem = `only ${OTLP_MESSAGES_MAX} messages are sent at once`;
  for (const message of taken) {
    const failure = await brought(endpoint, message, { clock, signal });
    if (failure === undefined) sent += 1;
    else problem = failure;
  }
  return { sent, dropped: messages.length - sent, problem };
};

/** Undefined when it was taken, else why not. 429, 502, 503 and 504 are tried again, as OTLP has it; others are not. */
const brought = async (
  endpoint: string,
  { path, body }: OtlpMessage,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<string | undefined> => {
  const url = new URL(`${endpoint.replace(/\/+$/, '')}${path}`);
  let failure = '';
  for (let tries = 1; ; tries += 1) {
    const answer = await post(url, body, signal);
    signal.throwIfAborted();
    if (typeof answer !== 'string' && answer.status >= 200 && answer.status < 300) return undefined;
    failure = typeof answer === 'string' ? answer : `status ${answer.status}`;
    const isWorthIt = typeof answer === 'string' || RETRIED.has(answer.status);
    if (!isWorthIt || tries >= OTLP_TRIES_MAX) return `${url.origin}${path}: ${failure}`;
    const asked = typeof answer === 'string' ? undefined : answer.retryAfterMs;
    await clock.sleep(Math.min(asked ?? BACKOFF_MS * 2 ** (tries - 1), BACKOFF_MS_MAX), signal);
  }
};

interface Answer {
  readonly status: number;
  readonly retryAfterMs: number | undefined;
}

/** What went wrong as words. */
const post = (url: URL, body: string, signal: AbortSignal): Promise<Answer | string> =>
  new Promise(resolve => {
    const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const limit = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS_MAX)]);
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const sending = request(url, { method: 'POST', headers, signal: limit, agent: false });
    sending.once('response', answer => resolve(answerOf(answer)));
    sending.on('error', error => resolve(limit.aborted ? 'no answer in time' : errorMessage(error)));
    sending.end(body);
  });

const answerOf = (answer: IncomingMessage): Answer => {
  answer.on('error', () => undefined).destroy(); // the status says all that is acted on
  const seconds = Number(answer.headers['retry-after'] ?? Number.NaN);
  return {
    status: answer.statusCode ?? 0,
    retryAfterMs: Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : undefined,
  };
};

const RETRIED: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const BACKOFF_MS = 500;
const BACKOFF_MS_MAX = 5_000;
const ANSWER_MS_MAX = 10_000;
