// Finds the node of the cluster that a run's target is, by its address or by the host name that a node reports. No name is
// looked up: DNS may mean anything, and an address that several nodes have means none of them.

import { isIP } from 'node:net';
import type { NodeId } from '../../core/ids.ts';
import { nodeIds } from '../../core/node/presence-view.ts';
import type { State } from '../../core/state.ts';
import { type Unknown, unknown } from '../../core/unknown.ts';
import { canonicalAddress, isLoopbackName } from '../http/host.ts';

export interface TargetSources {
  readonly nodeId: NodeId;
  readonly state: () => State;
  readonly isOwnAddress: (address: string) => boolean;
}

export const targetNodeOf = (target: string, sources: TargetSources): NodeId | Unknown => {
  if (target.includes(BETWEEN_URLS)) return unknown('several URLs were loaded');
  // A Unix socket exists only on the machine that loads it.
  if (target.startsWith('unix:')) return sources.nodeId;
  if (!URL.canParse(target)) return unknown('not a known node');
  const host = new URL(target).hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
  if (isLoopbackName(canonicalAddress(host))) return sources.nodeId;
  if (isIP(host) === 0) return theOne(nodesNamed(host, sources.state()), `the name ${host}`);
  const address = canonicalAddress(host);
  if (sources.isOwnAddress(address)) return sources.nodeId;
  return theOne(nodesAt(address, sources), `the address ${address}`);
};

/** Scheme, host, port and path only: any other part of a URL may be a secret. */
export const plainTarget = (target: string): string =>
  target
    .split(BETWEEN_URLS)
    .map(plainUrl)
    .filter(url => url !== '')
    .join(BETWEEN_URLS)
    .slice(0, TARGET_LENGTH_MAX);

const plainUrl = (target: string): string => {
  if (!URL.canParse(target)) return '';
  const { protocol, host, pathname } = new URL(target);
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`;
};

/** The separator in the target of a run with several URLs: model-mix.ts. */
const BETWEEN_URLS = ', ';

/** A bridge of containers has the same address on every machine; what is not this machine's is somebody's own. */
const nodesAt = (address: string, { nodeId, state }: TargetSources): readonly NodeId[] => {
  const now = state();
  return nodeIds(now).filter(
    id =>
      id !== nodeId &&
      now.nodeNetworks[id]?.value.interfaces.some(
        ({ type, addresses }) =>
          type !== 'loopback' && addresses.some(one => canonicalAddress(one.address) === address),
      ),
  );
};

/** By the host name as it is reported, or by its first label alone: "atlas", "atlas.local". */
const nodesNamed = (name: string, state: State): readonly NodeId[] => {
  const named = (own: (hostName: string) => string): readonly NodeId[] =>
    nodeIds(state).filter(id => own(state.nodeIdentities[id]?.value.hostName.toLowerCase() ?? '') === name);
  const exact = named(hostName => hostName);
  if (exact.length > 0) return exact;
  const local = (hostName: string): string => `${hostName.split('.')[0]}.local`;
  return name.endsWith('.local') ? named(local) : named(hostName => hostName.split('.')[0] ?? '');
};

const theOne = (nodes: readonly NodeId[], what: string): NodeId | Unknown => {
  const [first, ...others] = nodes;
  if (first === undefined) return unknown('not a known node');
  return others.length === 0
    ? first
    : unknown(`${nodes.length} nodes have ${what}`.slice(0, REASON_LENGTH_MAX));
};

const TARGET_LENGTH_MAX = 1_000;
const REASON_LENGTH_MAX = 300;
