// `ifconfig` without arguments: every interface, its lines indented by a tab. Lines come in any order, some interfaces
// have no status, netmasks are hexadecimal, and IPv6 addresses carry their scope after a percent sign.

import type { InterfaceAddress } from '../../core/node/network.ts';
import { pushAll } from '../../core/push-all.ts';
import { toolLines } from '../tool-output.ts';

export interface IfconfigInterface {
  readonly name: string;
  readonly flags: readonly string[];
  readonly mtuBytes: number | undefined;
  readonly macAddress: string | undefined;
  /** "autoselect (1000baseT <full-duplex>)" */
  readonly media: string | undefined;
  /** "active", "inactive"; absent on tunnels and on the loopback. */
  readonly status: string | undefined;
  readonly addresses: readonly InterfaceAddress[];
  /** Of a bridge or a bond. */
  readonly members: readonly string[];
  readonly isBond: boolean;
  readonly vlanParent: string | undefined;
}

export const parseIfconfig = (text: string): readonly IfconfigInterface[] => {
  const interfaces: IfconfigInterface[] = [];
  let lines: string[] = [];
  const finish = (): void => {
    const read = lines.length === 0 ? undefined : readInterface(lines);
    if (read !== undefined && interfaces.length < INTERFACES_MAX) interfaces.push(read);
    lines = [];
  };
  for (const line of toolLines(text)) {
    if (/^\S/.test(line)) finish();
    lines.push(line);
  }
  finish();
  return interfaces;
};

const readInterface = ([first = '', ...rest]: readonly string[]): IfconfigInterface | undefined => {
  const head = /^([\w.-]{1,32}): flags=[0-9a-f]+<([^>]*)>(?:.*\bmtu (\d{1,7}))?/i.exec(first);
  if (head?.[1] === undefined) return undefined;
  const addresses: InterfaceAddress[] = [];
  const members: string[] = [];
  let macAddress: string | undefined;
  let media: string | undefined;
  let status: string | undefined;
  let vlanParent: string | undefined;
  let isBond = false;
  for (const line of rest) {
    const [word = '', ...values] = line.trim().split(/\s+/);
    const value = values[0] ?? '';
    const all = values.join(' ');
    if (word === 'inet' || word === 'inet6') {
      const address = word === 'inet' ? ipv4In(values) : ipv6In(values);
      if (address !== undefined && addresses.length < ADDRESSES_MAX) addresses.push(address);
    } else if (word === 'ether')
      macAddress = /^[0-9a-f:]{11,17}$/i.test(value) ? value.toLowerCase() : macAddress;
    else if (word === 'media:') media = all;
    else if (word === 'status:') status = all;
    else if (word === 'member:' && value !== '') members.push(value.slice(0, NAME_LENGTH_MAX));
    else if (word === 'vlan:') vlanParent = /parent interface: (\S{1,32})/.exec(all)?.[1];
    else if (word === 'bond' && value === 'interfaces:') {
      isBond = true;
      pushAll(
        members,
        values.slice(1).map(member => member.slice(0, NAME_LENGTH_MAX)),
      );
    }
  }
  return {
    name: head[1],
    flags: (head[2] ?? '').split(',').filter(flag => flag !== ''),
    mtuBytes: head[3] === undefined ? undefined : Number(head[3]),
    macAddress,
    media,
    status,
    addresses,
    members: members.slice(0, INTERFACES_MAX),
    isBond,
    vlanParent,
  };
};

const ipv4In = (values: readonly string[]): InterfaceAddress | undefined => {
  const address = values[0] ?? '';
  const bytes = address.split('.').map(Number);
  if (!/^\d{1,3}(\.\d{1,3}){3}$/.test(address) || bytes.some(byte => byte > 255)) return undefined;
  // "This host on this network" (RFC 1122 §3.2.1.3): DHCP has not replied yet. Nothing can be reached there.
  if (bytes.every(byte => byte === 0)) return undefined;
  const prefixLength = prefixOf(values[values.indexOf('netmask') + 1] ?? '');
  if (prefixLength === undefined) return undefined;
  const isLink = bytes[0] === 169 && bytes[1] === 254;
  const scope = bytes[0] === 127 ? 'host' : isLink ? 'link' : 'global';
  return { address, family: 'ipv4', prefixLength, scope };
};

const ipv6In = (values: readonly string[]): InterfaceAddress | undefined => {
  const address = (values[0] ?? '').split('%')[0]?.toLowerCase() ?? '';
  const length = values[values.indexOf('prefixlen') + 1] ?? '';
  const prefixLength = /^\d{1,3}$/.test(length) ? Number(length) : 129;
  if (!/^[0-9a-f:.]{2,45}$/.test(address) || !address.includes(':') || prefixLength > 128) return undefined;
  return { address, family: 'ipv6', prefixLength, scope: ipv6Scope(address) };
};

/** RFC 4291 §2.5: fe80::/10 link, fec0::/10 site (deprecated), ::1 this host. */
const ipv6Scope = (address: string): InterfaceAddress['scope'] => {
  if (address === '::1') return 'host';
  if (/^fe[89ab][0-9a-f]:/.test(address)) return 'link';
  return /^fe[c-f][0-9a-f]:/.test(address) ? 'site' : 'global';
};

/** 0xffffff00 → 24; undefined when the ones are not in one piece. */
const prefixOf = (netmask: string): number | undefined => {
  if (!/^0x[0-9a-f]{8}$/i.test(netmask)) return undefined;
  const bits = Number(netmask).toString(2).padStart(32, '0');
  return /^1*0*$/.test(bits) ? bits.lastIndexOf('1') + 1 : undefined;
};

const INTERFACES_MAX = 512;
const NAME_LENGTH_MAX = 32;
const ADDRESSES_MAX = 256;
