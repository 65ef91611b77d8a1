// A whole daemon for the tests of connections: prints, whenever they change, all connections in its state, each as
// "source sink address interface", the nodes by their names.

import { entriesOf } from '../../src/core/entry-maps.ts';
import { nodeName } from '../../src/core/node/node-view.ts';
import { nodeIds, presence } from '../../src/core/node/presence-view.ts';
import { isKnown } from '../../src/core/unknown.ts';
import { daemonOnHost, type HostSettings, printChanges } from './daemon-on-host.ts';

const settings: HostSettings = JSON.parse(process.argv[2] ?? '{}');
const running = await daemonOnHost(settings, {
  onNotice: ({ problem }) => process.stderr.write(`${settings.name}: ${problem}\n`),
});
const { daemon } = running;
await printChanges(running, seen, 20);

function seen(): string {
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
  return JSON.stringify({ lines, offline, seqs });
}
