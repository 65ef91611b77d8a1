// What datagrams show of a path between two hosts: the largest packet that passes it undivided, what it loses, and what it reorders.

import { fileURLToPath } from 'node:url';
import { expect, it, type TestContext } from 'vitest';
import { shareInterval } from '../../src/core/statistics/share-interval.ts';
import { isKnown, type Reported } from '../../src/core/unknown.ts';
import type { LinkMeasurement } from '../../src/probe/probe.ts';
import { LongCable, reasonAgainstLongCables } from './long-cable.ts';
import { reasonAgainstNamespaces } from './namespaces.ts';
import { reasonAgainst } from './shapes.ts';
import { outputOf, TwoHosts } from './two-hosts.ts';

it('the MTU of a path is that of its narrowest link, from both ends', async context => {
  await using hosts = routed(context, { source: 9_000, between: 1_400, sink: 9_000 });
  const { uploadMtuBytes, downloadMtuBytes } = await measured(hosts, BEHIND_ROUTER);
  expect({ uploadMtuBytes, downloadMtuBytes }).toEqual({ uploadMtuBytes: 1_400, downloadMtuBytes: 1_400 });
}, 60_000);

it('each direction has the MTU of the links that it takes', async context => {
  await using hosts = routed(context, { source: 9_000, between: 9_000, sink: 9_000 });
  // Its answers go another way: over a link of 1,500 bytes.
  joined(hosts, 'router', 'sink', { name: 'back', subnet: '10.3.0', mtuBytes: 1_500 });
  hosts.net.ip('sink', 'route', 'replace', '10.1.0.0/24', 'via', '10.3.0.1', 'src', BEHIND_ROUTER);
  const { uploadMtuBytes, downloadMtuBytes } = await measured(hosts, BEHIND_ROUTER);
  expect({ uploadMtuBytes, downloadMtuBytes }).toEqual({ uploadMtuBytes: 9_000, downloadMtuBytes: 1_500 });
}, 60_000);

it('a direct cable with nothing but link-local addresses has an MTU too', async context => {
  const reason = reasonAgainstNamespaces();
  if (reason !== undefined) context.skip(reason);
  await using hosts = new TwoHosts();
  hosts.net.connect({ host: 'source', name: 'cable' }, { host: 'sink', name: 'cable' });
  for (const host of ['source', 'sink']) hosts.net.ip(host, 'link', 'set', 'cable', 'mtu', '4000');
  const address = `${hosts.net.linkLocalOf('sink', 'cable')}%cable`;
  expect(await measured(hosts, address)).toMatchObject({
    uploadMtuBytes: 4_000,
    downloadMtuBytes: 4_000,
    uploadLossShare: 0,
    downloadLossShare: 0,
  });
}, 60_000);

it('a path loses what it loses, in that direction; what its sender never sent is not among it', async context => {
  const missing = reasonAgainst('nft');
  if (missing !== undefined) context.skip(missing);
  await using hosts = routed(context, { source: 1_500, between: 1_500, sink: 1_500 });
  const drops = (host: string, hook: string, share: number): void => {
    const rule = ['ip', 'saddr', '10.1.0.1', 'meta', 'l4proto', 'udp', 'numgen', 'random', 'mod', '100'];
    hosts.net.run(host, 'nft', 'add table ip lossy');
    hosts.net.run(host, 'nft', `add chain ip lossy ${hook} { type filter hook ${hook} priority 0; }`);
    hosts.net.run(host, 'nft', ['add', 'rule', 'ip', 'lossy', hook, ...rule, '<', share, 'drop'].join(' '));
  };
  drops('router', 'forward', 5);
  drops('source', 'output', 30);
  const measurement = await measured(hosts, BEHIND_ROUTER);
  const sent = known(measurement.uploadDatagrams);
  const lost = Math.round(known(measurement.uploadLossShare) * sent);
  const { low, high } = shareInterval({ hits: lost, of: sent, confidence: 0.9999 });
  context.annotate(`${lost} of ${sent} lost`);
  expect(sent).toBeLessThan(1_600);
  expect(low).toBeLessThan(0.05);
  expect(high).toBeGreaterThan(0.05);
  expect(measurement.downloadLossShare).toBe(0);
  expect(measurement.downloadDatagrams).toBe(2_000);
  expect(measurement.uploadReorderedShare).toBe(0);
}, 60_000);

it('what the sender’s own queue drops was not sent', async context => {
  for (const tool of ['nft', 'tc'] as const) {
    const reason = reasonAgainst(tool);
    if (reason !== undefined) context.skip(reason);
  }
  await using hosts = routed(context, { source: 1_500, between: 1_500, sink: 1_500 });
  hosts.net.run('source', 'tc', ...'qdisc add dev first root tbf rate 5mbit burst 5k limit 20k'.split(' '));
  hosts.net.run('router', 'nft', 'add table ip seen');
  hosts.net.run('router', 'nft', 'add chain ip seen arriving { type filter hook prerouting priority 0; }');
  hosts.net.run('router', 'nft', 'add rule ip seen arriving udp dport 4199 counter');
  const sender = hosts.spawn('source', process.execPath, [TRAIN, '10.1.0.1', BEHIND_ROUTER, '1000']);
  const sent = Number(await outputOf(sender));
  const arrived = /packets (\d+)/.exec(hosts.net.run('router', 'nft', 'list chain ip seen arriving'))?.[1];
  context.annotate(`${sent} of 1000 sent`);
  expect(sent).toBeLessThan(600);
  // The last few may still wait in the queue.
  expect(sent - Number(arrived)).toBeGreaterThanOrEqual(0);
  expect(sent - Number(arrived)).toBeLessThan(20);
}, 60_000);

it('datagrams that take a longer cable arrive out of order, and are not lost', async context => {
  const reason = reasonAgainstLongCables();
  if (reason !== undefined) context.skip(reason);
  const missing = reasonAgainst('nft');
  if (missing !== undefined) context.skip(missing);
  const way = { mbit: 100, delayMs: 5, queueBytes: 1_000_000 };
  await using hosts = await LongCable.open({ up: way, down: way, congestionControl: 'cubic' });
  joined(hosts, 'source', 'sink', { name: 'near', subnet: '10.2.0', mtuBytes: 1_500 });
  // Every tenth takes the cable of 5 ms.
  hosts.net.run('source', 'nft', 'add table ip far');
  hosts.net.run('source', 'nft', 'add chain ip far output { type route hook output priority 0; }');
  hosts.net.run(
    'source',
    'nft',
    'add rule ip far output meta l4proto udp numgen inc mod 10 == 0 meta mark set 7',
  );
  hosts.net.ip('source', 'rule', 'add', 'fwmark', '7', 'table', '7');
  hosts.net.ip('source', 'route', 'add', NEAR, 'dev', 'far0', 'table', '7');
  const measurement = await measured(hosts, NEAR);
  expect(measurement.uploadLossShare).toBe(0);
  expect(known(measurement.uploadReorderedShare)).toBeGreaterThan(0.095);
  expect(known(measurement.uploadReorderedShare)).toBeLessThan(0.105);
  expect(measurement.downloadReorderedShare).toBe(0);
}, 60_000);

it('a firewall that drops UDP leaves the other figures, and is the reason', async context => {
  const missing = reasonAgainst('nft');
  if (missing !== undefined) context.skip(missing);
  await using hosts = routed(context, { source: 1_500, between: 1_500, sink: 1_500 });
  hosts.net.run('sink', 'nft', 'add table ip wall');
  hosts.net.run('sink', 'nft', 'add chain ip wall input { type filter hook input priority 0; }');
  hosts.net.run('sink', 'nft', 'add rule ip wall input meta l4proto udp drop');
  const measurement = await measured(hosts, BEHIND_ROUTER);
  const filtered = { kind: 'unknown', reason: 'not one UDP datagram arrived: a firewall drops them' };
  expect(measurement.uploadLossShare).toEqual(filtered);
  expect(measurement.downloadMtuBytes).toEqual(filtered);
  expect(isKnown(measurement.uploadBitsPerSecond)).toBe(true);
}, 60_000);

interface Mtus {
  readonly source: number;
  /** Of the link between the router and the sink's router. */
  readonly between: number;
  readonly sink: number;
}

/** source – router – router – sink. */
const routed = (context: TestContext, { source, between, sink }: Mtus): TwoHosts => {
  const reason = reasonAgainstNamespaces();
  if (reason !== undefined) context.skip(reason);
  const hosts = new TwoHosts();
  const { net } = hosts;
  for (const router of ['router', 'far-router']) {
    net.addHost(router);
    net.run(router, 'sysctl', '-qw', 'net.ipv4.ip_forward=1');
  }
  joined(hosts, 'source', 'router', { name: 'first', subnet: '10.1.0', mtuBytes: source });
  joined(hosts, 'router', 'far-router', { name: 'middle', subnet: '10.9.0', mtuBytes: between });
  joined(hosts, 'far-router', 'sink', { name: 'last', subnet: '10.2.0', mtuBytes: sink });
  net.ip('source', 'route', 'add', 'default', 'via', '10.1.0.2');
  net.ip('router', 'route', 'add', '10.2.0.0/24', 'via', '10.9.0.2');
  net.ip('far-router', 'route', 'add', '10.1.0.0/24', 'via', '10.9.0.1');
  net.ip('sink', 'route', 'add', 'default', 'via', '10.2.0.1');
  return hosts;
};

interface Joint {
  /** Of both interfaces. */
  readonly name: string;
  readonly subnet: string;
  readonly mtuBytes: number;
}

const joined = ({ net }: TwoHosts, one: string, other: string, { name, subnet, mtuBytes }: Joint): void => {
  net.connect({ host: one, name, ipv4: `${subnet}.1/24` }, { host: other, name, ipv4: `${subnet}.2/24` });
  for (const host of [one, other]) net.ip(host, 'link', 'set', name, 'mtu', String(mtuBytes));
};

const measured = async (hosts: TwoHosts, address: string): Promise<LinkMeasurement> => {
  const outcome = await hosts.probe(address);
  if (outcome.kind === 'failed') throw new Error(outcome.reason);
  return outcome.measurement;
};

const known = (figure: Reported<number>): number => {
  if (!isKnown(figure)) throw new Error(figure.reason);
  return figure;
};

const TRAIN = fileURLToPath(new URL('./train-process.ts', import.meta.url));
const BEHIND_ROUTER = '10.2.0.2';
const NEAR = '10.2.0.2';
