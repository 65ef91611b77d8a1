// Which addresses to check: each address of each node that another machine could reach, and a link-local one through
// every local interface that has such an address too. Pure, so tests can try odd machines.

import { isIP } from 'node:net';
import type { NodeId } from '../../core/ids.ts';
import type { NetworkInterface, NodeNetwork } from '../../core/node/network.ts';
import { containersLast, type InterfaceList, NEVER_A_CLUSTER } from '../discovery/beacon-endpoints.ts';
import { dialableFromElsewhere, isLinkLocalIpv6 } from '../discovery/peer-address.ts';
import { REACHABILITY_LIMITS } from './limits.ts';

export interface ReachTarget {
  readonly node: NodeId;
  /** As a connection names it: scoped with a local interface if link-local. */
  readonly address: string;
  /** UDP. */
  readonly port: number;
}

export interface ReachableNode {
  readonly node: NodeId;
  /** UDP. */
  readonly port: number;
  readonly network: NodeNetwork;
}

/** This machine, as far as it decides what can be checked. */
export interface OwnInterfaces {
  /** Interfaces through which link-local addresses are checked. */
  readonly linkLocalNames: readonly string[];
  /** A node with the same address elsewhere cannot be reached by it from here. */
  readonly addresses: ReadonlySet<string>;
  /**
   * Addresses of interfaces that the settings ignore, and their names: traffic that leaves by one is not a connection.
   */
  readonly ignored: ReadonlyMap<string, string>;
}

export const targetKey = ({ node, address }: ReachTarget): string => `${node} ${address}`;

export const ownInterfacesOf = (interfaces: InterfaceList, ignored: readonly string[]): OwnInterfaces => {
  const linkLocalNames: string[] = [];
  const addresses = new Set<string>();
  const ignoredAddresses = new Map<string, string>();
  for (const name of Object.keys(interfaces).toSorted(containersLast)) {
    const infos = interfaces[name] ?? [];
    for (const { address } of infos) {
      if (isLinkLocalIpv6(address)) continue;
      addresses.add(address.toLowerCase());
      if (ignored.includes(name)) ignoredAddresses.set(address.toLowerCase(), name);
    }
    if (ignored.includes(name) || NEVER_A_CLUSTER.test(name)) continue;
    if (infos.some(info => !info.internal && isLinkLocalIpv6(info.address))) linkLocalNames.push(name);
  }
  return { linkLocalNames, addresses, ignored: ignoredAddresses };
};

export const reachTargets = (
  nodes: readonly ReachableNode[],
  { linkLocalNames, addresses: own }: OwnInterfaces,
): readonly ReachTarget[] => {
  const targets: ReachTarget[] = [];
  for (const { node, port, network } of nodes) {
    const addresses = new Set<string>();
    for (const address of reachAddressesOf(network)) {
      if (!isLinkLocalIpv6(address)) {
        if (!own.has(address)) addresses.add(address);
        continue;
      }
      for (const name of linkLocalNames) addresses.add(`${address}%${name}`);
    }
    for (const address of [...addresses].slice(0, REACHABILITY_LIMITS.addressesPerNodeMax))
      targets.push({ node, address, port });
  }
  return targets.slice(0, REACHABILITY_LIMITS.addressesMax);
};

/** Addresses that mean something on another machine, link-local ones without scope; those of containers last. */
export const reachAddressesOf = ({ interfaces }: NodeNetwork): readonly string[] => {
  const addresses = new Set<string>();
  const useful = interfaces.filter(
    ({ name, type, isUp }) => type !== 'loopback' && isUp !== false && !NEVER_A_CLUSTER.test(name),
  );
  for (const { addresses: reported } of useful.toSorted((a, b) => containersLast(a.name, b.name)))
    for (const { address } of reported) {
      const [plain = ''] = address.toLowerCase().split('%');
      const known = isLinkLocalIpv6(plain) && isIP(plain) === 6 ? plain : dialableFromElsewhere(plain);
      if (known !== undefined) addresses.add(known);
    }
  return [...addresses];
};

/** The interface that has an address; undefined if none or several have it. */
export const interfaceOf = (
  address: string,
  interfaces: readonly NetworkInterface[],
): NetworkInterface | undefined => {
  const [plain = '', scope] = address.toLowerCase().split('%');
  const having = interfaces.filter(
    ({ name, addresses }) =>
      (scope === undefined || scope === name.toLowerCase()) &&
      addresses.some(own => own.address.toLowerCase().split('%')[0] === plain),
  );
  return having.length === 1 ? having[0] : undefined;
};
