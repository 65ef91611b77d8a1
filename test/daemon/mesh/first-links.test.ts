import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock/system-clock.ts';
import { Lifetimes } from '../../../src/daemon/lifetimes.ts';
import { openOwnNode } from '../../../src/daemon/local-node.ts';
import { openDaemonMesh } from '../../../src/daemon/mesh/daemon-mesh.ts';
import { clusterKeyPath, createClusterKeyFile } from '../../../src/mesh/key/key-file.ts';
import { until } from '../../support/seen-node.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { dial, TlsNodes } from '../../support/tls-nodes.ts';

describe('a daemon that starts next to its peers', () => {
  it('takes no link before its replication listens, and every one that waited when it does', async () => {
    using folder = temporaryDirectory();
    await using nodes = new TlsNodes();
    await using lifetimes = new Lifetimes();
    const home = join(folder.path, 'home');
    const node = await openOwnNode(optionsOf(home), lifetimes);
    await createClusterKeyFile(clusterKeyPath(home), nodes.key);
    const mesh = await openDaemonMesh({
      ...node,
      home,
      clock: systemClock,
      plimsollVersion: '0.0.0-test',
      keyFile: undefined,
      listen: { host: '127.0.0.1', port: 0, isExplicit: true },
      peers: [],
      discovery: { kind: 'off' },
      ignoredInterfaces: [],
      fleet: undefined,
      isChosen: () => true,
    });
    if (mesh === undefined) throw new Error('there is a key');
    lifetimes.addAsync(mesh);
    const peer = await nodes.node({ limits: { dialTimeoutMs: 300 } });
    dial(peer, mesh.listensOn?.port ?? 0);
    await until(peer, () => peer.links.length > 0 || peer.refusals.length > 0);
    expect(peer.links, 'a link that nobody here would hear').toEqual([]);
    const stop = new AbortController();
    const running = [mesh.replicate(stop.signal), mesh.run(stop.signal)];
    await until(peer, () => peer.links.length > 0);
    stop.abort();
    await Promise.allSettled(running);
  });
});

const optionsOf = (home: string): Parameters<typeof openOwnNode>[0] => ({
  home,
  env: process.env,
  http: { host: '127.0.0.1', port: 0 },
  name: 'late',
  clock: systemClock,
  platform: process.platform,
  root: '/',
  version: '0.0.0-test',
  dashboardDir: undefined,
  pid: process.pid,
  resources: () => ({ cpuSeconds: 0, residentBytes: 0 }),
  onNotice: () => undefined,
});
