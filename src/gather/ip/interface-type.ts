// The kind of an interface, by its own evidence: the type that the kernel reports, and its driver. Names
// and address ranges prove nothing, and an interface that shows no evidence is unknown.

import type { InterfaceType } from '../../core/node/network.ts';
import { type Reported, unknown } from '../../core/unknown.ts';
import type { InterfaceFacts } from './interface-state.ts';

interface JudgedType {
  readonly type: Reported<InterfaceType>;
  readonly evidence: string;
}

/** Whether sysfs shows what it is. Of others the kernel's kind is needed, if anything hints at one. */
export const showsNoKind = ({
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
export const interfaceType = (facts: InterfaceFacts, kind?: string): JudgedType => {
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
export const OPEN_VSWITCH = 'openvswitch';

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
