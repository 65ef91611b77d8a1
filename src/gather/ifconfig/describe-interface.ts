// One interface of `ifconfig`, with the name of its hardware port, as in the reading.

import type { InterfaceType, NetworkInterface } from '../../core/node/network.ts';
import { type Reported, type Unknown, unknown } from '../../core/unknown.ts';
import type { IfconfigInterface } from './parse-ifconfig.ts';

export const describeInterface = (about: IfconfigInterface, portName: Reported<string>): NetworkInterface => {
  const { type, evidence } = typeOfInterface(about, portName);
  return {
    name: about.name,
    type,
    typeEvidence: evidence,
    macAddress: about.macAddress ?? unknown('the interface has none'),
    isUp: isUp(about),
    speedBitsPerSecond: speedOf(about, type),
    mtuBytes: about.mtuBytes ?? unknown('ifconfig does not report it'),
    driver: unknown('ifconfig does not report it'),
    addresses: about.addresses,
    members: about.members,
  };
};

/** Tunnels and the loopback have no status line, so the flags decide. */
const isUp = ({ flags, status }: IfconfigInterface): boolean =>
  flags.includes('UP') && (status === undefined ? flags.includes('RUNNING') : status === 'active');

/** "media: autoselect (1000baseT <full-duplex>)", "10Gbase-T", "2500Base-T": the number is megabits unless a G follows. */
const speedOf = (about: IfconfigInterface, type: NetworkInterface['type']): Reported<number> => {
  if (about.status === 'inactive') return unknown('no carrier');
  const media = /(\d{1,6}(?:\.\d)?)(G?)base/i.exec(about.media ?? '');
  if (media !== null) return Math.round(Number(media[1]) * (media[2] === '' ? 1e6 : 1e9));
  if (type === 'thunderbolt') return unknown('reported with the Thunderbolt port');
  if (type === 'wifi') return unknown('ifconfig does not report the rate of Wi-Fi');
  return unknown('ifconfig reports no rate');
};

/**
 * What an interface is, by system evidence: its hardware port's name first, then ifconfig's own lines, then the driver
 * in its name. Never by an address range or its number.
 */
interface TypedInterface {
  readonly type: InterfaceType | Unknown;
  readonly evidence: string;
  /** By its media only: an iPhone's interface has that of Ethernet, too. A port map that was read decides. */
  readonly isGuess?: boolean;
}

/** `portName` is unknown if it is not a hardware port, or if the port map could not be read. */
export const typeOfInterface = (about: IfconfigInterface, portName: Reported<string>): TypedInterface => {
  if (about.flags.includes('LOOPBACK')) return { type: 'loopback', evidence: 'flag LOOPBACK' };
  if (about.vlanParent !== undefined) return { type: 'vlan', evidence: `VLAN on ${about.vlanParent}` };
  if (about.isBond) return { type: 'bond', evidence: 'ifconfig lists bond interfaces' };
  if (/^bridge\d+$/.test(about.name)) return { type: 'bridge', evidence: 'bridge device' };
  const byPort = typeof portName === 'string' ? typeOfPort(portName) : undefined;
  if (byPort !== undefined) return { type: byPort, evidence: `hardware port "${portName}"` };
  const byDriver = typeOfDriver(about);
  if (byDriver !== undefined) return byDriver;
  const standard = /\d+G?base[\w-]*/i.exec(about.media ?? '')?.[0];
  if (standard !== undefined) return { type: 'ethernet', evidence: `media ${standard}`, isGuess: true };
  const type = typeof portName === 'string' ? unknown(`hardware port "${portName}" has no kind`) : portName;
  return { type, evidence: type.reason };
};

const typeOfPort = (portName: string): InterfaceType | undefined => {
  if (/^Thunderbolt \d+$/.test(portName)) return 'thunderbolt';
  if (/^Thunderbolt Bridge\b/.test(portName)) return 'bridge';
  // German has its own word for it; the other names are the same in every language.
  if (/^(Wi-Fi|WLAN|AirPort)\b/i.test(portName)) return 'wifi';
  // "Thunderbolt Ethernet Slot 0" is a LAN card in a dock.
  if (/Ethernet|\bLAN\b/i.test(portName)) return 'ethernet';
  if (/^(iPhone|iPad)\b|\b(WWAN|Modem)\b/i.test(portName)) return 'cellular';
  if (/^Bluetooth PAN\b/i.test(portName)) return 'virtual';
  return undefined;
};

/** The name's letters are the name of the kernel's driver (bsd/net in XNU; names of Apple's own are observed). */
const typeOfDriver = ({ name, addresses }: IfconfigInterface): TypedInterface | undefined => {
  const driver = /^([A-Za-z]+)\d*$/.exec(name)?.[1] ?? '';
  if (TUNNELS.has(driver)) {
    // Every Mac has utun devices of its own services; only one with an address reaches another machine.
    const isRouted = addresses.some(address => address.scope === 'global' || address.scope === 'site');
    return isRouted
      ? { type: 'overlay', evidence: `tunnel device ${driver} with an address` }
      : { type: 'virtual', evidence: `tunnel device ${driver} without a routable address` };
  }
  const virtual = VIRTUAL.get(driver);
  return virtual === undefined ? undefined : { type: 'virtual', evidence: `${driver}: ${virtual}` };
};

const TUNNELS: ReadonlySet<string> = new Set(['utun', 'ipsec', 'ppp', 'tun', 'tap', 'feth']);
const VIRTUAL: ReadonlyMap<string, string> = new Map([
  ['awdl', 'Apple wireless direct link'],
  ['llw', 'low-latency wireless'],
  ['nan', 'neighbour awareness'],
  ['ap', 'Wi-Fi access point'],
  ['anpi', 'Apple internal device'],
  ['gif', 'generic tunnel'],
  ['stf', '6to4 tunnel'],
  ['vmnet', 'virtual machine network'],
  ['vmenet', 'virtual machine network'],
  ['pktap', 'packet capture'],
  ['pflog', 'packet filter log'],
]);
