// Interfaces of a Linux machine: what sysfs says about each, interpreted, with its addresses.

import type { NetworkInterface } from '../../core/node/network.ts';
import { unknown } from '../../core/unknown.ts';
import { digitsIn, isUnreadable, type MachineFiles, textOr } from '../machine-files.ts';
import { type InterfaceFacts, isUpByState, parseCarrier, parseSpeed, whyNoSpeed } from './interface-state.ts';
import { interfaceType } from './interface-type.ts';
import type { AddressTable } from './parse-ip-addr.ts';

/** Those with a device first, then by name, so the limit cuts off those made by containers. */
export const readInterfaces = async (
  files: MachineFiles,
  names: readonly string[],
  addresses: AddressTable,
): Promise<readonly NetworkInterface[]> => {
  const facts = [...names]
    .sort()
    // bonding_masters is a file among the folders, and has no attributes.
    .flatMap(name => readInterfaceFacts(files, name) ?? [])
    .sort((a, b) => Number(b.hasDevice) - Number(a.hasDevice));
  const interfaces: NetworkInterface[] = [];
  for (const found of facts) interfaces.push(await readInterface(files, found, addresses));
  return interfaces;
};

const readInterface = async (
  files: MachineFiles,
  facts: InterfaceFacts,
  addresses: AddressTable,
): Promise<NetworkInterface> => {
  const { type, evidence } = interfaceType(facts);
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
        ? unknown(facts.hasDevice ? 'no driver is bound' : 'no device stands behind it')
        : facts.driver,
    addresses: (addresses.get(facts.name) ?? []).slice(0, ADDRESSES_MAX),
    members: facts.members,
  };
};

/** Undefined when there is no such interface (any more). */
export const readInterfaceFacts = (files: MachineFiles, name: string): InterfaceFacts | undefined => {
  const folder = `/sys/class/net/${name}`;
  const names = files.namesNow(folder);
  if (isUnreadable(names)) return undefined;
  const text = (attribute: string): string => textOr(files.textNow(`${folder}/${attribute}`), '');
  const has = (attribute: string): boolean => names.includes(attribute);
  const driver = has('device') ? files.linkNow(`${folder}/device/driver`) : '';
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
    members: membersOf(files, folder, has('brif'), text('bonding/slaves')),
  };
};

const membersOf = (
  files: MachineFiles,
  folder: string,
  hasBridgePorts: boolean,
  bondSlaves: string,
): readonly string[] => {
  const ports = hasBridgePorts ? files.namesNow(`${folder}/brif`) : [];
  const slaves = bondSlaves.split(/\s+/).filter(name => name !== '' && name.length <= NAME_LENGTH_MAX);
  return [...(isUnreadable(ports) ? [] : ports), ...slaves].sort().slice(0, MEMBERS_MAX);
};

const hexadecimal = (text: string): number | undefined =>
  /^0x[0-9a-f]{1,8}$/i.test(text) ? Number.parseInt(text.slice(2), 16) : undefined;

/** A load balancer may have thousands; the map needs a few that answer. */
const ADDRESSES_MAX = 256;
/** InfiniBand has the longest: 20 bytes. */
const ADDRESS_LENGTH_MAX = 64;
const MEMBERS_MAX = 256;
/** IFNAMSIZ and altnames (linux/if.h). */
const NAME_LENGTH_MAX = 128;
