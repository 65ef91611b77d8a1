// Sends OTLP over HTTP, one message after another, and counts what could not be delivered: a receiver that is down or
// slow costs bounded memory and time, and never the run. A failure is not repeated for other messages: a receiver
// that does not reply gets no more of them, and an address that refuses a kind gets no more of that kind.

import { gzipSync } from 'node:zlib';
import * as v from 'valibot';
import type { Clock } from '../../clock/clock.ts';
import { singleLine } from '../../core/text/single-line.ts';
import { deliver } from '../deliver.ts';
import type { OtlpMessage } from './run-telemetry.ts';

export interface OtlpSent {
  readonly sent: number;
  /** Refused, or given up after DELIVERY_TRIES_MAX. */
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

/** Messages of one export; further ones are dropped unsent. */
export const OTLP_MESSAGES_MAX = 64;
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

const brought = async (
  endpoint: string,
  { path, body }: OtlpMessage,
  { clock, signal, compression, untilMs }: OtlpSending & { readonly untilMs: number },
): Promise<Outcome> => {
  const url = new URL(`${endpoint.replace(/\/+$/, '')}${path}`);
  const delivered = await deliver(url, {
    clock,
    signal,
    untilMs,
    ...(compression === 'gzip'
      ? { body: gzipSync(body), encoding: compression }
      : { body: Buffer.from(body) }),
  });
  return delivered.kind === 'taken'
    ? { kind: 'sent', ...rejectedIn(delivered.body, url) }
    : { kind: 'dropped', problem: `${url.origin}${path}: ${delivered.failure}`, isOfAll: delivered.isSilent };
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
