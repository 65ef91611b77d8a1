// How network interfaces are named and ordered for a reader: what carries traffic first.

import type { InterfaceType, NetworkInterface } from '../../../src/core/node/network.ts';
import { inNumericOrder } from '../../../src/core/text/numeric-order.ts';
import { isUnknown, type Reported } from '../../../src/core/unknown.ts';
import type { ReportedText } from '../figure/reported.ts';

export const INTERFACE_TYPES: Readonly<Record<InterfaceType, string>> = {
  ethernet: 'Ethernet',
  wifi: 'Wi-Fi',
  thunderbolt: 'Thunderbolt',
  infiniband: 'InfiniBand',
  loopback: 'loopback',
  bridge: 'bridge',
  bond: 'bond',
  vlan: 'VLAN',
  virtual: 'virtual',
  overlay: 'overlay',
  cellular: 'cellular',
};

export const inReadingOrder = (interfaces: readonly NetworkInterface[]): readonly NetworkInterface[] =>
  [...interfaces].sort((a, b) => rank(a) - rank(b) || inNumericOrder(a.name, b.name));

export const upText = (isUp: Reported<boolean>): ReportedText => {
  if (isUnknown(isUp)) return { text: '–', reason: isUp.reason };
  return { text: isUp ? 'up' : 'down', reason: '' };
};

const rank = ({ type, isUp, addresses }: NetworkInterface): number =>
  (type === 'loopback' ? 4 : 0) + (isUp === true ? 0 : 2) + (addresses.length > 0 ? 0 : 1);
