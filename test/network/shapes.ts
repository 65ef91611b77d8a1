// The shapes of networks that people have, made of hosts and cables. Cables carry only IPv6 link-local, as direct cables
// do, unless a shape has other addresses.

import { spawnSync } from 'node:child_process';
import type { Namespaces } from './namespaces.ts';

/** Hosts on one link-local segment, each by "en0": a switch between them that runs no daemon. */
export const segment = (net: Namespaces, hosts: readonly string[], name = 'switch'): void => {
  net.addHost(name);
  net.ip(name, 'link', 'add', 'name', 'br0', 'type', 'bridge');
  net.ip(name, 'link', 'set', 'br0', 'up');
  for (const [index, host] of hosts.entries()) {
    net.addHost(host);
    net.connect({ host: name, name: `port${index}` }, { host, name: 'en0' });
    net.ip(name, 'link', 'set', `port${index}`, 'master', 'br0');
  }
};

/** Joins the switches of two segments. */
export const trunk = (net: Namespaces, one: string, other: string): void => {
  net.connect({ host: one, name: 'trunk' }, { host: other, name: 'trunk' });
  for (const host of [one, other]) net.ip(host, 'link', 'set', 'trunk', 'master', 'br0');
};

/** left - … - right: each is connected to its neighbours only, and each in the middle has two link-local cables. */
export const line = (net: Namespaces, hosts: readonly string[]): void => {
  for (const host of hosts) net.addHost(host);
  for (const [index, host] of hosts.slice(1).entries()) cable(net, hosts[index] ?? '', host);
};

export const ring = (net: Namespaces, hosts: readonly string[]): void => {
  line(net, hosts);
  cable(net, hosts.at(-1) ?? '', hosts[0] ?? '');
};

/** The first is the centre. */
export const star = (net: Namespaces, hosts: readonly string[]): void => {
  const [centre = '', ...others] = hosts;
  for (const host of hosts) net.addHost(host);
  for (const host of others) cable(net, centre, host);
};

/** 10.1.0.0/24 and 10.2.0.0/24, joined by nothing but a node that is in both and forwards no packet. */
export const twoSubnets = (net: Namespaces, left: string, middle: string, right: string): void => {
  for (const host of [left, middle, right]) net.addHost(host);
  net.connect(
    { host: left, name: interfaceTo(middle), ipv4: '10.1.0.1/24' },
    { host: middle, name: interfaceTo(left), ipv4: '10.1.0.2/24' },
  );
  net.connect(
    { host: middle, name: interfaceTo(right), ipv4: '10.2.0.2/24' },
    { host: right, name: interfaceTo(middle), ipv4: '10.2.0.1/24' },
  );
};

export const cable = (net: Namespaces, one: string, other: string): void =>
  net.connect({ host: one, name: interfaceTo(other) }, { host: other, name: interfaceTo(one) });

/** A host's interface of the cable to another host. */
export const interfaceTo = (host: string): string => `to-${host}`.slice(0, 15);

/** Pulls every cable between the two sides, or puts them back; the carrier goes at both ends. */
export const setCables = (
  net: Namespaces,
  one: readonly string[],
  other: readonly string[],
  state: 'up' | 'down',
): void => {
  for (const a of one)
    for (const b of other)
      if (net.hasInterface(a, interfaceTo(b))) net.ip(a, 'link', 'set', interfaceTo(b), state);
};

/** From now on this host takes no new connection and no beacon; what it opens itself works. */
export const refuseIncoming = (net: Namespaces, host: string): void =>
  filter(net, host, 'tcp flags & (syn|ack) == syn drop; udp dport 4182 drop;');

/** Beacons neither come in nor get out; everything else does. */
export const dropBeacons = (net: Namespaces, host: string): void => filter(net, host, 'udp dport 4182 drop;');

/** What leaves by this interface goes at this rate: tbf counts headers. */
export const shape = (net: Namespaces, host: string, name: string, rate: string): void => {
  net.run(
    host,
    'tc',
    'qdisc',
    'replace',
    'dev',
    name,
    'root',
    'tbf',
    'rate',
    rate,
    'burst',
    '32kbit',
    'latency',
    '400ms',
  );
};

/** Undefined where packets can be filtered, or rates shaped, here. */
export const reasonAgainst = (tool: 'nft' | 'tc'): string | undefined =>
  spawnSync(tool, ['-V']).error === undefined ? undefined : `${tool} is not installed`;

const filter = (net: Namespaces, host: string, rules: string): void => {
  net.run(host, 'nft', `add table inet test; add chain inet test in { type filter hook input priority 0; }`);
  for (const rule of rules.split(';').map(text => text.trim()))
    if (rule !== '') net.run(host, 'nft', `add rule inet test in ${rule}`);
};
