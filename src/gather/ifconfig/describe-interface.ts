// One interface of `ifconfig`, with what its hardware port is called, as the reading tells it.

import type { NetworkInterface } from '../../core/node/network.ts';
import { type Reported, unknown } from '../../core/unknown.ts';
import { typeOfInterface } from './interface-type.ts';
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
    mtuBytes: about.mtuBytes ?? unknown('ifconfig does not tell'),
    driver: unknown('ifconfig does not tell'),
    addresses: about.addresses,
    members: about.members,
  };
};

/** Tunnels and the loopback have no status line: there the flags decide. */
const isUp = ({ flags, status }: IfconfigInterface): boolean =>
  flags.includes('UP') && (status === undefined ? flags.includes('RUNNING') : status === 'active');

/** "media: autoselect (1000baseT <full-duplex>)", "10Gbase-T", "2500Base-T": the number is megabits unless a G follows. */
const speedOf = (about: IfconfigInterface, type: NetworkInterface['type']): Reported<number> => {
  if (about.status === 'inactive') return unknown('no carrier');
  const media = /(\d{1,6}(?:\.\d)?)(G?)base/i.exec(about.media ?? '');
  if (media !== null) return Math.round(Number(media[1]) * (media[2] === '' ? 1e6 : 1e9));
  if (type === 'thunderbolt') return unknown('told with the Thunderbolt port');
  if (type === 'wifi') return unknown('ifconfig does not tell the rate of Wi-Fi');
  return unknown('ifconfig names no rate');
};
