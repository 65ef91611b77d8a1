// A member of the mesh that sends more live values than any node accepts, each in a separate frame, in a thread so it
// does not disturb the measurement. It reports how many it has sent when asked to stop.

import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../src/clock/system-clock.ts';
import { generateNodeKey } from '../src/daemon/node-key.ts';
import { createMemoryDisk } from '../src/journal/memory-journal.ts';
import { parseClusterKey } from '../src/mesh/key/cluster-key.ts';
import { TlsMesh } from '../src/mesh/tls/tls-mesh.ts';
import { MeshNode, memoryFact } from '../test/support/mesh-node.ts';

const { keyText, port, eventsPerSecond }: { keyText: string; port: number; eventsPerSecond: number } =
  workerData;
const TICK_MS = 5;
const stop = new AbortController();

const parsed = parseClusterKey(keyText);
if (parsed.kind === 'wrong') throw new Error(parsed.problem);
const key = generateNodeKey();
const mesh = new TlsMesh({
  identity: key,
  start: 1,
  keys: [parsed.key],
  listen: { host: '127.0.0.1', port: 0 },
  clock: systemClock,
  random: Math.random,
});
const node = new MeshNode({ clock: systemClock, key, disk: createMemoryDisk(), mesh });
await mesh.start(stop.signal);
mesh.addCandidate({ address: '127.0.0.1', port, source: 'static' });
while (mesh.links.size === 0) await delay(50);
parentPort?.postMessage('linked');

const orders: string[] = [];
parentPort?.on('message', (order: string) => orders.push(order));
while (orders.length === 0) await delay(TICK_MS);
const fromMs = performance.now();
let reported = 0;
while (orders.length === 1) {
  const due = ((performance.now() - fromMs) / 1_000) * eventsPerSecond;
  for (; reported < due; reported += 1) {
    node.record(memoryFact(reported));
    // Lets this one leave before the next takes its place.
    await Promise.resolve();
  }
  node.seen.length = 0;
  await delay(TICK_MS);
}
parentPort?.postMessage(reported);
stop.abort();
await mesh[Symbol.asyncDispose]();
await node.stop();
parentPort?.close();
