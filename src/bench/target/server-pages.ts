// The paths of a server's pages other than its API: version, metrics, settings, tokenizer. With a gateway that serves
// several servers below separate paths (http://gateway/team-a) they are below that path, too: the root of the host is
// another server.

import type { ServerApi } from './api/server-api.ts';
import { apiOfPath, SERVER_APIS } from './api/server-apis.ts';
import { type BenchTarget, rootPath } from './target-url.ts';

/** '' without a gateway's path, or '/team-a'. */
export const serverBase = (target: BenchTarget, api: ServerApi = apiOf(target)): string => {
  const root = rootPath(target, api);
  return api.root !== '' && root.endsWith(api.root) ? root.slice(0, -api.root.length) : root;
};

/** @param page path at the server itself: '/metrics' */
export const pagePath = (target: BenchTarget, page: string, api?: ServerApi): string =>
  `${serverBase(target, api)}${page}${target.query}`;

/** The URL of a server without a path of its API, for comparisons by URL. */
export const serverUrl = (target: BenchTarget, api?: ServerApi): string =>
  target.server.socketPath === undefined
    ? `${new URL(target.shown).origin}${serverBase(target, api)}`
    : target.shown;

/** For a URL without an endpoint, any of OpenAI's: they have one root. */
const apiOf = ({ path }: BenchTarget): ServerApi => apiOfPath(path) ?? SERVER_APIS[0];
