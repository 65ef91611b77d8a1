// Every way in which the mock can fail, and how a right client accounts for each: the table that tests of clients walk
// through. Asked for by option, or by a request for the model `mock-fail-<name>`.
// A refused connection needs no server: any closed port of loopback gives one.

import type { FailureKind, TimeoutPhase } from '../core/run/outcome.ts';

export type Expected =
  | { readonly outcome: 'completed' }
  | {
      readonly outcome: 'failed';
      readonly kind: FailureKind;
      readonly statusCode?: number;
      readonly phase?: TimeoutPhase;
    };

export interface Failure {
  readonly name: string;
  readonly meaning: string;
  readonly streaming: Expected;
  /** For requests with `stream: false`. */
  readonly plain: Expected;
}

const completed: Expected = { outcome: 'completed' };
const failed = (kind: FailureKind): Expected => ({ outcome: 'failed', kind });
const timeout = (phase: TimeoutPhase): Expected => ({ outcome: 'failed', kind: 'timeout', phase });
const status = (statusCode: number): Expected => ({ outcome: 'failed', kind: 'http-status', statusCode });

const row = (name: string, meaning: string, streaming: Expected, plain: Expected = streaming): Failure => ({
  name,
  meaning,
  streaming,
  plain,
});

export const FAILURES: readonly Failure[] = [
  ...[400, 401, 403, 404, 408, 422, 500, 502, 503, 504].map(code =>
    row(`http-${code}`, `${code} with a JSON body`, status(code)),
  ),
  row('http-429', '429 with retry-after: 1', status(429)),
  row('redirect', '307 to another address', status(307)),
  row('no-content', '204 without a body', failed('empty')),

  row('close-before-headers', 'the connection closes before the first byte of the reply', failed('reset')),
  row('reset-before-headers', 'the connection is reset before the first byte of the reply', failed('reset')),
  row('reset-after-headers', 'the headers, then a reset', failed('reset')),
  row('reset-mid-stream', 'half the body, then a reset', failed('reset')),
  row('stale-connection', 'a request on a reused connection is answered by closing it', completed),
  row(
    'chatter-on-idle',
    'a 408 nobody asked for follows the reply at once, then the connection ends',
    completed,
  ),

  row('truncated-content-length', 'half of the announced bytes, then the end', failed('truncated')),
  row('truncated-no-last-chunk', 'half the events, then the end without a last chunk', failed('truncated')),
  row('truncated-mid-chunk', 'the end in the middle of an HTTP chunk', failed('truncated')),
  row(
    'truncated-last-event',
    'the finish event has no blank line after it, and the rest is missing',
    failed('truncated'),
  ),
  row(
    'truncated-no-done',
    'no finish reason, no [DONE], but a proper end of the HTTP reply',
    failed('truncated'),
  ),

  row('malformed-event', 'an event in the middle is broken JSON, the rest is valid', failed('malformed')),
  row('malformed-shape', 'an event in the middle is JSON, but not an object', failed('malformed')),
  row('html', 'an HTML page with status 200', failed('malformed')),
  row('error-frame', 'an error object after some content, then [DONE]', failed('error-frame')),
  row('error-frame-first', 'an error object as the first event', failed('error-frame')),
  row('error-event', '`event: error` with an error object after some content', failed('error-frame')),

  row('empty-done', 'only [DONE]', failed('empty')),
  row('empty-body', 'content-length: 0', failed('empty')),
  row('empty-role-only', 'a role, a finish reason, [DONE], no content', failed('empty')),

  row('silent', 'never answers', timeout('first-byte')),
  row('stall-after-headers', 'the headers, then silence', timeout('idle')),
  row('stall-mid-stream', 'half the body, then silence', timeout('idle')),
  row('endless', 'content without an end', timeout('total')),

  row('not-http', 'bytes that are not HTTP', failed('malformed')),
  row('header-too-large', 'a header section of 256 KiB', failed('malformed')),
  row('bad-chunk-size', 'a chunk size that is not a number', failed('malformed')),
  row('two-lengths', 'two content-lengths that differ', failed('malformed')),
  row('switching-protocols', '101 without a request to upgrade', failed('malformed')),
  row('gzip', 'compressed although `identity` was requested; a correct client decompresses it', completed),
  row('slow-bytes', 'a healthy reply, one byte a write', completed),
];

export const isFailureName = (text: unknown): text is string =>
  typeof text === 'string' && failureNamed(text) !== undefined;

export const failureNamed = (name: string): Failure | undefined => BY_NAME.get(name);

/** The failure that a model's name asks for. */
export const failureOfModel = (model: string): Failure | undefined =>
  model.startsWith(MODEL_PREFIX) ? failureNamed(model.slice(MODEL_PREFIX.length)) : undefined;

const BY_NAME: ReadonlyMap<string, Failure> = new Map(FAILURES.map(failure => [failure.name, failure]));
export const MODEL_PREFIX = 'mock-fail-';
