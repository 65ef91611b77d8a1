// `plimsoll doctor` on a host whose peers cannot be linked, each for another reason: it shows which reason, and what to do.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, type TestContext } from 'vitest';
import { makeClusterKey } from '../../src/mesh/key/cluster-key.ts';
import { createClusterKeyFile } from '../../src/mesh/key/key-file.ts';
import { isLongRun } from '../support/counts.ts';
import { PROGRAM } from '../support/program.ts';
import { type HostProcess, Namespaces, reasonAgainstNamespaces } from './namespaces.ts';

interface Check {
  readonly section: string;
  readonly verdict: string;
  readonly text: string;
  readonly advice: string;
}

describe('plimsoll doctor', () => {
  let net: Namespaces;
  let folder: string;
  beforeEach(async (context: TestContext) => {
    const reason = reasonAgainstNamespaces();
    if (reason !== undefined) context.skip(reason);
    net = new Namespaces();
    folder = mkdtempSync(join(tmpdir(), 'plimsoll-why-'));
    for (const name of ['key', 'other-key']) await createClusterKeyFile(join(folder, name), makeClusterKey());
  });
  afterEach(async () => {
    await net?.[Symbol.asyncDispose]();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  const up = async (host: string, key: string, ...more: readonly string[]): Promise<HostProcess> => {
    const home = join(folder, host);
    const child = net.spawn(host, process.execPath, [
      ...[PROGRAM, 'up', '--home', home, '--name', host, '--cluster-key-file', join(folder, key)],
      ...['--http', '127.0.0.1:0', '--no-open', '--probes', 'off', ...more],
    ]);
    let text = '';
    for await (const chunk of child.stdout) {
      text += chunk.toString();
      if (text.includes('Dashboard')) break;
    }
    return child;
  };

  /** Repeats the request until every one of the words is in a check of the mesh. */
  const meshChecksWith = async (host: string, patterns: readonly RegExp[]): Promise<readonly Check[]> => {
    for (;;) {
      const requested = net.spawn(host, process.execPath, [
        PROGRAM,
        'doctor',
        '--home',
        join(folder, host),
        '--json',
      ]);
      let text = '';
      for await (const chunk of requested.stdout) text += chunk.toString();
      const { checks }: { checks: readonly Check[] } = JSON.parse(text);
      const mesh = checks.filter(({ section }) => section === 'mesh');
      if (patterns.every(pattern => mesh.some(check => pattern.test(`${check.verdict} ${check.text}`))))
        return mesh;
    }
  };

  it('distinguishes a closed port, a missing route, a firewall, another key and a silent cable', async context => {
    if (spawnSync('nft', ['--version']).error !== undefined) context.skip('nft is not installed');
    for (const host of ['atlas', 'juno', 'vesta', 'ceres']) net.addHost(host);
    const cables = [
      ['juno', 'en0', '10.7.1'],
      ['vesta', 'en1', '10.7.2'],
      ['ceres', 'en2', '10.7.3'],
    ] as const;
    for (const [host, name, network] of cables) {
      const atlas = { host: 'atlas', name, ipv4: `${network}.1/24` };
      net.connect(atlas, { host, name: 'en0', ipv4: `${network}.2/24` });
    }
    const wall = join(folder, 'wall.nft');
    writeFileSync(wall, 'table inet wall { chain input { type filter hook input priority 0; drop; }; }');
    net.run('ceres', 'nft', '-f', wall);
    await up('vesta', 'other-key');
    const peers = ['10.7.1.2', '10.7.2.2', '10.7.3.2', '10.99.0.1', '10.7.1.1', 'nobody.invalid'];
    await up('atlas', 'key', ...peers.flatMap(peer => ['--peer', peer]));
    const checks = await meshChecksWith('atlas', [
      /^problem 10\.7\.1\.2:4181 is not connected: .*nothing listens on that port/,
      /^problem 10\.7\.2\.2:4181 is not connected: .*cluster key/,
      /^problem 10\.7\.3\.2:4181 is not connected: .*no answer/,
      /^problem 10\.99\.0\.1:4181 is not connected: .*no route/,
      /^problem nobody\.invalid:4181 is not connected: /,
      /^note 10\.7\.1\.1:4181, configured as a peer, is this node itself/,
      /^note no beacon received on interface en0/,
      /^problem on interface en1 only beacons of another cluster key are received/,
    ]);
    for (const { text, verdict, advice } of checks) {
      console.info(`${verdict} ${text} | ${advice}`);
      if (verdict === 'problem' && text.includes('not connected')) expect(advice).not.toBe('');
    }
  });

  it('reports that a linked node answers no question of reachability where a firewall lets only TCP in', async context => {
    if (spawnSync('nft', ['--version']).error !== undefined) context.skip('nft is not installed');
    net.addHost('atlas');
    net.addHost('juno');
    net.connect({ host: 'atlas', name: 'tb0' }, { host: 'juno', name: 'tb0' });
    const wall = join(folder, 'wall.nft');
    writeFileSync(
      wall,
      'table inet wall { chain input { type filter hook input priority 0; udp dport 4181 drop; }; }',
    );
    net.run('juno', 'nft', '-f', wall);
    await Promise.all([up('juno', 'key'), up('atlas', 'key')]);
    const checks = await meshChecksWith('atlas', [/^problem no connection to juno is open/]);
    console.info(checks.map(({ text, verdict, advice }) => `${verdict} ${text} | ${advice}`).join('\n'));
    await meshChecksWith('juno', [/^ok atlas is linked/]);
  });

  it('finds nodes linked that could only learn of each other through a third one', async context => {
    if (!isLongRun) context.skip('three daemons and ten seconds: in npm run test:long');
    if (spawnSync('nft', ['--version']).error !== undefined) context.skip('nft is not installed');
    const everybody = ['atlas', 'juno', 'vesta'];
    net.addHost('switch');
    net.ip('switch', 'link', 'add', 'br0', 'type', 'bridge');
    net.ip('switch', 'link', 'set', 'br0', 'up');
    const deaf = join(folder, 'deaf.nft');
    writeFileSync(
      deaf,
      'table inet deaf { chain input { type filter hook input priority 0; udp dport 4182 drop; }; }',
    );
    for (const host of everybody) {
      net.addHost(host);
      net.connect({ host: 'switch', name: `p-${host}` }, { host, name: 'en0' });
      net.ip('switch', 'link', 'set', `p-${host}`, 'master', 'br0');
      net.run(host, 'nft', '-f', deaf);
    }
    const peer = net.linkLocalOf('atlas', 'en0');
    await up('atlas', 'key');
    await Promise.all(['juno', 'vesta'].map(host => up(host, 'key', '--peer', peer)));
    await Promise.all([
      meshChecksWith('juno', [/^ok atlas is linked/, /^ok vesta is linked at \[fe80:.*%en0\]/]),
      meshChecksWith('vesta', [/^ok atlas is linked/, /^ok juno is linked at \[fe80:.*%en0\]/]),
    ]);
  });

  it('reports who is linked, who went, and since when', async () => {
    net.addHost('atlas');
    net.addHost('juno');
    net.connect({ host: 'atlas', name: 'tb0' }, { host: 'juno', name: 'tb0' });
    const [juno] = await Promise.all([up('juno', 'key'), up('atlas', 'key')]);
    await meshChecksWith('atlas', [/^ok juno is linked at \[fe80:.*%tb0\]/]);
    juno.kill('SIGKILL');
    const checks = await meshChecksWith('atlas', [/^note juno has no link, last seen/]);
    for (const { text, verdict, advice } of checks) console.info(`${verdict} ${text} | ${advice}`);
  });
});
