// Whole daemons on hosts of their own: they share a cable and a key, and nothing else tells them of each other.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, type TestContext } from 'vitest';
import { makeClusterKey } from '../../src/mesh/key/cluster-key.ts';
import { createClusterKeyFile } from '../../src/mesh/key/key-file.ts';
import { Namespaces, reasonAgainstNamespaces } from './namespaces.ts';

const DAEMON = fileURLToPath(new URL('./daemon-process.ts', import.meta.url));

describe('daemons on hosts of their own', () => {
  let net: Namespaces;
  let folder: string;
  beforeEach(async (context: TestContext) => {
    const reason = reasonAgainstNamespaces();
    if (reason !== undefined) context.skip(reason);
    net = new Namespaces();
    folder = mkdtempSync(join(tmpdir(), 'plimsoll-net-'));
    await createClusterKeyFile(join(folder, 'cluster-key'), makeClusterKey());
  });
  afterEach(async () => {
    await net?.[Symbol.asyncDispose]();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  /** Starts a daemon; gives the names of the nodes that it knows, each time that they change. */
  const start = (host: string, options: { readonly peers?: readonly string[] } = {}) => {
    const settings = JSON.stringify({
      home: join(folder, host),
      keyFile: join(folder, 'cluster-key'),
      name: host,
      peers: options.peers ?? [],
    });
    const child = net.spawn(host, process.execPath, [DAEMON, settings]);
    return {
      child,
      until: async (names: readonly string[]): Promise<void> => {
        for await (const line of linesOf(child.stdout)) if (line === [...names].sort().join(' ')) return;
        throw new Error(`${host} ended without having seen ${names.join(', ')}`);
      },
    };
  };

  it('meet on a link-local cable with nothing but the key', async () => {
    net.addHost('atlas');
    net.addHost('juno');
    net.connect({ host: 'atlas', name: 'tb0' }, { host: 'juno', name: 'tb0' });
    const startedMs = performance.now();
    const atlas = start('atlas');
    const juno = start('juno');
    await Promise.all([atlas.until(['atlas', 'juno']), juno.until(['atlas', 'juno'])]);
    console.info(
      `two daemons met on a link-local cable ${Math.round(performance.now() - startedMs)} ms after their start`,
    );
  });

  it('meet through a node with two link-local cables, which passes on what it hears', async () => {
    for (const host of ['left', 'middle', 'right']) net.addHost(host);
    net.connect({ host: 'left', name: 'tb0' }, { host: 'middle', name: 'tb1' });
    net.connect({ host: 'middle', name: 'tb2' }, { host: 'right', name: 'tb0' });
    const startedMs = performance.now();
    const everybody = ['left', 'middle', 'right'];
    const daemons = everybody.map(host => start(host));
    await Promise.all(daemons.map(daemon => daemon.until(everybody)));
    console.info(
      `three daemons in a line knew each other after ${Math.round(performance.now() - startedMs)} ms`,
    );
    expect(daemons.every(({ child }) => child.exitCode === null)).toBe(true);
  });

  it('meet by --peer where no beacon gets through', async context => {
    if (!hasNft()) context.skip('nft is not installed');
    const deaf = join(folder, 'deaf.nft');
    writeFileSync(
      deaf,
      'table inet deaf { chain input { type filter hook input priority 0; udp dport 4182 drop; }; }',
    );
    net.addHost('atlas');
    net.addHost('juno');
    net.connect(
      { host: 'atlas', name: 'en0', ipv4: '10.7.0.1/24' },
      { host: 'juno', name: 'en0', ipv4: '10.7.0.2/24' },
    );
    for (const host of ['atlas', 'juno']) net.run(host, 'nft', '-f', deaf);
    const atlas = start('atlas');
    const juno = start('juno', { peers: ['10.7.0.1'] });
    await Promise.all([atlas.until(['atlas', 'juno']), juno.until(['atlas', 'juno'])]);
  });
});

const hasNft = (): boolean => spawnSync('nft', ['--version']).error === undefined;

async function* linesOf(stream: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let partial = '';
  for await (const chunk of stream) {
    const lines = (partial + chunk.toString()).split('\n');
    partial = lines.pop() ?? '';
    yield* lines;
  }
}
