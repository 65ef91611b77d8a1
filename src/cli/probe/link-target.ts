// What `plimsoll probe link` is pointed at: a machine that runs `plimsoll probe serve`, by address, or a node of the
// cluster, by name or id.

import { isIP } from 'node:net';
import type { HostPort } from '../../core/address/host-port.ts';
import { parseHostPort } from '../../core/address/host-port.ts';
import type { Parsed } from '../../core/figure/parse-figure.ts';
import { parsed, wrong } from '../../core/figure/parse-figure.ts';

export type LinkTarget =
  | { readonly kind: 'address'; readonly at: HostPort; readonly code: string }
  | { readonly kind: 'node'; readonly name: string };

/** A code belongs to an address, and an address needs one. Without a port it is 4183. */
export const parseLinkTarget = (text: string, code: string | undefined): Parsed<LinkTarget> => {
  const at = hostPortOf(text);
  const looksLikeAddress = isIP(text.replace(/^\[|\]$/g, '')) !== 0 || text.includes(':');
  if (code === undefined && !looksLikeAddress) return parsed({ kind: 'node', name: text });
  if (at.kind === 'wrong') return at;
  if (code === undefined) {
    return wrong(
      `the code of ${text} is missing`,
      'Run `plimsoll probe serve` there, and give the code that it prints: --code 7QKF-M2XW-9TBD',
    );
  }
  return parsed({ kind: 'address', at: at.value, code });
};

export const PROBE_PORT: number = 4183;

const hostPortOf = (text: string): Parsed<HostPort> => {
  const bare = text.replace(/^\[|\]$/g, '');
  if (isIP(bare) !== 0) return parsed({ host: bare, port: PROBE_PORT });
  return parseHostPort(text.includes(':') ? text : `${text}:${PROBE_PORT}`);
};
