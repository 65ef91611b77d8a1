// The interfaces on which this node beacons, from those the system lists: for each, IPv6 link-local first, which needs
// no address plan and identifies its cable, then IPv4. Pure, so tests can try odd machines.

import type { NetworkInterfaceInfo } from 'node:os';
import { pushAll } from '../../core/push-all.ts';
import { DISCOVERY_LIMITS } from './limits.ts';

export type DiscoveryWay =
  | { readonly kind: 'every-interface' }
  | { readonly kind: 'off' }
  | { readonly kind: 'interfaces'; readonly names: readonly string[] };

interface EndpointSettings {
  readonly way: DiscoveryWay;
  /** Absent when `way` is every interface. */
  readonly ignoredInterfaces: readonly string[];
  /** Also on interfaces that only this machine reaches. */
  readonly takesLoopback: boolean;
}

export type InterfaceList = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;

export type BeaconEndpoint =
  | { readonly family: 'IPv6'; readonly interfaceName: string; readonly index: number }
  | {
      readonly family: 'IPv4';
      readonly interfaceName: string;
      /** The beacon is sent from the first. */
      readonly networks: readonly [Ipv4Network, ...Ipv4Network[]];
    };

interface Ipv4Network {
  readonly address: string;
  readonly netmask: string;
}

interface BeaconEndpoints {
  readonly endpoints: readonly BeaconEndpoint[];
  readonly leftOut: readonly LeftOutInterface[];
  /** Missing among the interfaces that the setting names. */
  readonly missing: readonly string[];
}

export interface LeftOutInterface {
  readonly interfaceName: string;
  readonly why: WhyLeftOut;
}

export type WhyLeftOut =
  | 'off'
  | 'not-named'
  | 'ignored'
  /** Such interfaces carry no cluster. */
  | 'its-kind'
  | 'loopback'
  | 'no-address'
  | 'too-many'
  | 'not-there'
  /** For every interface: the system does not list it. */
  | 'not-listed';

export const beaconEndpoints = (interfaces: InterfaceList, settings: EndpointSettings): BeaconEndpoints => {
  const endpoints: BeaconEndpoint[] = [];
  const leftOut: LeftOutInterface[] = [];
  let taken = 0;
  const leaveOut = (interfaceName: string, why: WhyLeftOut): void => {
    if (leftOut.length < LEFT_OUT_MAX) leftOut.push({ interfaceName, why });
  };
  for (const name of Object.keys(interfaces).toSorted(containersLast)) {
    const infos = interfaces[name] ?? [];
    const why = whyLeftOut(name, infos, settings);
    const found = why === undefined ? endpointsOf(name, infos) : [];
    if (why !== undefined) leaveOut(name, why);
    else if (found.length === 0) leaveOut(name, 'no-address');
    else if (taken >= DISCOVERY_LIMITS.interfacesMax) leaveOut(name, 'too-many');
    else {
      taken += 1;
      pushAll(endpoints, found);
    }
  }
  const named = settings.way.kind === 'interfaces' ? settings.way.names : [];
  const missing = named.filter(name => interfaces[name] === undefined);
  for (const name of missing) leaveOut(name, 'not-there');
  return { endpoints, leftOut, missing };
};

/**
 * Equal while a socket made for the endpoint still works: a cable that was pulled and plugged in again gets
 * another index.
 */
export const beaconKey = (endpoint: BeaconEndpoint): string =>
  endpoint.family === 'IPv6'
    ? `IPv6 ${endpoint.interfaceName} ${endpoint.index}`
    : `IPv4 ${endpoint.interfaceName} ${endpoint.networks.map(({ address, netmask }) => `${address}/${netmask}`).join(' ')}`;

export const isInNetwork = (address: string, network: Ipv4Network): boolean => {
  const mask = ipv4Number(network.netmask);
  const one = ipv4Number(address);
  const other = ipv4Number(network.address);
  if (mask === undefined || one === undefined || other === undefined) return false;
  return (one & mask) === (other & mask);
};

const whyLeftOut = (
  name: string,
  infos: readonly NetworkInterfaceInfo[],
  { way, ignoredInterfaces, takesLoopback }: EndpointSettings,
): WhyLeftOut | undefined => {
  switch (way.kind) {
    case 'off':
      return 'off';
    case 'interfaces':
      if (!way.names.includes(name)) return 'not-named';
      break;
    case 'every-interface':
      if (ignoredInterfaces.includes(name)) return 'ignored';
      if (NEVER_A_CLUSTER.test(name)) return 'its-kind';
      break;
    default:
      way satisfies never;
  }
  if (infos.some(info => info.internal) && !takesLoopback) return 'loopback';
  return undefined;
};

const endpointsOf = (
  interfaceName: string,
  infos: readonly NetworkInterfaceInfo[],
): readonly BeaconEndpoint[] => {
  const linkLocal = infos.find(info => info.family === 'IPv6' && /^fe[89ab]/i.test(info.address));
  const [first, ...rest] = infos
    .filter(info => info.family === 'IPv4')
    .map(({ address, netmask }) => ({ address, netmask }));
  return [
    ...(linkLocal?.family === 'IPv6'
      ? [{ family: 'IPv6', interfaceName, index: linkLocal.scopeid ?? 0 } as const]
      : []),
    ...(first === undefined ? [] : [{ family: 'IPv4', interfaceName, networks: [first, ...rest] } as const]),
  ];
};

/** Container interfaces last: a host may have hundreds of them. */
export const containersLast = (one: string, other: string): number =>
  Number(OF_CONTAINERS.test(one)) - Number(OF_CONTAINERS.test(other)) || (one < other ? -1 : 1);

const ipv4Number = (text: string): number | undefined => {
  const parts = text.split('.').map(Number);
  if (parts.length !== 4 || parts.some(part => !(part >= 0 && part <= 255))) return undefined;
  return parts.reduce((sum, part) => (sum << 8) | part, 0);
};

const LEFT_OUT_MAX = 256;
/** Apple's peer-to-peer radio and its links to its own coprocessors: traffic there lowers Wi-Fi throughput. */
export const NEVER_A_CLUSTER: RegExp = /^(awdl|llw|anpi)\d+$/;
const OF_CONTAINERS: RegExp = /^(veth|docker|br-|virbr|cali|cni|flannel|vnet|tap)/;
