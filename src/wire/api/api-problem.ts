// Refusals of the HTTP API as problem documents (RFC 9457): `code` is for programs, `detail` and `advice` are
// for people, and the facts behind them are further members.

import * as v from 'valibot';
import type { Problem } from '../../core/problem.ts';
import { figure, text } from '../../core/schema.ts';

export type ApiProblemCode = keyof typeof API_PROBLEMS;

/** The document. Other members are facts, whose names and values depend on the code. */
export const apiProblemSchema = v.looseObject({
  /** Where the code is described: PROBLEM_TYPES and the code. */
  type: text,
  /** The same for every problem with one code. */
  title: text,
  status: figure,
  /** What, and where: for this one problem. */
  detail: text,
  /** Stable. A newer daemon may use codes that are not in the table. */
  code: text,
  /** What to do about it; '' if nothing can be done. */
  advice: text,
});

type ApiProblem = v.InferOutput<typeof apiProblemSchema>;

/** Resolves to an example of the OpenAPI document, RFC 9457 §3.1.1: it contains the title of each code. */
const PROBLEM_TYPES = '/openapi.json#/components/examples/';

/** Further facts by name: the node that has the run, the parameter that is wrong. */
export type ApiFacts = { readonly [name: string]: unknown };

export const apiProblem = (
  { code, problem, advice, ...facts }: Problem<ApiProblemCode, ApiFacts>,
  status: number = API_PROBLEMS[code].status,
): ApiProblem => {
  const detail = problem.slice(0, DETAIL_LENGTH_MAX);
  return {
    ...facts,
    type: PROBLEM_TYPES + code,
    title: API_PROBLEMS[code].title,
    status,
    detail,
    code,
    advice,
  };
};

/** The problem in a reply; undefined if there is none. */
export const decodeApiProblem = (body: unknown): Problem | undefined => {
  const read = v.safeParse(ANY_PROBLEM, body);
  if (!read.success) return undefined;
  const { code, detail, advice } = read.output;
  return { code, problem: detail, advice };
};

const ANY_PROBLEM = v.object({ code: text, detail: text, advice: text });

const DETAIL_LENGTH_MAX = 1_000;

/** By code, with the status of most problems with that code. */
export const API_PROBLEMS = {
  'bad-url': { status: 400, title: 'The URL is malformed' },
  'bad-host': { status: 400, title: 'The Host header is malformed' },
  'bad-query': { status: 400, title: 'A query parameter is not valid' },
  'bad-body': { status: 400, title: 'The body is not what this address accepts' },
  'bad-join-code': { status: 400, title: 'The join code is damaged' },
  'bad-header': { status: 400, title: 'A header is malformed' },
  'bad-request': { status: 400, title: 'The request is malformed' },
  'token-needed': { status: 401, title: 'The access token is needed' },
  'host-not-allowed': { status: 403, title: 'The daemon does not answer under this name' },
  'origin-not-allowed': { status: 403, title: 'The request comes from a page of another origin' },
  'cross-site': { status: 403, title: 'The request comes from another site' },
  'code-not-good': { status: 403, title: 'The one-time code is not valid' },
  'not-found': { status: 404, title: 'There is nothing at this address' },
  'not-in-state': { status: 404, title: 'The state has nothing at this path' },
  'no-such-node': { status: 404, title: 'The node is not known here' },
  'no-such-group': { status: 404, title: 'There is no such group' },
  'no-such-run': { status: 404, title: 'The run is not known here' },
  'no-such-sweep': { status: 404, title: 'The sweep is not known here' },
  'no-such-comparison': { status: 404, title: 'The comparison is not known here' },
  'no-such-document': { status: 404, title: 'The document is not known here' },
  'no-such-job': { status: 404, title: 'The job is not known here' },
  'run-elsewhere': { status: 404, title: 'The run is on another machine' },
  'nothing-to-probe': { status: 404, title: 'There is no such device or connection' },
  'method-not-allowed': { status: 405, title: 'The address does not support this method' },
  'too-slow': { status: 408, title: 'The request took too long to arrive' },
  'nothing-lost': { status: 404, title: 'Nothing is lost there' },
  'own-node': { status: 409, title: 'A node cannot forget itself' },
  'in-a-cluster': { status: 409, title: 'The node is in a cluster already' },
  'not-in-a-cluster': { status: 409, title: 'The node is in no cluster' },
  'key-elsewhere': { status: 409, title: 'The cluster key is not in the home' },
  'join-refused': { status: 409, title: 'The join code is no longer valid' },
  'join-failed': { status: 502, title: 'No node with this join code was reached' },
  'node-is-live': { status: 409, title: 'The node is up' },
  'agent-refused': { status: 409, title: 'The node makes no load for this coordinator' },
  'run-not-live': { status: 409, title: 'The run is not in progress' },
  'body-too-large': { status: 413, title: 'The body is too large' },
  'url-too-long': { status: 414, title: 'The URL is too long' },
  'not-json': { status: 415, title: 'The body is not JSON' },
  'too-many-requests': { status: 429, title: 'Too many requests from this address' },
  'too-many-refusals': { status: 429, title: 'Too many refused requests from this address' },
  'headers-too-large': { status: 431, title: 'The headers are too large' },
  internal: { status: 500, title: 'The daemon failed' },
  'too-many-streams': { status: 503, title: 'Too many streams are open' },
  'too-many-runs': { status: 503, title: 'Too many runs in progress' },
  'too-many-jobs': { status: 503, title: 'Too many jobs in progress' },
  'too-many-comparisons': { status: 503, title: 'Too many comparisons in progress' },
  'too-many-sweeps': { status: 503, title: 'Too many sweeps in progress' },
  'too-many-documents': { status: 503, title: 'Too many documents in progress' },
  'not-ready': { status: 503, title: 'The daemon is not ready' },
  'no-mesh': { status: 503, title: 'The mesh is switched off' },
  'mesh-not-opened': { status: 503, title: 'The mesh could not be opened' },
  'no-runs': { status: 503, title: 'The server does not accept runs' },
  'no-agents': { status: 503, title: 'The daemon does not use agents' },
  'no-probes': { status: 503, title: 'The daemon measures nothing' },
  'not-stored': { status: 507, title: 'The data could not be stored' },
  'too-busy': { status: 503, title: 'Too many replies wait for their readers' },
} as const;
