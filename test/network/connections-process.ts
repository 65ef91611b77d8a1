// A whole daemon for the tests of connections: prints, whenever they change, all connections that it knows, each as
// "source sink address interface", the nodes by their names.

import { systemClock } from '../../src/clock/system-clock.ts';
import { entriesOf, nodeIds, nodeName, presence } from '../../src/core/selectors.ts';
import { isKnown } from '../../src/core/unknown.ts';
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
    onNotice: text => process.stderr.write(`${settings.name}: ${text}\n`),
  },
  stop.signal,
);

let told = '';
while (!stop.signal.aborted) {
  const { state } = daemon;
  const seqs: Record<string, number> = {};
  for (const source of nodeIds(state)) {
    for (const sinks of entriesOf(state.connections[source])) {
      for (const { value, seq } of entriesOf(sinks)) {
        if (value.kind !== 'socket') continue;
        const { sink, sinkAddress, sourceInterface } = value;
        const via = isKnown(sourceInterface) ? sourceInterface : 'unknown';
        seqs[[nodeName(state, source), nodeName(state, sink), sinkAddress, via].join(' ')] = seq;
      }
    }
  }
  const lines = Object.keys(seqs).sort();
  const offline = nodeIds(state)
    .filter(id => presence(state, id, daemon.nowMs()) === 'offline')
    .map(id => nodeName(state, id));
  const text = JSON.stringify({ lines, offline, seqs });
  if (text !== told) process.stdout.write(`${text}\n`);
  told = text;
  await systemClock.sleep(20, stop.signal).catch(() => undefined);
}
await daemon.stopped;
