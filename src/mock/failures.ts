// Every way in which the mock can fail, and how a correct client reports each: the tables that tests of clients run
// through. Here are those that break one of its own healthy replies in one place; replies written out byte for byte are
// in cases/. Asked for by option, or by a request for the model `mock-fail-<name>`. A refused connection needs no
// server: any closed port of loopback gives one.

import type { FaultCase } from './cases/fault-case.ts';
import { FAULT_CASES } from './cases/fault-cases.ts';
import { TLS_CASES } from './cases/tls-cases.ts';
import { completed, type Expected, type Failure, failedAs, status, timeout } from './failure.ts';

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
  row('no-content', '204 without a body', failedAs('empty')),

  row('close-before-headers', 'the connection closes before the first byte of the reply', failedAs('reset')),
  row(
    'reset-before-headers',
    'the connection is reset before the first byte of the reply',
    failedAs('reset'),
  ),
  row('reset-after-headers', 'the headers, then a reset', failedAs('reset')),
  row('reset-mid-stream', 'half the body, then a reset', failedAs('reset')),
  row('stale-connection', 'a request on a reused connection is answered by closing it', completed),
  row(
    'chatter-on-idle',
    'a 408 without a request follows the reply at once, then the connection ends',
    completed,
  ),

  row('truncated-content-length', 'half of the announced bytes, then the end', failedAs('truncated')),
  row('truncated-no-last-chunk', 'half the events, then the end without a last chunk', failedAs('truncated')),
  row('truncated-mid-chunk', 'the end in the middle of an HTTP chunk', failedAs('truncated')),
  row('truncated-last-event', 'the finish event is cut, and the rest is missing', failedAs('truncated')),
  row(
    'truncated-no-done',
    'no finish reason, no [DONE], but a proper end of the HTTP reply',
    failedAs('truncated'),
  ),

  row('malformed-event', 'an event in the middle is broken JSON, the rest is valid', failedAs('malformed')),
  row('malformed-shape', 'an event in the middle is JSON, but not an object', failedAs('malformed')),
  row('html', 'an HTML page with status 200', failedAs('malformed')),
  row('error-frame', 'an error object after some content, then [DONE]', failedAs('error-frame')),
  row('error-frame-first', 'an error object as the first event', failedAs('error-frame')),
  row('error-event', '`event: error` with an error object after some content', failedAs('error-frame')),

  row('empty-done', 'only [DONE]', failedAs('empty')),
  row('empty-body', 'content-length: 0', failedAs('empty')),
  row('empty-role-only', 'a role, a finish reason, [DONE], no content', failedAs('empty')),

  row('silent', 'never answers', timeout('first-byte')),
  row('stall-after-headers', 'the headers, then silence', timeout('idle')),
  row('stall-mid-stream', 'half the body, then silence', timeout('idle')),
  row('endless', 'content without an end', timeout('total')),

  row('not-http', 'bytes that are not HTTP', failedAs('malformed')),
  row('header-too-large', 'a header section of 256 KiB', failedAs('malformed')),
  row('bad-chunk-size', 'a chunk size that is not a number', failedAs('malformed')),
  row('two-lengths', 'two content-lengths that differ', failedAs('malformed')),
  row('switching-protocols', '101 without a request to upgrade', failedAs('malformed')),
  row('gzip', 'compressed although `identity` was requested; a correct client decompresses it', completed),
  row('slow-bytes', 'a healthy reply, one byte a write', completed),
];

/** Instead of a name: each failure in turn. */
export const ANY_FAILURE = 'any';

export const isFailureName = (text: unknown): text is string =>
  typeof text === 'string' && FAILURE_NAMES.includes(text);

export const failureNamed = (name: string): Failure | FaultCase | undefined => BY_NAME.get(name);

/** The failure that a model's name asks for. */
export const failureOfModel = (model: string): Failure | FaultCase | undefined =>
  model.startsWith(MODEL_PREFIX) ? failureNamed(model.slice(MODEL_PREFIX.length)) : undefined;

/** The n-th of all, cyclically: `--fail any`. */
export const failureInTurn = (n: number): Failure | FaultCase | undefined => ALL[n % ALL.length];

/** All values of `--fail`. */
export const failureNames = (): readonly string[] => FAILURE_NAMES;

const ALL: readonly (Failure | FaultCase)[] = [...FAILURES, ...FAULT_CASES];
const BY_NAME: ReadonlyMap<string, Failure | FaultCase> = new Map(
  ALL.map(failure => [failure.name, failure]),
);
const FAILURE_NAMES: readonly string[] = [ANY_FAILURE, ...[...ALL, ...TLS_CASES].map(({ name }) => name)];
const MODEL_PREFIX = 'mock-fail-';
