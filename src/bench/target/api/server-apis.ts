// The table of server APIs: a row each. The first is the one that is asked where neither a person nor a URL says another.

import { chatApi } from './chat/chat-api.ts';
import { completionsApi } from './completions/completions-api.ts';
import type { ServerApi } from './server-api.ts';

export const SERVER_APIS: readonly [ServerApi, ...ServerApi[]] = [chatApi, completionsApi];

/** The one whose endpoint a URL's path is; '/chat/completions' and '/completions' may both end it, and the longer one does. */
export const apiOfPath = (path: string): ServerApi | undefined =>
  SERVER_APIS.filter(({ endpoint }) => path.endsWith(endpoint)).toSorted(
    (a, b) => b.endpoint.length - a.endpoint.length,
  )[0];

/** @throws RangeError for a name that is not in the table. */
export const serverApi = (name: string): ServerApi => {
  const api = SERVER_APIS.find(candidate => candidate.name === name);
  if (api === undefined) throw new RangeError(`there is no server API ${name}`);
  return api;
};
