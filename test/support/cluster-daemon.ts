// Real daemons of one cluster in this process, on loopback: each with a home of its own and the same key.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../src/clock/system-clock.ts';
import { startDaemon } from '../../src/daemon/daemon.ts';
import type { Daemon, DaemonOptions } from '../../src/daemon/daemon-options.ts';
import { openNodeKey } from '../../src/daemon/node-key.ts';
import { makeClusterKey } from '../../src/mesh/key/cluster-key.ts';
import { clusterKeyPath, createClusterKeyFile } from '../../src/mesh/key/key-file.ts';
import type { NatsServer } from './nats-server.ts';

const KEY = makeClusterKey();

interface ClusterDaemonMore extends Partial<Pick<DaemonOptions, 'probes'>> {
  /** Addresses of other nodes that it is given. */
  readonly peers?: readonly string[];
  /** The server of a fleet in which it is, with a stream for its last values. */
  readonly fleet?: NatsServer;
}

export const clusterDaemon = async (
  home: string,
  name: string,
  config: string,
  { peers = [], fleet, ...more }: ClusterDaemonMore = {},
): Promise<Daemon> => {
  await mkdir(home, { mode: 0o700 });
  const fleetConfig = fleet === undefined ? '' : `[fleet]\nservers = ["${fleet.url}"]\n`;
  await writeFile(join(home, 'config.toml'), config + fleetConfig);
  const { nodeId } = await openNodeKey(home);
  await fleet?.createStreams({ cluster: 'plimsoll', nodes: [nodeId] });
  await createClusterKeyFile(clusterKeyPath(home), KEY);
  return await startDaemon(
    {
      home,
      env: process.env,
      http: { host: '127.0.0.1', port: 0 },
      name,
      mesh: { keyFile: undefined, listen: { host: '127.0.0.1', port: 0 }, peers },
      clock: systemClock,
      platform: process.platform,
      root: '/',
      version: '0.0.0',
      dashboardDir: undefined,
      pid: process.pid,
      resources: () => ({ cpuSeconds: 0, residentBytes: 0 }),
      onNotice: () => undefined,
      ...more,
    },
    new AbortController().signal,
  );
};
