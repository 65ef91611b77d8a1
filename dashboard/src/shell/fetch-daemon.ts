// Requests from the daemon what is not in the stream. A reply matches its schema, or becomes a refusal in words: a page
// never shows incomplete data.

import * as v from 'valibot';
import { problemText, shortReason } from '../../../src/core/problem.ts';
import { decodeApiProblem } from '../../../src/wire/api/api-problem.ts';

export type DaemonReply<T> =
  | { readonly kind: 'here'; readonly value: T }
  | {
      readonly kind: 'refused';
      /** Of the daemon's problem, or what this page could not do with the answer. */
      readonly code: string;
      readonly reason: string;
    };

export const fetchDaemon = async <T>(
  path: string,
  schema: v.GenericSchema<unknown, T>,
  request: RequestInit = {},
): Promise<DaemonReply<T>> => {
  try {
    const answer = await fetch(path, { cache: 'no-store', ...request });
    const body = jsonOf(await answer.text());
    if (!answer.ok) return refusal(answer.status, body);
    const read = v.safeParse(schema, body);
    return read.success ? { kind: 'here', value: read.output } : notUnderstood(read.issues);
  } catch (error) {
    return { kind: 'refused', code: 'no-answer', reason: `the daemon does not answer: ${causeOf(error)}` };
  }
};

export const jsonBody = (body: object): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

export const refusal = (status: number, body: unknown): DaemonReply<never> => {
  const problem = decodeApiProblem(body);
  const code = problem?.code ?? `http-${status}`;
  // A browser that is not signed in may read on loopback. What to do is known better here than to the daemon.
  if (status === 401) return { kind: 'refused', code: NOT_SIGNED_IN, reason: NO_ACCESS };
  return { kind: 'refused', code, reason: problem === undefined ? `HTTP ${status}` : problemText(problem) };
};

/** Anything but JSON matches no schema; the schema's issues describe it. */
const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

const notUnderstood = ([issue]: readonly [v.BaseIssue<unknown>, ...unknown[]]): DaemonReply<never> => {
  const path = v.getDotPath(issue);
  const what = path === null ? issue.message : `${path}: ${issue.message}`;
  return {
    kind: 'refused',
    code: 'not-understood',
    reason: `the daemon sent a reply that this page does not understand (${what.slice(0, CAUSE_LENGTH_MAX)}): reload it`,
  };
};

/** The innermost cause of a failed fetch is the most specific. */
const causeOf = (error: unknown): string =>
  error instanceof Error && error.cause !== undefined
    ? causeOf(error.cause)
    : shortReason(error).slice(0, CAUSE_LENGTH_MAX);

/** The code of a refusal that ends with signing in. */
export const NOT_SIGNED_IN = 'not-signed-in';
const NO_ACCESS = 'this browser may only read: open the address that "plimsoll open" prints';
const CAUSE_LENGTH_MAX = 200;
