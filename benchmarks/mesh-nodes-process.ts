// Some of the nodes of the mesh benchmark, in one process: the real transport on loopback, replication, journals in
// memory and the daemon's own state. Each event contains the time at which it was recorded, on the clock that all
// processes of a machine share (process.hrtime: CLOCK_MONOTONIC), so that every receiver can compute its delay.

import { systemClock } from '../src/clock/system-clock.ts';
import type { Event } from '../src/core/event.ts';
import { generateNodeKey } from '../src/daemon/node-key.ts';
import { createMemoryDisk } from '../src/journal/memory-journal.ts';
import { parseClusterKey } from '../src/mesh/key/cluster-key.ts';
import type { MeshCandidate, MeshLimits } from '../src/mesh/mesh.ts';
import { TlsMesh } from '../src/mesh/tls/tls-mesh.ts';
import { MeshNode, memoryFact, openedConnection } from '../test/support/mesh-node.ts';
import type { MeshBenchAnswer, MeshBenchOrder } from './mesh-bench-messages.ts';

interface RunningNode {
  readonly mesh: TlsMesh;
  readonly node: MeshNode;
}

const stop = new AbortController();
const nodes: RunningNode[] = [];
let delaysMs: number[] = [];
let expected = 0;
let turn = 0;
let cpu = process.cpuUsage();
let beganAtUs = nowUs();
let timers: NodeJS.Timeout[] = [];

process.on('message', (order: MeshBenchOrder) => void handle(order));
process.once('disconnect', () => process.exit(0));

async function handle(order: MeshBenchOrder): Promise<void> {
  switch (order.kind) {
    case 'open':
      for (let index = 0; index < order.nodes; index += 1) nodes.push(await open(order.key));
      answer({ kind: 'opened', candidates: nodes.map(({ mesh }) => candidateOf(mesh)) });
      return;
    case 'join':
      for (const { mesh } of nodes)
        for (const candidate of order.candidates)
          if (candidate.peerId !== mesh.localId) mesh.addCandidate(candidate);
      return;
    case 'count-links':
      answer({ kind: 'links', count: nodes.reduce((sum, { mesh }) => sum + mesh.links.size, 0) });
      return;
    case 'talk':
      talk(order.eventsPerSecond, order.durableEvery);
      return;
    case 'begin':
      delaysMs = [];
      expected = 0;
      cpu = process.cpuUsage();
      beganAtUs = nowUs();
      return;
    case 'end': {
      const { user, system } = process.cpuUsage(cpu);
      answer({
        kind: 'measured',
        cpuSeconds: (user + system) / 1e6,
        seconds: (nowUs() - beganAtUs) / 1e6,
        delaysMs: Float64Array.from(delaysMs),
        reported: expected,
        residentBytes: process.memoryUsage.rss(),
        recordsStored: nodes.reduce((sum, { node }) => sum + node.replicator.counts.recordsStored, 0),
        repeated: nodes.reduce(
          (sum, { node }) =>
            sum + node.replicator.counts.liveRepeated + node.replicator.counts.recordsRepeated,
          0,
        ),
      });
      return;
    }
    case 'stop':
      for (const timer of timers) clearInterval(timer);
      timers = [];
      stop.abort();
      for (const { mesh, node } of nodes) {
        await mesh[Symbol.asyncDispose]();
        await node.stop();
      }
      process.disconnect();
      return;
    default:
      order satisfies never;
  }
}

async function open(keyText: string): Promise<RunningNode> {
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
    limits: ONE_ADDRESS,
  });
  const node = new MeshNode({ clock: systemClock, key, disk: createMemoryDisk(), mesh });
  node.cluster.subscribe(events => {
    for (const event of events) if (event.origin !== node.id) receive(event);
    node.seen.length = 0;
  });
  await mesh.start(stop.signal);
  return { mesh, node };
}

function receive(event: Event): void {
  const sentAtUs = stampOf(event);
  if (sentAtUs !== undefined) delaysMs.push((nowUs() - sentAtUs) / 1_000);
}

/** Each node has its own clock and its own start, so that they do not publish in step. */
function talk(eventsPerSecond: number, durableEvery: number): void {
  const intervalMs = 1_000 / eventsPerSecond;
  for (const { node } of nodes) {
    setTimeout(() => {
      timers.push(
        setInterval(() => {
          turn += 1;
          expected += 1;
          if (turn % durableEvery === 0) node.record(durable(node));
          else node.record(memoryFact(nowUs()));
        }, intervalMs),
      );
    }, Math.random() * intervalMs);
  }
}

/** One connection that is published again and again: durable, signed, and of limited size. */
function durable(node: MeshNode): ReturnType<typeof openedConnection> {
  const fact = openedConnection(node.id, '127.0.0.1');
  if (fact.kind !== 'connection.opened' || fact.payload.kind !== 'socket')
    throw new Error('not a connection');
  return { ...fact, payload: { ...fact.payload, negotiatedBitsPerSecond: nowUs() } };
}

function stampOf(event: Event): number | undefined {
  const figure =
    event.kind === 'memory.gathered'
      ? event.payload.value.availableBytes
      : event.kind === 'connection.opened' && event.payload.kind === 'socket'
        ? event.payload.negotiatedBitsPerSecond
        : undefined;
  return typeof figure === 'number' ? figure : undefined;
}

function candidateOf(mesh: TlsMesh): MeshCandidate {
  const port = mesh.listensOn?.port ?? 0;
  return { address: '127.0.0.1', port, source: 'peer', peerId: mesh.localId };
}

function nowUs(): number {
  return Number(process.hrtime.bigint() / 1_000n);
}

function answer(message: MeshBenchAnswer): void {
  process.send?.(message);
}

/** All nodes share one address here, which the bounds against strangers would take for a flood. */
const ONE_ADDRESS: Partial<MeshLimits> = {
  acceptBurst: 1_000_000,
  handshakesMax: 512,
  handshakesPerAddressMax: 512,
};
