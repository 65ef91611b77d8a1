// Where the pages of a server are next to its API: version, metrics, settings, tokenizer. Behind a gateway that serves several servers
// below paths of their own (http://gateway/team-a) they are below that path, too: at the root of the host stands another server.

import type { ServerApi } from './api/server-api.ts';
import { apiOfPath, SERVER_APIS } from './api/server-apis.ts';
import { type BenchTarget, rootPath } from './target-url.ts';

/** '' without a gateway's path, or '/team-a'. */
export const serverBase = (target: BenchTarget, api: ServerApi = apiOf(target)): string => {
  const root = rootPath(target, api);
  return api.root !== '' && root.endsWith(api.root) ? root.slice(0, -api.root.length) : root;
};

/** @param page as the server itself has it: '/metrics' */
export const pagePath = (target: BenchTarget, page: string, api?: ServerApi): string =>
  `${serverBase(target, api)}${page}${target.query}`;

/** The URL of a server as it would be without a path of its API, for whoever reads it by URL. */
export const serverUrl = (target: BenchTarget, api?: ServerApi): string =>
  target.server.socketPath === undefined
    ? `${new URL(target.shown).origin}${serverBase(target, api)}`
    : target.shown;

/** Of a URL that names no endpoint any of OpenAI's: they have one root. */
const apiOf = ({ path }: BenchTarget): ServerApi => apiOfPath(path) ?? SERVER_APIS[0];
