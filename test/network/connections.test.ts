// Whole daemons on hosts of their own: which of their addresses they can reach, in which direction, as cables come and go.

import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, type TestContext } from 'vitest';
import { makeClusterKey } from '../../src/mesh/key/cluster-key.ts';
import { createClusterKeyFile } from '../../src/mesh/key/key-file.ts';
import { isLongRun } from '../support/counts.ts';
import { Namespaces, reasonAgainstNamespaces } from './namespaces.ts';

const DAEMON = fileURLToPath(new URL('./connections-process.ts', import.meta.url));

interface Seen {
  readonly lines: readonly string[];
  readonly offline: readonly string[];
  /** Line to the number of the fact that wrote it. */
  readonly seqs: Readonly<Record<string, number>>;
}

describe('connections between hosts of their own', () => {
  let net: Namespaces;
  let folder: string;
  beforeEach(async (context: TestContext) => {
    const reason = reasonAgainstNamespaces();
    if (reason !== undefined) context.skip(reason);
    net = new Namespaces();
    folder = mkdtempSync(join(tmpdir(), 'plimsoll-conn-'));
    await createClusterKeyFile(join(folder, 'cluster-key'), makeClusterKey());
  });
  afterEach(async () => {
    await net?.[Symbol.asyncDispose]();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  const start = (host: string) => {
    const settings = {
      home: join(folder, host),
      keyFile: join(folder, 'cluster-key'),
      name: host,
      peers: [],
    };
    const child = net.spawn(host, process.execPath, [DAEMON, JSON.stringify(settings)]);
    const lines = linesOf(child.stdout);
    let last: Seen = { lines: [], offline: [], seqs: {} };
    return {
      child,
      /** Reads on until it holds. */
      until: async (holds: (seen: Seen) => boolean): Promise<Seen> => {
        while (!holds(last)) {
          const { value, done } = await lines.next();
          if (done === true) throw new Error(`${host} ended; the last that it saw: ${last.lines.join(', ')}`);
          last = JSON.parse(value);
        }
        return last;
      },
    };
  };

  /** Two hosts with two cables: the first with IPv4 and IPv6, the second link-local only. */
  const twoCables = (): { readonly everything: readonly string[] } => {
    net.addHost('atlas');
    net.addHost('juno');
    net.connect(
      { host: 'atlas', name: 'en0', ipv4: '10.7.0.1/24' },
      { host: 'juno', name: 'en0', ipv4: '10.7.0.2/24' },
    );
    net.ip('atlas', 'addr', 'add', 'fd07::1/64', 'dev', 'en0', 'nodad');
    net.ip('juno', 'addr', 'add', 'fd07::2/64', 'dev', 'en0', 'nodad');
    net.connect({ host: 'atlas', name: 'tb0' }, { host: 'juno', name: 'tb1' });
    return {
      everything: [
        'atlas juno 10.7.0.2 en0',
        'atlas juno fd07::2 en0',
        `atlas juno ${net.linkLocalOf('juno', 'en0')}%en0 en0`,
        `atlas juno ${net.linkLocalOf('juno', 'tb1')}%tb0 tb0`,
        'juno atlas 10.7.0.1 en0',
        'juno atlas fd07::1 en0',
        `juno atlas ${net.linkLocalOf('atlas', 'en0')}%en0 en0`,
        `juno atlas ${net.linkLocalOf('atlas', 'tb0')}%tb1 tb1`,
      ].sort(),
    };
  };

  it('are found on every address of every cable, in both directions', async () => {
    const { everything } = twoCables();
    const startedMs = performance.now();
    const atlas = start('atlas');
    const juno = start('juno');
    await Promise.all([atlas, juno].map(({ until }) => until(({ lines }) => isEqual(lines, everything))));
    console.info(`all 8 connections known at both ends ${sinceMs(startedMs)} ms after the start`);
  });

  it('close when their cable is pulled, and only those; and open again when it is back', async () => {
    const { everything } = twoCables();
    const [atlas, juno] = [start('atlas'), start('juno')];
    await Promise.all([atlas, juno].map(({ until }) => until(({ lines }) => isEqual(lines, everything))));
    const cutMs = performance.now();
    net.ip('juno', 'link', 'set', 'tb1', 'down');
    const left = everything.filter(line => !line.includes('tb'));
    await Promise.all([atlas, juno].map(({ until }) => until(({ lines }) => isEqual(lines, left))));
    console.info(`both directions of a pulled cable closed after ${sinceMs(cutMs)} ms`);
    const backMs = performance.now();
    net.ip('juno', 'link', 'set', 'tb1', 'up');
    await Promise.all([atlas, juno].map(({ until }) => until(({ lines }) => isEqual(lines, everything))));
    console.info(`and opened again after ${sinceMs(backMs)} ms`);
  });

  it('are shown in the one direction that a firewall lets through', async context => {
    if (spawnSync('nft', ['--version']).error !== undefined) context.skip('nft is not installed');
    net.addHost('atlas');
    net.addHost('juno');
    net.connect(
      { host: 'atlas', name: 'en0', ipv4: '10.7.0.1/24' },
      { host: 'juno', name: 'en0', ipv4: '10.7.0.2/24' },
    );
    const wall = join(folder, 'wall.nft');
    writeFileSync(
      wall,
      'table inet wall { chain input { type filter hook input priority 0; ct state established accept; icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept; udp dport 4182 accept; drop; }; }',
    );
    net.run('juno', 'nft', '-f', wall);
    const [atlas, juno] = [start('atlas'), start('juno')];
    const possible = ['juno atlas 10.7.0.1 en0', `juno atlas ${net.linkLocalOf('atlas', 'en0')}%en0 en0`];
    for (const { until } of [atlas, juno])
      expect((await until(({ lines }) => lines.length >= 2)).lines).toEqual(possible);
  });

  it('follow an address that a node gives up for another one', async ({ skip }) => {
    if (!isLongRun) skip('six seconds of asking again: in npm run test:long');
    const { everything } = twoCables();
    const [atlas, juno] = [start('atlas'), start('juno')];
    await Promise.all([atlas, juno].map(({ until }) => until(({ lines }) => isEqual(lines, everything))));
    const movedMs = performance.now();
    net.ip('juno', 'addr', 'del', '10.7.0.2/24', 'dev', 'en0');
    net.ip('juno', 'addr', 'add', '10.7.0.77/24', 'dev', 'en0');
    const moved = everything.map(line => line.replace('10.7.0.2 ', '10.7.0.77 ')).sort();
    await Promise.all([atlas, juno].map(({ until }) => until(({ lines }) => isEqual(lines, moved))));
    console.info(`a new address was connected, and the old one closed, after ${sinceMs(movedMs)} ms`);
  });

  it('of a daemon that was killed are asked again when it is back: what went meanwhile closes, the rest stays', async ({
    skip,
  }) => {
    if (!isLongRun) skip('two daemons of its own: in the long run');
    const { everything } = twoCables();
    const juno = start('juno');
    const before = start('atlas');
    await Promise.all([before, juno].map(({ until }) => until(({ lines }) => isEqual(lines, everything))));
    const { seqs } = await before.until(({ lines }) => isEqual(lines, everything));
    before.child.kill('SIGKILL');
    await once(before.child, 'exit');
    net.ip('juno', 'link', 'set', 'tb1', 'down');
    const left = everything.filter(line => !line.includes('tb'));
    const after = start('atlas');
    const startedMs = performance.now();
    const seen = await after.until(({ lines }) => isEqual(lines, left));
    console.info(`what was left over closed ${sinceMs(startedMs)} ms after the start`);
    for (const line of left.filter(one => one.startsWith('atlas')))
      expect(seen.seqs[line], `${line} was not written again`).toBe(seqs[line]);
  });

  it('close when the other node dies', async () => {
    const { everything } = twoCables();
    const [atlas, juno] = [start('atlas'), start('juno')];
    await Promise.all([atlas, juno].map(({ until }) => until(({ lines }) => isEqual(lines, everything))));
    const killedMs = performance.now();
    juno.child.kill('SIGKILL');
    await atlas.until(({ lines }) => lines.every(line => !line.startsWith('atlas')));
    console.info(`connections to a killed node closed after ${sinceMs(killedMs)} ms`);
  });
});

const isEqual = (one: readonly string[], other: readonly string[]): boolean => one.join() === other.join();
const sinceMs = (fromMs: number): number => Math.round(performance.now() - fromMs);

async function* linesOf(stream: AsyncIterable<Buffer>): AsyncGenerator<string, undefined> {
  let partial = '';
  for await (const chunk of stream) {
    const lines = (partial + chunk.toString()).split('\n');
    partial = lines.pop() ?? '';
    yield* lines;
  }
}
