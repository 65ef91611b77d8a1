// Discovery in a process of its own, for a network namespace. Arguments: the settings as JSON. Prints what it finds, a JSON
// object a line; `status` every 200 ms.

import { systemClock } from '../../../src/clock/system-clock.ts';
import { startDiscovery } from '../../../src/mesh/discovery/start-discovery.ts';

const print = (reported: object): void => void process.stdout.write(`${JSON.stringify(reported)}\n`);
const { tagKey, listenPort, way = { kind: 'every-interface' } } = JSON.parse(process.argv[2] ?? '{}');
const { signal } = new AbortController();

await using discovery = startDiscovery({
  clock: systemClock,
  signal,
  tagKeys: [new Uint8Array(Buffer.from(tagKey, 'hex'))],
  listenPort,
  settings: { way, staticPeers: [] },
  random: Math.random,
  onCandidate: candidate => print({ candidate }),
  onTrouble: trouble => print({ trouble }),
});
for (;;) {
  print({ status: discovery.status });
  await systemClock.sleep(200, signal);
}
