// Whether the target of a run is this machine, by its address alone: a name of somebody's DNS may mean anything.

import { isIP } from 'node:net';
import type { NodeId } from '../../core/ids.ts';
import { type Unknown, unknown } from '../../core/unknown.ts';
import { canonicalAddress, isLoopbackHost } from '../http/host.ts';

export const targetNodeOf = (
  target: string,
  self: { readonly nodeId: NodeId; readonly isOwnAddress: (address: string) => boolean },
): NodeId | Unknown => {
  if (!URL.canParse(target)) return unknown('not a known node');
  const host = new URL(target).hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
  const isOwn = isLoopbackHost(host) || (isIP(host) !== 0 && self.isOwnAddress(canonicalAddress(host)));
  return isOwn ? self.nodeId : unknown('not a known node');
};

/** Scheme, host, port and path: whatever else a URL may carry may be a secret. */
export const plainTarget = (target: string): string => {
  if (!URL.canParse(target)) return '';
  const { protocol, host, pathname } = new URL(target);
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`.slice(0, TARGET_LENGTH_MAX);
};

const TARGET_LENGTH_MAX = 1_000;
