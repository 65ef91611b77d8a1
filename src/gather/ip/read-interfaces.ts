// Interfaces of a Linux machine: the facts of sysfs about each, interpreted, with its addresses.

import type { NetworkInterface } from '../../core/node/network.ts';
import { unknown } from '../../core/unknown.ts';
import { digitsIn, isUnreadable, type MachineFiles, textOr, type Unreadable } from '../machine-files.ts';
import type { DeviceKinds, ReadDeviceKinds } from './device-kinds.ts';
import { type InterfaceFacts, isUpByState, parseCarrier, parseSpeed, whyNoSpeed } from './interface-state.ts';
import { interfaceType, OPEN_VSWITCH, showsNoKind } from './interface-type.ts';
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
