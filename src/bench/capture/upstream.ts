// Where a request of a client goes on to: the path, the headers and the connection options of the server behind the
// proxy.

import type { RequestOptions } from 'node:https';
import { apiOfPath } from '../target/api/server-apis.ts';
import type { BenchTarget } from '../target/target-url.ts';
import { tlsContextOptions, tlsNameOptions } from '../target/tls-plan.ts';

/** A path that the target's own path begins already is not put after it again: clients have it in their base URL. */
export const upstreamPath = ({ path, query }: Pick<BenchTarget, 'path' | 'query'>, url: string): string => {
  // Clients of a forward proxy send the whole URL.
  const [own = '', ownQuery] = url.replace(/^https?:\/\/[^/?]*/i, '').split(/\?(.*)/s, 2);
  const isBelow = own === path || own.startsWith(`${path}/`);
  const added = query === '' ? '' : ownQuery === undefined ? query : `&${query.slice(1)}`;
  return `${isBelow ? '' : path}${own}${ownQuery === undefined ? '' : `?${ownQuery}`}${added}`;
};

/** The name of the API whose requests have answers to record; undefined: the request passes unrecorded. */
export const recordedApi = (method: string, url: string): string | undefined => {
  if (method !== 'POST') return undefined;
  const api = apiOfPath(url.split('?', 1)[0] ?? '');
  return api?.writesAnswers === true ? api.name : undefined;
};

export const connectionOptions = ({
  server: { host, port, socketPath, tls },
}: BenchTarget): RequestOptions => ({
  ...(socketPath === undefined ? { host, port } : { socketPath }),
  ...(tls === undefined ? {} : { ...tlsContextOptions(tls), ...tlsNameOptions(tls) }),
});

/** Names and values in turns, as they came, except those that belong to one connection. */
export const upstreamHeaders = (
  raw: readonly string[],
  { server, authorization }: BenchTarget,
  hasBody: boolean,
): string[] => {
  const headers = ['Host', server.hostHeader, ...passedHeaders(raw, OF_REQUESTS)];
  const has = (name: string): boolean =>
    headers.some((text, index) => index % 2 === 0 && text.toLowerCase() === name);
  if (authorization !== undefined && !has('authorization')) headers.push('Authorization', authorization);
  // Without it Node would announce a body in chunks.
  if (hasBody && !has('content-length') && !has('transfer-encoding')) headers.push('Content-Length', '0');
  return headers;
};

export const replyHeaders = (raw: readonly string[]): string[] => passedHeaders(raw, OF_REPLIES);

/** Also without those that `Connection` names (RFC 9110 §7.6.1), but never without the end of the body. */
const passedHeaders = (raw: readonly string[], dropped: ReadonlySet<string>): string[] => {
  const named = new Set<string>();
  for (let index = 0; index < raw.length; index += 2)
    if (raw[index]?.toLowerCase() === 'connection')
      for (const name of (raw[index + 1] ?? '').split(',')) named.add(name.trim().toLowerCase());
  const passed: string[] = [];
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] ?? '';
    const lower = name.toLowerCase();
    const isOfConnection = dropped.has(lower) || (named.has(lower) && !OF_BODIES.has(lower));
    if (!isOfConnection) passed.push(name, raw[index + 1] ?? '');
  }
  return passed;
};

/** Without them the body that follows would be read as another request. */
const OF_BODIES: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding']);
const OF_CONNECTIONS = ['connection', 'keep-alive', 'proxy-connection', 'upgrade'];
/** The proxy itself has sent 100 to a client that expects it. */
const OF_REQUESTS: ReadonlySet<string> = new Set([...OF_CONNECTIONS, 'host', 'expect']);
/** Node's server divides a reply without a length into chunks, for clients that can read them. */
const OF_REPLIES: ReadonlySet<string> = new Set([...OF_CONNECTIONS, 'transfer-encoding']);
