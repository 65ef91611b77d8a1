// What sysfs says about one network interface (Documentation/ABI/testing/sysfs-class-net), before it is judged.

import { isUnreadable, type MachineFiles, textOr, wholeNumber } from '../machine-files.ts';

export interface InterfaceFacts {
  readonly name: string;
  /** ARPHRD_… of linux/if_arp.h: 1 Ethernet, 32 InfiniBand, 772 loopback. */
  readonly hardwareType: number | undefined;
  /** DEVTYPE of uevent: "wlan", "bridge", "bond", "vlan", "wireguard"; '' for most. */
  readonly deviceType: string;
  /** '' where no device stands behind the interface. */
  readonly driver: string;
  readonly hasDevice: boolean;
  readonly isWireless: boolean;
  readonly isBridge: boolean;
  readonly isBond: boolean;
  /** Of a TUN or TAP device. */
  readonly tunFlags: number | undefined;
  readonly operstate: string;
  /** IFF_… flags; undefined where they cannot be read. */
  readonly flags: number | undefined;
  readonly mtu: number | undefined;
  readonly address: string;
  readonly members: readonly string[];
}

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
    hardwareType: wholeNumber(text('type')),
    deviceType: /^DEVTYPE=(.+)$/m.exec(text('uevent'))?.[1] ?? '',
    driver: isUnreadable(driver) ? '' : (driver.split('/').at(-1) ?? ''),
    hasDevice: has('device'),
    isWireless: has('wireless') || has('phy80211'),
    isBridge: has('bridge'),
    isBond: has('bonding'),
    tunFlags: has('tun_flags') ? hexadecimal(text('tun_flags')) : undefined,
    operstate: text('operstate'),
    flags: hexadecimal(text('flags')),
    mtu: wholeNumber(text('mtu')),
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

/** InfiniBand has the longest: 20 bytes. */
const ADDRESS_LENGTH_MAX = 64;
const MEMBERS_MAX = 256;
/** IFNAMSIZ and altnames (linux/if.h). */
const NAME_LENGTH_MAX = 128;
