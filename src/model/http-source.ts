// A file on an HTTP server, of which only ranges are fetched (RFC 9110 §14): the header of a model of 40 GB is some
// MB.

import { errorMessage } from '../core/problem.ts';
import type { ByteSource } from './byte-source.ts';
import { ModelError } from './model-error.ts';

/**
 * @param signal cancels any request in progress.
 * @throws ModelError `missing` for an unreachable server, `unsupported` for one without ranges.
 */
export const openHttpSource = async (url: URL, signal: AbortSignal): Promise<ByteSource> => {
  const place = `${url.origin}${url.pathname}`;
  const first = await fetchRange(url, { place, offset: 0, length: 1, signal });
  const { url: final } = first;
  const whole = /^bytes 0-0\/(\d{1,16})$/.exec(first.contentRange);
  if (whole === null) {
    throw new ModelError({
      code: 'unsupported',
      problem: `${place} does not report how long the file is`,
      advice: 'Download the file and name it instead.',
    });
  }
  return {
    place,
    byteCount: Number(whole[1]),
    read: async (offset, length) => (await fetchRange(final, { place, offset, length, signal })).bytes,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
};

interface RangeQuestion {
  readonly place: string;
  readonly offset: number;
  readonly length: number;
  readonly signal: AbortSignal;
}

const fetchRange = async (
  requested: URL,
  { place, offset, length, signal }: RangeQuestion,
): Promise<{ readonly url: URL; readonly bytes: Uint8Array; readonly contentRange: string }> => {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS_MAX)]);
  const { url, response } = await answered(requested, {
    place,
    // Uncompressed: a range of a body that a server compresses on the way means something else.
    headers: { range: `bytes=${offset}-${offset + length - 1}`, 'accept-encoding': 'identity' },
    signal: deadline,
  }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw error instanceof ModelError ? error : notThere(place, reasonOf(error), error);
  });
  if (response.status !== 206) {
    await response.body?.cancel();
    throw response.status === 200
      ? new ModelError({
          code: 'unsupported',
          problem: `${place} sends the whole file where a part was asked for`,
          advice: 'Download the file and name it instead.',
        })
      : notThere(place, `status ${response.status}`, undefined);
  }
  const bytes = await takenUpTo(response, length).catch((error: unknown) => {
    signal.throwIfAborted();
    throw notThere(place, reasonOf(error), error);
  });
  return { url, bytes, contentRange: response.headers.get('content-range') ?? '' };
};

/** Redirects are followed only within the named host: a URL must not lead to another party's service. */
const answered = async (
  requested: URL,
  {
    place,
    ...request
  }: {
    readonly place: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly signal: AbortSignal;
  },
): Promise<{ readonly url: URL; readonly response: Response }> => {
  let url = requested;
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
    const response = await fetch(url, { ...request, redirect: 'manual' });
    if (response.status < 300 || response.status >= 400) return { url, response };
    await response.body?.cancel();
    const next = URL.parse(response.headers.get('location') ?? '', url.href);
    if (next === null) throw notThere(place, `status ${response.status} without a place`, undefined);
    if (!isSameHost(url, next)) throw elsewhere(place, next);
    url = next;
  }
  throw notThere(place, `it is redirected more than ${REDIRECTS_MAX} times`, undefined);
};

/** The same server, or the same host by TLS. */
const isSameHost = (from: URL, to: URL): boolean =>
  to.origin === from.origin ||
  (from.protocol === 'http:' && to.protocol === 'https:' && to.hostname === from.hostname && to.port === '');

const elsewhere = (place: string, { origin, href }: URL): ModelError =>
  new ModelError({
    code: 'unsupported',
    problem: `${place} redirects to another host, ${origin}, and is not followed there`,
    advice: `If you trust that host, name it yourself: ${href.length <= SHOWN_URL_MAX ? href : origin}`,
  });

/** A server that sends more than was requested is cut off. */
const takenUpTo = async (response: Response, length: number): Promise<Uint8Array> => {
  const parts: Uint8Array[] = [];
  let taken = 0;
  for await (const part of response.body ?? []) {
    parts.push(part);
    taken += part.byteLength;
    if (taken >= length) break;
  }
  const bytes = new Uint8Array(taken);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.byteLength;
  }
  return bytes.subarray(0, Math.min(taken, length));
};

const reasonOf = (error: unknown): string =>
  error instanceof Error && error.cause !== undefined ? errorMessage(error.cause) : errorMessage(error);

const notThere = (place: string, reason: string, cause: unknown): ModelError =>
  new ModelError(
    {
      code: 'missing',
      problem: `${place} cannot be fetched: ${reason}`,
      advice: 'Check the address, and that it needs no key.',
    },
    { cause },
  );

const ANSWER_MS_MAX = 30_000;
const REDIRECTS_MAX = 3;
/** Signed URLs of object stores have some thousand characters. */
const SHOWN_URL_MAX = 2_048;
