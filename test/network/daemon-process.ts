// A whole daemon for the network tests; prints the sorted names of the nodes that it knows whenever they change.

import { systemClock } from '../../src/clock/system-clock.ts';
import { nodeIds, nodeName } from '../../src/core/selectors.ts';
import { startDaemon } from '../../src/daemon/daemon.ts';

const settings: { home: string; keyFile: string; name: string; peers: string[] } = JSON.parse(
  process.argv[2] ?? '{}',
);
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());

const daemon = await startDaemon(
  {
    home: settings.home,
    env: process.env,
    http: { host: '127.0.0.1', port: 0 },
    name: settings.name,
    mesh: { keyFile: settings.keyFile, listen: undefined, peers: settings.peers },
    clock: systemClock,
    platform: process.platform,
    root: '/',
    version: '0.0.0',
    dashboardDir: undefined,
    pid: process.pid,
    resources: () => ({ cpuSeconds: 0, residentBytes: 0 }),
    onNotice: text => process.stderr.write(`${text}\n`),
  },
  stop.signal,
);

let told = '';
while (!stop.signal.aborted) {
  const names = nodeIds(daemon.state)
    .map(id => nodeName(daemon.state, id))
    .sort()
    .join(' ');
  if (names !== told) process.stdout.write(`${names}\n`);
  told = names;
  await systemClock.sleep(20, stop.signal).catch(() => undefined);
}
await daemon.stopped;
