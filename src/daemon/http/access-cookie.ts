// The cookie of a signed-in browser. It is named after the node, because the cookies of a host are shared by all its
// ports and two daemons may run on one machine.

import type { NodeId } from '../../core/ids.ts';
import { COOKIE_LIFE_MS } from './access.ts';

export const cookieName = (node: NodeId): string => `plimsoll-${node.slice(0, 12)}`;

/** The first value of a name in a Cookie header. */
export const readCookie = (header: string | undefined, name: string): string | undefined => {
  for (const pair of header?.split(';') ?? []) {
    const equals = pair.indexOf('=');
    if (equals !== -1 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
  }
  return undefined;
};

/** Without `Secure`: the daemon speaks plain HTTP, and browsers would not send it back. */
export const setCookie = (name: string, value: string): string =>
  `${name}=${value}; Path=/; Max-Age=${COOKIE_LIFE_MS / 1_000}; HttpOnly; SameSite=Strict`;
