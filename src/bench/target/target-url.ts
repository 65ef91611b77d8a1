// The URL of a target as people give it: a server, its /v1, or the endpoint itself. Its shown and written form has no
// credentials and no query, which may contain keys, too.

import { isIP } from 'node:net';
import { type Parsed, parsed, wrong } from '../../core/figure/parse-figure.ts';
import { shellCommand } from '../../core/text/shell-words.ts';
import type { ServerApi } from './api/server-api.ts';
import type { TargetServer } from './load-target.ts';

export interface BenchTarget {
  readonly server: TargetServer;
  /** The given path, without slashes at its end. */
  readonly path: string;
  /** With its question mark; '' if there is none. */
  readonly query: string;
  /** For people and files. */
  readonly shown: string;
  /** `Basic …` from credentials in the URL. */
  readonly authorization: string | undefined;
}

export const parseTargetUrl = (text: string): Parsed<BenchTarget> => {
  if (/^(http\+)?unix:/i.test(text)) return parseSocketUrl(text);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || !/^https?:\/\//i.test(text))
    return notAUrl(text);
  if (/%(0[ad]|00)/i.test(url.username + url.password)) {
    return wrong('the credentials of the URL have control characters', 'Use --header-file instead.');
  }
  const path = url.pathname.replace(/\/+$/, '');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isSecure = url.protocol === 'https:';
  return parsed({
    server: {
      host,
      port: url.port === '' ? (isSecure ? 443 : 80) : Number(url.port),
      hostHeader: url.host,
      tls: isSecure
        ? { serverName: isIP(host) === 0 ? host : '', authorities: undefined, isInsecure: false }
        : undefined,
    },
    path,
    query: url.search,
    shown: `${url.protocol}//${url.host}${path}`,
    authorization: authorizationOf(url),
  });
};

/**
 * "unix:/run/server.sock", with the path of the server after a second colon ("unix:/run/server.sock:/v1"), or in the
 * form of other programs, "http+unix://%2Frun%2Fserver.sock/v1".
 */
const parseSocketUrl = (text: string): Parsed<BenchTarget> => {
  const [, plain, plainPath = ''] = /^unix:(?:\/\/)?(\/[^:?#]+)(?::(\/[^?#]*)?)?$/i.exec(text) ?? [];
  const [, coded, codedPath = ''] = /^http\+unix:\/\/([^/?#]+)(\/[^?#]*)?$/i.exec(text) ?? [];
  const socketPath = plain ?? (coded === undefined ? '' : decoded(coded));
  const path = (plain === undefined ? codedPath : plainPath).replace(/\/+$/, '');
  if (!/^\/[^\0:?#]+$/.test(socketPath) || Buffer.byteLength(socketPath) > SOCKET_PATH_BYTES_MAX) {
    return wrong(
      `the URL names no socket by an absolute path of at most ${SOCKET_PATH_BYTES_MAX} bytes`,
      'Write: unix:/run/server.sock, or unix:/run/server.sock:/v1',
    );
  }
  return parsed({
    server: { host: 'localhost', port: 0, socketPath, hostHeader: 'localhost', tls: undefined },
    path,
    query: '',
    shown: `unix:${socketPath}${path === '' ? '' : `:${path}`}`,
    authorization: undefined,
  });
};

/** Where requests go: the URL may be the server, the root of its API, or the endpoint itself. */
export const endpointPath = (target: BenchTarget, api: ServerApi): string =>
  `${rootPath(target, api)}${api.endpoint}${target.query}`;

/** Where the server lists its models. */
export const modelsPath = (target: BenchTarget, api: ServerApi): string =>
  `${rootPath(target, api)}${api.models.path}${target.query}`;

/** Root of the API: its endpoint and its list of models are below it. */
export const rootPath = ({ path }: BenchTarget, { root, endpoint }: ServerApi): string => {
  if (path.endsWith(endpoint)) return path.slice(0, -endpoint.length);
  return path.endsWith(root) ? path : `${path}${root}`;
};

const notAUrl = (text: string): Parsed<never> => {
  const bracketed = inBrackets(text);
  if (bracketed !== undefined)
    return wrong('the URL has an IPv6 address without brackets', `Write: ${bracketed}`);
  // Only a text without credentials is repeated.
  const isPlain = /^[\w.[\]-]{1,80}(:\d{1,5})?(\/[\w./-]{0,80})?$/.test(text);
  const meant = isPlain && URL.canParse(`http://${text}`) ? `http://${text}` : 'http://127.0.0.1:8000';
  return wrong(
    'the URL is not one that starts with http:// or https://',
    `Write it as: ${shellCommand`plimsoll bench ${meant}`}`,
  );
};

/**
 * "http://[::1]:8000/v1" from "http://::1:8000/v1" or "::1:8000/v1": the last group is the port if one of digits is
 * left over or follows `::`.
 */
const inBrackets = (text: string): string | undefined => {
  const [, scheme = 'http://', address = '', path = ''] =
    /^(https?:\/\/)?([0-9a-f:.]+(?:%[\w.-]{1,32})?)((?:\/[\w./-]{0,80})?)$/i.exec(text) ?? [];
  if (address.split(':').length < 3) return undefined;
  const [, host = '', port = ''] = /^(.+):(\d{2,5})$/.exec(address) ?? [];
  if (isIP(host) === 6 && port !== '') return `${scheme}[${host}]:${port}${path}`;
  return isIP(address) === 6 ? `${scheme}[${address}]${path}` : undefined;
};

const authorizationOf = ({ username, password }: URL): string | undefined => {
  if (username === '' && password === '') return undefined;
  const credentials = `${decoded(username)}:${decoded(password)}`;
  return `Basic ${Buffer.from(credentials, 'utf8').toString('base64')}`;
};

/** macOS has 104 including the terminator, Linux 108 (`sun_path` in unix(7)). Limit in docs/limits.md. */
const SOCKET_PATH_BYTES_MAX = 103;

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a lone % is a literal
  }
};
