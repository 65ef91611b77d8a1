// Asks the daemon for what does not come by the stream. An answer is what its schema says, or a refusal in words: a page never
// shows half of something.

import * as v from 'valibot';
import { problemText } from '../../../src/core/problem.ts';
import { decodeApiProblem } from '../../../src/wire/api/api-problem.ts';

export type DaemonReply<T> =
  | { readonly kind: 'here'; readonly value: T }
  | { readonly kind: 'refused'; readonly reason: string };

export const askDaemon = async <T>(
  path: string,
  schema: v.GenericSchema<unknown, T>,
  request: RequestInit = {},
): Promise<DaemonReply<T>> => {
  const answer = await fetch(path, { cache: 'no-store', ...request }).catch(() => undefined);
  if (answer === undefined) return { kind: 'refused', reason: 'the daemon does not answer' };
  const body: unknown = await answer.json().catch(() => undefined);
  if (!answer.ok) return { kind: 'refused', reason: refusalText(answer.status, body) };
  const read = v.safeParse(schema, body);
  return read.success ? { kind: 'here', value: read.output } : { kind: 'refused', reason: NOT_UNDERSTOOD };
};

export const jsonBody = (body: object): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

export const refusalText = (status: number, body: unknown): string => {
  if (status === 401) return NO_ACCESS;
  const refusal = decodeApiProblem(body);
  return refusal === undefined ? `HTTP ${status}` : problemText(refusal);
};

/** A browser that is not signed in may read on loopback. What to do is known better here than to the daemon. */
const NO_ACCESS = 'this browser may look, not ask: open the address that "plimsoll open" prints';
const NOT_UNDERSTOOD = 'the daemon answers in a way that this page does not understand: reload it';
