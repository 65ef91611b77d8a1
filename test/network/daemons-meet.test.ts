// Whole daemons on hosts of their own meet in the networks that people have: they share a key, and find each other only by
// cables and the mesh.

import { describe, expect, it, type TestContext } from 'vitest';
import { type ClusterKey, makeClusterKey } from '../../src/mesh/key/cluster-key.ts';
import { clusterKeyPath, replaceClusterKeyFile } from '../../src/mesh/key/key-file.ts';
import { isLongRun } from '../support/counts.ts';
import type { SeenCluster } from './seen-cluster.ts';
import {
  dropBeacons,
  line,
  reasonAgainst,
  refuseIncoming,
  segment,
  shape,
  star,
  twoSubnets,
} from './shapes.ts';
import { sees, TestBed } from './test-bed.ts';

// Each wait has its own limit; a busy machine needs most of it.
describe('daemons on hosts of their own', { timeout: 120_000 }, () => {
  it('meet on one link-local segment with nothing but the key', async context => {
    await using bed = await TestBed.open(context);
    const hosts = ['atlas', 'juno', 'vesta'];
    segment(bed.net, hosts);
    await meet(bed, hosts, 'on one link-local segment');
  });

  it('meet through a node with two link-local cables, which passes on what it receives', async context => {
    await using bed = await TestBed.open(context);
    const hosts = ['left', 'middle', 'right'];
    line(bed.net, hosts);
    await meet(bed, hosts, 'by two link-local cables of one of them');
    const left = await bed.daemon('left').until('the right', sees('right'));
    const before = left.nodes['right']?.memory?.seq ?? 0;
    await bed
      .daemon('left')
      .until('newer readings of the right', ({ nodes }) => (nodes['right']?.memory?.seq ?? 0) > before);
  });

  it('meet across two subnets by the node that is in both, also with beacons dropped', async context => {
    needs(context, 'nft');
    await using bed = await TestBed.open(context);
    twoSubnets(bed.net, 'left', 'middle', 'right');
    for (const host of ['left', 'middle', 'right']) dropBeacons(bed.net, host);
    await meet(bed, ['left', 'middle', 'right'], 'by --peer across two subnets, beacons dropped', {
      left: ['10.1.0.2'],
      right: ['10.2.0.2'],
    });
  });

  it('meet where one of them takes no connection from outside and receives no beacon', async context => {
    needs(context, 'nft');
    await using bed = await TestBed.open(context);
    line(bed.net, ['walled', 'open']);
    refuseIncoming(bed.net, 'walled');
    const address = bed.net.linkLocalOf('open', 'to-walled');
    await meet(bed, ['walled', 'open'], 'through a one-way wall', { walled: [`[${address}%to-open]:4181`] });
  });

  it('meet again by beacon under a new key that they took over while they ran', async context => {
    if (!isLongRun) context.skip('daemons of its own: in npm run test:long');
    await using bed = await TestBed.open(context);
    const hosts = ['atlas', 'juno'];
    line(bed.net, hosts);
    const [first, next] = [makeClusterKey(), makeClusterKey()];
    const write = async (...keys: readonly [ClusterKey, ClusterKey?]): Promise<void> => {
      for (const host of hosts) await replaceClusterKeyFile(clusterKeyPath(bed.home(host)), ...keys);
    };
    await write(first);
    await meet(bed, hosts, 'by the first key', {}, 'home');
    await write(next, first);
    await write(next);
    await bed.kill('juno');
    const before = bed.daemon('atlas').latest?.nodes['juno']?.memory?.start ?? 0;
    bed.start('juno', { key: 'home' });
    const isNew = ({ nodes }: SeenCluster): boolean => (nodes['juno']?.memory?.start ?? 0) > before;
    await bed.all('the new life of juno', seen => isNew(seen) && sees(...hosts)(seen));
  });

  it('report which interface of --discovery is not there, and use it when it comes', async context => {
    await using bed = await TestBed.open(context);
    bed.net.addHost('atlas');
    const atlas = bed.start('atlas', { discovery: ['nope0'] });
    const isStated = ({ notices }: SeenCluster): boolean =>
      notices.some(text => text.startsWith('No interface nope0 with an address is up here'));
    await atlas.until('the missing interface', isStated);
    bed.net.addHost('other');
    bed.net.connect({ host: 'atlas', name: 'nope0' }, { host: 'other', name: 'en0' });
    await atlas.until('the interface that came', seen => !isStated(seen));
  });

  it('meet in a star of slow cables, each leaf with readings of the others', async context => {
    if (!isLongRun) context.skip('daemons of its own: in npm run test:long');
    needs(context, 'tc');
    await using bed = await TestBed.open(context);
    const hosts = ['hub', 'one', 'two', 'three'];
    star(bed.net, hosts);
    for (const host of hosts.slice(1)) {
      shape(bed.net, host, 'to-hub', '2mbit');
      shape(bed.net, 'hub', `to-${host}`, '2mbit');
    }
    await meet(bed, hosts, 'in a star of cables of 2 Mb/s');
  });
});

const meet = async (
  bed: TestBed,
  hosts: readonly string[],
  how: string,
  peers: Readonly<Record<string, readonly string[]>> = {},
  key: 'shared' | 'home' = 'shared',
): Promise<void> => {
  const startedMs = bed.elapsedMs;
  for (const host of hosts) bed.start(host, { peers: peers[host] ?? [], key });
  await bed.all(`all of ${hosts.join(', ')}`, sees(...hosts));
  console.info(
    `${hosts.length} daemons had live readings of each other ${bed.elapsedMs - startedMs} ms after their start, ${how}`,
  );
  expect(bed.daemons.every(({ isRunning }) => isRunning)).toBe(true);
};

const needs = (context: TestContext, tool: 'nft' | 'tc'): void => {
  const reason = reasonAgainst(tool);
  if (reason !== undefined) context.skip(reason);
};
