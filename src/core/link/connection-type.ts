// The medium of a connection, derived from its outgoing interface and never from an address: 100.64/10 alone
// proves nothing. A capability is not a negotiated rate.

import type { InterfaceType, NetworkInterface, NodeNetwork } from '../node/network.ts';
import type { NodeThunderbolt } from '../node/thunderbolt.ts';
import { isKnown, isUnknown, type Reported, unknown } from '../unknown.ts';
import type { ConnectionType } from './connection.ts';

export interface ConnectionCarrier {
  readonly type: Reported<ConnectionType>;
  readonly negotiatedBitsPerSecond: Reported<number>;
}

/** This machine's own readings; undefined until they arrive. */
export interface OwnCarriers {
  readonly network: NodeNetwork | undefined;
  readonly thunderbolt: NodeThunderbolt | undefined;
}

export const connectionCarrier = (
  sourceInterface: Reported<string>,
  { network, thunderbolt }: OwnCarriers,
): ConnectionCarrier => {
  if (isUnknown(sourceInterface)) return unknownCarrier(sourceInterface.reason);
  if (network === undefined) return unknownCarrier('the interfaces of this machine have not been read yet');
  return carrierOf(sourceInterface, { network, thunderbolt, depth: 0 });
};

/**
 * The next carrier of a connection's entry: unknown never replaces a concrete type; another concrete type
 * does at once.
 */
export const stickyCarrier = (
  current: ConnectionCarrier | undefined,
  found: ConnectionCarrier,
): ConnectionCarrier =>
  current !== undefined && isKnown(current.type) && isUnknown(found.type) ? current : found;

/**
 * Whether a person would not call it another carrier. The rate of a radio changes with each reading: a
 * quarter more or less counts as the same.
 */
export const isSameCarrier = (one: ConnectionCarrier, other: ConnectionCarrier): boolean => {
  if (!isSame(one.type, other.type)) return false;
  const [a, b] = [one.negotiatedBitsPerSecond, other.negotiatedBitsPerSecond];
  if (one.type === 'wifi' && isKnown(a) && isKnown(b))
    return Math.abs(a - b) < Math.max(a, b) * RADIO_TOLERANCE;
  return isSame(a, b);
};

interface Search extends OwnCarriers {
  readonly network: NodeNetwork;
  readonly depth: number;
}

const carrierOf = (name: string, search: Search): ConnectionCarrier => {
  const found = interfaceNamed(name, search);
  if (found === undefined) return unknownCarrier(`there is no interface ${name} in the network reading`);
  if (isUnknown(found.type)) return { ...unknownCarrier(found.type.reason), ...rateOf(found) };
  switch (found.type) {
    case 'ethernet':
    case 'wifi':
    case 'infiniband':
    case 'overlay':
    case 'loopback':
      return { type: found.type, ...rateOf(found) };
    case 'thunderbolt':
      return { type: 'thunderbolt', ...thunderboltRate(found, search.thunderbolt) };
    case 'bridge':
    case 'bond':
      return joinedCarrier(found, found.type, search);
    case 'vlan':
      return vlanCarrier(found, search);
    case 'virtual':
      // A macvlan is on top of a port of this machine; a tap or veth device only leads to a guest.
      return found.members.length > 0
        ? joinedCarrier(found, 'virtual', search)
        : unknownKind(found, found.type);
    case 'cellular':
      return unknownKind(found, found.type);
    default:
      return found.type satisfies never;
  }
};

const unknownKind = (found: NetworkInterface, kind: InterfaceType): ConnectionCarrier => ({
  type: unknown(`${found.name} is a ${kind} interface (${found.typeEvidence})`),
  ...rateOf(found),
});

/**
 * The type and rate of what it joins, if that is all of one type. Virtual members (the tap and veth devices
 * of virtual machines and containers) lead to guests on this machine, so what leaves it goes through the
 * others. A member that is down carries nothing.
 */
const joinedCarrier = (joined: NetworkInterface, kind: InterfaceType, search: Search): ConnectionCarrier => {
  const { name, members } = joined;
  if (members.length === 0)
    return { ...unknownCarrier(`the ${kind} ${name} has no members`), ...rateOf(joined) };
  if (search.depth >= DEPTH_MAX) return unknownCarrier(`${name} has too many layers`);
  const outward = members.filter(member => !leadsToVirtualMachines(member, search));
  if (outward.length === 0)
    return { ...unknownCarrier(`the ${kind} ${name} joins only virtual interfaces`), ...rateOf(joined) };
  const up = outward.filter(member => interfaceNamed(member, search)?.isUp !== false);
  const carriers = (up.length === 0 ? outward : up).map(member =>
    carrierOf(member, { ...search, depth: search.depth + 1 }),
  );
  const [first, ...others] = carriers;
  if (first === undefined || carriers.some(({ type }) => isUnknown(type)))
    return unknownCarrier(`the ${kind} ${name} joins interfaces of unknown type`);
  if (others.some(({ type }) => type !== first.type)) {
    const types = [...new Set(carriers.map(({ type }) => String(type)))].sort().join(' and ');
    return unknownCarrier(`the ${kind} ${name} joins ${types}`);
  }
  if (isKnown(joined.speedBitsPerSecond)) return { type: first.type, ...rateOf(joined) };
  const isOneRate = others.every(other =>
    isSame(other.negotiatedBitsPerSecond, first.negotiatedBitsPerSecond),
  );
  // A bridge sends each packet through one of them; how a bond shares its traffic is its own setting.
  if (isOneRate && (kind === 'bridge' || others.length === 0)) return first;
  const reason = isOneRate
    ? `${name} does not report its rate`
    : `the members of ${name} differ in their rates`;
  return { type: first.type, negotiatedBitsPerSecond: unknown(reason) };
};

/**
 * Its other end is a guest or a container on this machine: a virtual interface without a lower one, or one
 * that joins only such.
 */
const leadsToVirtualMachines = (name: string, search: Search): boolean => {
  const member = interfaceNamed(name, search);
  if (member === undefined || search.depth >= DEPTH_MAX) return false;
  if (member.type !== 'virtual' && member.type !== 'bridge' && member.type !== 'bond') return false;
  return member.members.every(each => leadsToVirtualMachines(each, { ...search, depth: search.depth + 1 }));
};

const interfaceNamed = (name: string, { network }: Search): NetworkInterface | undefined =>
  network.interfaces.find(one => one.name === name);

/** "eth0.100" is on eth0; the name of any other VLAN does not show its parent. */
const vlanCarrier = (vlan: NetworkInterface, search: Search): ConnectionCarrier => {
  const [below = ''] = vlan.members.length > 0 ? vlan.members : [vlan.name.split('.')[0] ?? ''];
  if (below === vlan.name || search.depth >= DEPTH_MAX)
    return { ...unknownCarrier(`the parent of the VLAN ${vlan.name} is not reported`), ...rateOf(vlan) };
  return carrierOf(below, { ...search, depth: search.depth + 1 });
};

/**
 * The interface of a Thunderbolt port has no speed of its own; the rate that the cable negotiated is in the
 * port's reading.
 */
const thunderboltRate = (
  { name, speedBitsPerSecond }: NetworkInterface,
  thunderbolt: NodeThunderbolt | undefined,
): Pick<ConnectionCarrier, 'negotiatedBitsPerSecond'> => {
  if (isKnown(speedBitsPerSecond)) return { negotiatedBitsPerSecond: speedBitsPerSecond };
  const port = thunderbolt?.ports.find(({ interfaceName }) => interfaceName === name);
  return { negotiatedBitsPerSecond: port?.negotiatedBitsPerSecond ?? speedBitsPerSecond };
};

const rateOf = ({
  speedBitsPerSecond,
}: NetworkInterface): Pick<ConnectionCarrier, 'negotiatedBitsPerSecond'> => ({
  negotiatedBitsPerSecond: speedBitsPerSecond,
});

const unknownCarrier = (reason: string): ConnectionCarrier => ({
  type: unknown(reason),
  negotiatedBitsPerSecond: unknown(reason),
});

const isSame = (one: Reported<string | number>, other: Reported<string | number>): boolean =>
  isUnknown(one) ? isUnknown(other) && one.reason === other.reason : one === other;

const DEPTH_MAX = 4;
const RADIO_TOLERANCE = 0.25;
