// Interfaces of a Linux machine: the facts of sysfs about each, interpreted, with its addresses.

import type { InterfaceType, NetworkInterface } from '../../core/node/network.ts';
import { type Reported, unknown } from '../../core/unknown.ts';
import { digitsIn, isUnreadable, type MachineFiles, textOr, type Unreadable } from '../machine-files.ts';
import type { DeviceKinds, ReadDeviceKinds } from './device-kinds.ts';
import { type InterfaceFacts, isUpByState, parseCarrier, parseSpeed, whyNoSpeed } from './interface-state.ts';
import type { AddressTable } from './parse-ip-addr.ts';

/**
 * Those with a device first, then by name, so the limit cuts off those made by containers. `readKinds` runs if sysfs
 * does not show what some of them are.
 */
export const readInterfaces = async (
  files: MachineFiles,
  names: readonly string[],
  addresses: AddressTable,
  readKinds?: ReadDeviceKinds,
): Promise<readonly NetworkInterface[]> => {
  const facts = [...names]
    .sort()
    // bonding_masters is a file among the folders, and has no attributes.
    .flatMap(name => readInterfaceFacts(files, name) ?? [])
    .sort((a, b) => Number(b.hasDevice) - Number(a.hasDevice));
  const unclear = unclearNames(facts);
  const kinds = (unclear.length === 0 ? undefined : await readKinds?.(unclear)) ?? NO_KINDS;
  const ports = openVswitchPorts(facts, kinds);
  const interfaces: NetworkInterface[] = [];
  for (const found of facts) {
    const kind = kinds.get(found.name);
    const members = kind === OPEN_VSWITCH ? membersOfPort(found, ports) : found.members;
    interfaces.push(await readInterface(files, { ...found, members }, addresses, kind));
  }
  return interfaces;
};

/** Devices that lie on others without a word on how, and everything that could be a port of Open vSwitch, where its datapath is. */
const unclearNames = (facts: readonly InterfaceFacts[]): readonly string[] => {
  const hasDatapath = facts.some(({ name }) => name === OVS_DATAPATH);
  return facts
    .filter(found => showsNoKind(found) && (hasDatapath || found.members.length > 0))
    .map(({ name }) => name);
};

/** What is attached to Open vSwitch: the kernel lists the ports of all its bridges below one device, the datapath's. */
const openVswitchPorts = (
  facts: readonly InterfaceFacts[],
  kinds: DeviceKinds,
): readonly InterfaceFacts[] => {
  const attached = new Set(
    facts.filter(({ name }) => kinds.get(name) === OPEN_VSWITCH).flatMap(({ members }) => members),
  );
  return facts.filter(({ name }) => attached.has(name));
};

/**
 * A bridge of Open vSwitch takes the hardware address of one of its ports (ovs-vswitchd.conf.db(5), other_config:hwaddr).
 * Without such a port the kernel does not show which of them belong to its bridge, so any may.
 */
const membersOfPort = (
  { name, address, members }: InterfaceFacts,
  ports: readonly InterfaceFacts[],
): readonly string[] => {
  if (members.length > 0) return members;
  const own = ports.filter(port => port.address === address);
  return (own.length > 0 ? own : ports)
    .map(port => port.name)
    .filter(port => port !== name)
    .slice(0, MEMBERS_MAX);
};

const readInterface = async (
  files: MachineFiles,
  facts: InterfaceFacts,
  addresses: AddressTable,
  kind: string | undefined,
): Promise<NetworkInterface> => {
  const { type, evidence } = interfaceType(facts, kind);
  // Carrier and speed are read off this thread: the kernel takes a lock for them that a stuck driver may hold for long.
  const isUp = isUpByState(facts) ?? parseCarrier(await files.text(`/sys/class/net/${facts.name}/carrier`));
  return {
    name: facts.name,
    type,
    typeEvidence: evidence,
    macAddress: /^(?:|[0:]+)$/.test(facts.address) ? unknown('no hardware address') : facts.address,
    isUp,
    speedBitsPerSecond:
      whyNoSpeed(facts, type, isUp) ??
      parseSpeed(await files.text(`/sys/class/net/${facts.name}/speed`), type),
    mtuBytes: facts.mtu ?? unknown('the driver does not report it'),
    driver:
      facts.driver === ''
        ? unknown(facts.hasDevice ? 'no driver is bound' : 'it has no device')
        : facts.driver,
    addresses: (addresses.get(facts.name) ?? []).slice(0, ADDRESSES_MAX),
    members: facts.members,
  };
};

/** Undefined when there is no such interface (any more). */
const readInterfaceFacts = (files: MachineFiles, name: string): InterfaceFacts | undefined => {
  const folder = `/sys/class/net/${name}`;
  const names = files.namesNow(folder);
  if (isUnreadable(names)) return undefined;
  const text = (attribute: string): string => textOr(files.textNow(`${folder}/${attribute}`), '');
  const has = (attribute: string): boolean => names.includes(attribute);
  const driver = has('device') ? files.linkNow(`${folder}/device/driver`) : '';
  const members = membersOf({
    ports: has('brif') ? files.namesNow(`${folder}/brif`) : [],
    slaves: text('bonding/slaves'),
    attributes: names,
  });
  return {
    name,
    hardwareType: digitsIn(text('type')),
    deviceType: /^DEVTYPE=(.+)$/m.exec(text('uevent'))?.[1] ?? '',
    driver: isUnreadable(driver) ? '' : (driver.split('/').at(-1) ?? ''),
    hasDevice: has('device'),
    isWireless: has('wireless') || has('phy80211'),
    isBridge: has('bridge'),
    isBond: has('bonding'),
    tunFlags: has('tun_flags') ? hexadecimal(text('tun_flags')) : undefined,
    operstate: text('operstate'),
    flags: hexadecimal(text('flags')),
    mtu: digitsIn(text('mtu')),
    address: text('address').toLowerCase().slice(0, ADDRESS_LENGTH_MAX),
    isMaster: members.some(member => masterOf(files, member) === name),
    members,
  };
};

const masterOf = (files: MachineFiles, name: string): string | undefined => {
  const master = files.linkNow(`/sys/class/net/${name}/master`);
  return isUnreadable(master) ? undefined : master.split('/').at(-1);
};

/** The kernel links each upper device to its lower devices: a team to its ports, a VLAN to its parent. */
const membersOf = ({
  ports,
  slaves,
  attributes,
}: {
  readonly ports: readonly string[] | Unreadable;
  readonly slaves: string;
  readonly attributes: readonly string[];
}): readonly string[] => {
  const below = attributes.flatMap(name => /^lower_(.+)$/.exec(name)?.[1] ?? []);
  const named = [...(isUnreadable(ports) ? [] : ports), ...slaves.split(/\s+/), ...below];
  const names = new Set(named.filter(name => name !== '' && name.length <= NAME_LENGTH_MAX));
  return [...names].sort().slice(0, MEMBERS_MAX);
};

const hexadecimal = (text: string): number | undefined =>
  /^0x[0-9a-f]{1,8}$/i.test(text) ? Number.parseInt(text.slice(2), 16) : undefined;

/** A load balancer may have thousands; the map needs a few that answer. */
const ADDRESSES_MAX = 256;
/** InfiniBand has the longest: 20 bytes. */
const ADDRESS_LENGTH_MAX = 64;
const MEMBERS_MAX = 256;
const NO_KINDS: DeviceKinds = new Map();
/** As Open vSwitch names the device of its datapath in the kernel: "ovs-" and the type of the datapath, "system". */
const OVS_DATAPATH = 'ovs-system';
/** IFNAMSIZ and altnames (linux/if.h). */
const NAME_LENGTH_MAX = 128;

// The kind of an interface, by its own evidence: the type that the kernel reports, and its driver. Names
// and address ranges prove nothing, and an interface that shows no evidence is unknown.
interface JudgedType {
  readonly type: Reported<InterfaceType>;
  readonly evidence: string;
}

/** Whether sysfs shows what it is. Of others the kernel's kind is needed, if anything hints at one. */
const showsNoKind = ({
  hardwareType,
  deviceType,
  hasDevice,
  isBridge,
  isBond,
  tunFlags,
}: InterfaceFacts): boolean =>
  hardwareType === TYPE_ETHERNET &&
  deviceType === '' &&
  !hasDevice &&
  !isBridge &&
  !isBond &&
  tunFlags === undefined;

/** `kind`: the kernel's, where it was read. */
const interfaceType = (facts: InterfaceFacts, kind?: string): JudgedType => {
  const { name, hardwareType, deviceType, driver, tunFlags } = facts;
  const sysfsType = hardwareType === undefined ? 'no sysfs type' : `sysfs type ${hardwareType}`;
  const byDriver = driver === '' ? sysfsType : `${sysfsType}, driver ${driver}`;

  if (hardwareType === TYPE_LOOPBACK) return { type: 'loopback', evidence: sysfsType };
  if (facts.isWireless)
    return { type: 'wifi', evidence: driver === '' ? 'a wireless device' : `wireless, driver ${driver}` };
  if (/^thunderbolt[-_]net$/.test(driver)) return { type: 'thunderbolt', evidence: `driver ${driver}` };
  if (hardwareType === TYPE_INFINIBAND) return { type: 'infiniband', evidence: byDriver };
  const named = DEVICE_TYPES.get(deviceType);
  if (named !== undefined) return { type: named, evidence: `device type ${deviceType}` };
  if (facts.isBridge) return { type: 'bridge', evidence: 'a bridge folder in sysfs' };
  if (facts.isBond) return { type: 'bond', evidence: 'a bonding folder in sysfs' };
  if (tunFlags !== undefined) return tunType(name, tunFlags);
  if (hardwareType !== undefined && TUNNEL_TYPES.has(hardwareType)) {
    return { type: 'overlay', evidence: `${sysfsType}, an IP tunnel` };
  }
  if (hardwareType === TYPE_ETHERNET && facts.hasDevice) return { type: 'ethernet', evidence: byDriver };
  const byKind = KERNEL_KINDS.get(kind ?? '');
  if (byKind !== undefined) return { type: byKind, evidence: `kind ${kind}` };
  if (hardwareType === TYPE_ETHERNET && facts.members.length > 0) {
    const below = facts.members.slice(0, NAMED_MAX).join(' and ');
    return facts.isMaster
      ? { type: 'bond', evidence: `${sysfsType}, master of ${below}` }
      : { type: 'virtual', evidence: `${sysfsType}, on top of ${below}` };
  }
  if (hardwareType === TYPE_ETHERNET) {
    return { type: 'virtual', evidence: `${sysfsType}, it has no device` };
  }
  return { type: unknown(`${byDriver} is not known here`), evidence: byDriver };
};

/** A TUN device carries packets to a program, in practice a VPN; a TAP device mostly serves a virtual machine. */
const tunType = (name: string, tunFlags: number): JudgedType => {
  const evidence = `driver tun, flags 0x${tunFlags.toString(16)}`;
  const named = OVERLAY_NAMES.find(([pattern]) => pattern.test(name));
  const evidenceWithName = named === undefined ? evidence : `${evidence}, as named by ${named[1]}`;
  const isOverlay = (tunFlags & IFF_TUN) !== 0 || named !== undefined;
  return { type: isOverlay ? 'overlay' : 'virtual', evidence: evidenceWithName };
};

/** DEVTYPE, as drivers set it with SET_NETDEV_DEVTYPE. */
const DEVICE_TYPES: ReadonlyMap<string, InterfaceType> = new Map([
  ['wlan', 'wifi'],
  ['wwan', 'cellular'],
  ['bridge', 'bridge'],
  ['bond', 'bond'],
  ['team', 'bond'],
  ['vlan', 'vlan'],
  ['wireguard', 'overlay'],
  ['vxlan', 'overlay'],
  ['geneve', 'overlay'],
  ['gre', 'overlay'],
  ['gretap', 'overlay'],
  ['macvlan', 'virtual'],
  ['macvtap', 'virtual'],
  ['ipvlan', 'virtual'],
  ['dummy', 'virtual'],
  ['veth', 'virtual'],
]);

/** A port of an Open vSwitch bridge, like that of any bridge, reaches other machines through what was added to it. */
const OPEN_VSWITCH = 'openvswitch';

/** IFLA_INFO_KIND, of devices that set no DEVTYPE. A team joins its ports as a bond does. */
const KERNEL_KINDS: ReadonlyMap<string, InterfaceType> = new Map([
  ['team', 'bond'],
  [OPEN_VSWITCH, 'bridge'],
]);

/** Used only with evidence that the device is a TUN or TAP device. */
const OVERLAY_NAMES: readonly (readonly [RegExp, string])[] = [
  [/^tailscale\d+$/, 'Tailscale'],
  [/^zt[a-z0-9]{8}$/, 'ZeroTier'],
];

const NAMED_MAX = 4;

// linux/if_arp.h
const TYPE_ETHERNET = 1;
const TYPE_INFINIBAND = 32;
const TYPE_LOOPBACK = 772;
/** IPIP, IPv6 tunnel, SIT, GRE and GRE over IPv6. */
const TUNNEL_TYPES: ReadonlySet<number> = new Set([768, 769, 776, 778, 823]);
// linux/if_tun.h
const IFF_TUN = 0x0001;
