// Real beacons between hosts made of network namespaces: cables, not this machine's network.

import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { BeaconTrouble, DiscoveryStatus } from '../../../src/mesh/discovery/discovery-status.ts';
import type { MeshCandidate } from '../../../src/mesh/mesh.ts';
import { Namespaces, reasonAgainstNamespaces } from '../../network/namespaces.ts';
import { isLongRun } from '../../support/counts.ts';

const KEY = '11'.repeat(32);
const OTHER_KEY = '22'.repeat(32);
const PROCESS = fileURLToPath(new URL('./discovery-process.ts', import.meta.url));

interface AgentReply {
  readonly candidate?: MeshCandidate;
  readonly trouble?: BeaconTrouble;
  readonly status?: DiscoveryStatus;
}

type Listener = (check: (reported: AgentReply) => boolean) => Promise<AgentReply>;

describe('beacons', () => {
  let net: Namespaces;

  beforeEach(context => {
    const reason = reasonAgainstNamespaces();
    if (reason !== undefined) context.skip(reason);
    net = new Namespaces();
    for (const host of ['a', 'b', 'c']) net.addHost(host);
  });

  afterEach(() => net?.[Symbol.asyncDispose]());

  /** Starts discovery in a host; gives a function that waits for a line, looking from the first one on. */
  const start = (host: string, tagKey = KEY, port = 4181): Listener => {
    const settings = JSON.stringify({ tagKey, listenPort: port });
    const child = net.spawn(host, process.execPath, [PROCESS, settings]);
    const reported: AgentReply[] = [];
    let wake = (): void => undefined;
    createInterface(child.stdout).on('line', line => {
      reported.push(JSON.parse(line));
      wake();
    });
    return async check => {
      for (let at = 0; ; at += 1) {
        while (at >= reported.length) {
          const { promise, resolve } = Promise.withResolvers<void>();
          wake = resolve;
          await promise;
        }
        const one = reported[at];
        if (one !== undefined && check(one)) return one;
      }
    };
  };

  const receives = async (listen: Listener, address: string): Promise<MeshCandidate | undefined> =>
    (await listen(({ candidate }) => candidate?.address === address)).candidate;

  test('two hosts with only link-local IPv6 discover each other, each with the exact scope', async () => {
    net.connect({ host: 'a', name: 'cable-a' }, { host: 'b', name: 'cable-b' });
    const a = start('a', KEY, 4181);
    const b = start('b', KEY, 5000);
    const ofB = `${net.linkLocalOf('b', 'cable-b')}%cable-a`;
    const ofA = `${net.linkLocalOf('a', 'cable-a')}%cable-b`;
    expect(await receives(a, ofB)).toEqual({
      address: ofB,
      port: 5000,
      source: 'beacon',
      interfaceName: 'cable-a',
    });
    expect(await receives(b, ofA)).toEqual({
      address: ofA,
      port: 4181,
      source: 'beacon',
      interfaceName: 'cable-b',
    });
  });

  test('a host with two cables receives from each neighbour on its own cable, and they do not receive from one another', async () => {
    net.connect({ host: 'b', name: 'left' }, { host: 'a', name: 'cable' });
    net.connect({ host: 'b', name: 'right' }, { host: 'c', name: 'cable' });
    const b = start('b');
    const a = start('a');
    start('c');
    const ofA = `${net.linkLocalOf('a', 'cable')}%left`;
    const ofC = `${net.linkLocalOf('c', 'cable')}%right`;
    expect((await receives(b, ofA))?.interfaceName).toBe('left');
    expect((await receives(b, ofC))?.interfaceName).toBe('right');
    await receives(a, `${net.linkLocalOf('b', 'left')}%cable`);
    const { status } = await b(({ status }) => (status?.candidateCount ?? 0) >= 2);
    expect(status?.candidateCount).toBe(2);
  });

  test('two hosts that have only IPv4, and no route but that of their cable, discover each other', async ({
    skip,
  }) => {
    if (!isLongRun) skip('namespaces of its own: in the long run');
    for (const host of ['a', 'b']) net.run(host, 'sysctl', '-qw', 'net.ipv6.conf.default.disable_ipv6=1');
    net.connect(
      { host: 'a', name: 'cable', ipv4: '10.1.0.1/24' },
      { host: 'b', name: 'cable', ipv4: '10.1.0.2/24' },
    );
    const a = start('a');
    const b = start('b');
    expect((await receives(a, '10.1.0.2'))?.interfaceName).toBe('cable');
    await receives(b, '10.1.0.1');
  });

  test('a host with another key receives nothing, is ignored, and is counted', async () => {
    net.connect({ host: 'a', name: 'cable' }, { host: 'b', name: 'cable' });
    const a = start('a');
    const b = start('b', OTHER_KEY);
    for (const listen of [a, b]) {
      const { status } = await listen(
        reported => reported.status?.channels.some(one => one.otherKeyCount > 0) ?? false,
      );
      expect(status?.candidateCount).toBe(0);
      expect(status?.channels.every(({ receivedCount }) => receivedCount === 0)).toBe(true);
    }
  });

  test('a cable that is plugged in later is used, and again after it was pulled', async ({ skip }) => {
    if (!isLongRun) skip('eight seconds of waiting for beacons: in npm run test:long');
    const a = start('a');
    start('b');
    await a(({ status }) => status !== undefined);
    net.connect({ host: 'a', name: 'cable' }, { host: 'b', name: 'cable' });
    await receives(a, `${net.linkLocalOf('b', 'cable')}%cable`);
    net.ip('a', 'link', 'del', 'cable');
    // The new cable has new addresses: each veth is born with a random one.
    net.connect({ host: 'a', name: 'cable' }, { host: 'b', name: 'cable' });
    await receives(a, `${net.linkLocalOf('b', 'cable')}%cable`);
  });

  test('an interface that cannot send reports it and silences no other', async ({ skip }) => {
    if (!isLongRun) skip('a namespace of its own: in the long run');
    net.connect({ host: 'b', name: 'left' }, { host: 'a', name: 'cable' });
    net.connect({ host: 'b', name: 'right' }, { host: 'c', name: 'cable' });
    const multicastRoute = ['multicast', 'ff00::/8', 'dev', 'left', 'table', 'local'];
    net.ip('b', '-6', 'route', 'del', ...multicastRoute);
    const b = start('b');
    const c = start('c');
    const { trouble } = await b(reported => reported.trouble !== undefined);
    expect(trouble).toEqual({ interfaceName: 'left', family: 'IPv6', action: 'send', code: 'ENETUNREACH' });
    await receives(c, `${net.linkLocalOf('b', 'right')}%cable`);
    net.ip('b', '-6', 'route', 'add', ...multicastRoute);
    await b(
      ({ status }) =>
        status?.channels.every(({ failure, sentCount }) => failure === undefined && sentCount > 0) ?? false,
    );
  });
});
