// Attributes of RDMA devices and ports as sysfs prints them (Documentation/ABI/stable/sysfs-class-infiniband).

import type { RdmaPort } from '../../core/node/rdma-devices.ts';
import { isUnknown, type Reported, unknown } from '../../core/unknown.ts';

/** "4: ACTIVE" */
export const parsePortState = (text: Reported<string>): RdmaPort['state'] => {
  if (isUnknown(text)) return text;
  const state = STATES.get(/^(\d): /.exec(text)?.[1] ?? '');
  return state ?? unknown(`port state ${text.slice(0, TEXT_LENGTH_MAX)}`);
};

/** "5: LinkUp" */
export const parsePhysicalState = (text: Reported<string>): Reported<string> => {
  if (isUnknown(text)) return text;
  const state = /^\d+: (.+)$/.exec(text)?.[1];
  return state?.slice(0, TEXT_LENGTH_MAX) ?? unknown('not of the form "5: LinkUp"');
};

export const parseLinkLayer = (text: Reported<string>): RdmaPort['linkLayer'] => {
  if (isUnknown(text)) return text;
  if (text === 'InfiniBand') return 'infiniband';
  if (text === 'Ethernet') return 'ethernet';
  return unknown(`link layer ${text.slice(0, TEXT_LENGTH_MAX)}`);
};

/** "200 Gb/sec (4X NDR)". A port that is down prints a rate too, which was never negotiated. */
export const parseRate = (text: Reported<string>, state: RdmaPort['state']): Reported<number> => {
  if (state === 'down') return unknown('the port is down');
  if (isUnknown(text)) return text;
  const gigabits = /^(\d{1,5}(?:\.\d{1,3})?) Gb\/sec\b/.exec(text)?.[1];
  return gigabits === undefined || Number(gigabits) === 0
    ? unknown('not of the form "200 Gb/sec"')
    : Math.round(Number(gigabits) * 1e9);
};

/** "0200:0003:00f9:4230" to sixteen digits. */
export const parseGuid = (text: Reported<string>): Reported<string> => {
  if (isUnknown(text)) return text;
  const digits = text.replace(/^0x/i, '').replaceAll(':', '').toLowerCase();
  if (!/^[0-9a-f]{16}$/.test(digits)) return unknown('not a GUID');
  return /^0+$/.test(digits) ? unknown('not set') : digits;
};

/** First half of GID 0; only InfiniBand has subnets. */
export const parseSubnetPrefix = (
  gid: Reported<string>,
  linkLayer: RdmaPort['linkLayer'],
): Reported<string> => {
  if (linkLayer !== 'infiniband') return unknown('not an InfiniBand port');
  if (isUnknown(gid)) return gid;
  if (!/^(?:[0-9a-f]{4}:){7}[0-9a-f]{4}$/i.test(gid)) return unknown('not a GID');
  return /^[0:]+$/.test(gid) ? unknown('GID 0 is not set') : gid.slice(0, 19).toLowerCase();
};

/** enum ib_port_state of rdma/ib_verbs.h. 5, ACTIVE_DEFER, is a link that has just been lost. */
const STATES: ReadonlyMap<string, 'down' | 'initializing' | 'armed' | 'active'> = new Map([
  ['1', 'down'],
  ['2', 'initializing'],
  ['3', 'armed'],
  ['4', 'active'],
]);
const TEXT_LENGTH_MAX = 60;
