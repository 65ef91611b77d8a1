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
  const lines = nodeIds(state)
    .flatMap(source =>
      entriesOf(state.connections[source]).flatMap(sinks =>
        entriesOf(sinks).flatMap(({ value }) =>
          value.kind === 'socket'
            ? [
                [
                  nodeName(state, source),
                  nodeName(state, value.sink),
                  value.sinkAddress,
                  isKnown(value.sourceInterface) ? value.sourceInterface : 'unknown',
                ].join(' '),
              ]
            : [],
        ),
      ),
    )
    .sort();
  const offline = nodeIds(state)
    .filter(id => presence(state, id, daemon.nowMs()) === 'offline')
    .map(id => nodeName(state, id));
  const text = JSON.stringify({ lines, offline });
  if (text !== told) process.stdout.write(`${text}\n`);
  told = text;
  await systemClock.sleep(20, stop.signal).catch(() => undefined);
}
await daemon.stopped;
