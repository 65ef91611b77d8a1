// Whether an interface is up, and the rate it negotiated. A rate is reported only if two ends have agreed on one: what
// virtual adapters, unplugged cables and old drivers print instead is unknown with a reason.

import type { InterfaceType } from '../../core/node/network.ts';
import { type Reported, type Unknown, unknown } from '../../core/unknown.ts';
import { digitsIn, type FileText, isUnreadable, notRead } from '../machine-files.ts';

/** The facts in sysfs about one network interface (Documentation/ABI/testing/sysfs-class-net), not yet interpreted. */
export interface InterfaceFacts {
  readonly name: string;
  /** ARPHRD_… of linux/if_arp.h: 1 Ethernet, 32 InfiniBand, 772 loopback. */
  readonly hardwareType: number | undefined;
  /** DEVTYPE of uevent: "wlan", "bridge", "bond", "vlan", "wireguard"; '' for most. */
  readonly deviceType: string;
  /** '' if the interface has no device. */
  readonly driver: string;
  readonly hasDevice: boolean;
  readonly isWireless: boolean;
  readonly isBridge: boolean;
  readonly isBond: boolean;
  /** Of a TUN or TAP device. */
  readonly tunFlags: number | undefined;
  readonly operstate: string;
  /** IFF_… flags; undefined if they cannot be read. */
  readonly flags: number | undefined;
  readonly mtu: number | undefined;
  readonly address: string;
  /** Its members have it as their master: it joins them, as a team does. Not true of one that is only on top of another device. */
  readonly isMaster: boolean;
  /** Ports of a bridge, slaves of a bond, and other devices below it (`lower_…`). */
  readonly members: readonly string[];
}

/** Administratively up and with a carrier; undefined if only the carrier decides. */
export const isUpByState = ({ flags, operstate }: InterfaceFacts): boolean | undefined => {
  if (flags !== undefined && (flags & IFF_UP) === 0) return false;
  if (operstate === 'up') return true;
  // Loopback, TUN and old drivers always report "unknown".
  return /^(?:down|lowerlayerdown|dormant|notpresent|testing)$/.test(operstate) ? false : undefined;
};

/** The sysfs attribute `carrier`; EINVAL while the interface is administratively down. */
export const parseCarrier = (text: FileText): Reported<boolean> => {
  if (isUnreadable(text)) return text.code === 'EINVAL' ? false : notRead(text);
  const carrier = text.trim();
  return carrier === '1'
    ? true
    : carrier === '0'
      ? false
      : unknown('neither operstate nor carrier reports it');
};

/** Why there can be no negotiated rate, so the driver need not be queried; undefined if there can be one. */
export const whyNoSpeed = (
  facts: InterfaceFacts,
  type: Reported<InterfaceType>,
  isUp: Reported<boolean>,
): Unknown | undefined => {
  if (typeof type === 'string' && RATELESS_TYPES.has(type))
    return unknown(`${type === 'overlay' ? 'an' : 'a'} ${type} interface negotiates no rate`);
  if (VIRTUAL_DRIVERS.has(facts.driver)) {
    return unknown(`a virtual adapter (${facts.driver}) negotiates no rate`);
  }
  return isUp === false ? unknown('the link is down') : undefined;
};

/** The sysfs attribute `speed`, in Mbit/s. */
export const parseSpeed = (text: FileText, type: Reported<InterfaceType>): Reported<number> => {
  if (isUnreadable(text)) return unknown(refusal(type, text.reason));
  const megabits = digitsIn(text.trim());
  if (megabits === undefined || megabits === 0 || NOT_A_SPEED.has(megabits)) {
    return unknown(refusal(type, 'the driver does not report it'));
  }
  return megabits * 1e6;
};

const refusal = (type: Reported<InterfaceType>, reason: string): string => {
  if (type === 'wifi') return 'Wi-Fi does not report its rate here';
  if (type === 'thunderbolt') return 'this kernel does not report the rate of Thunderbolt networking';
  return reason;
};

/** veth always reports 10000, a bridge the speed of its fastest port, tun 10: none of these was negotiated. */
const RATELESS_TYPES: ReadonlySet<InterfaceType> = new Set(['loopback', 'bridge', 'virtual', 'overlay']);
/** The speed that these drivers report, if any, was configured for the virtual machine. */
const VIRTUAL_DRIVERS: ReadonlySet<string> = new Set([
  'virtio_net',
  'vmxnet3',
  'hv_netvsc',
  'xen-netfront',
  'netfront',
  'vif',
  'ena',
  'gve',
]);
/** SPEED_UNKNOWN (-1) as old drivers print it, in 16 and in 32 bits. */
const NOT_A_SPEED: ReadonlySet<number> = new Set([65_535, 4_294_967_295]);
// linux/if.h
const IFF_UP = 0x1;
