// The node of a fleet that receives from all others, for its benchmark: the real transport, replication, a journal in
// memory and the daemon's own state. And, as `empty`, a process that receives the same messages and discards them.

import { setTimeout as delay } from 'node:timers/promises';
import { connect } from '@nats-io/transport-node';
import { systemClock } from '../src/clock/system-clock.ts';
import type { NodeId } from '../src/core/ids.ts';
import { createMemoryDisk } from '../src/journal/memory-journal.ts';
import { type ClusterKey, parseClusterKey } from '../src/mesh/key/cluster-key.ts';
import { FleetSubjects } from '../src/mesh/nats/fleet-subjects.ts';
import { NatsFleet } from '../src/mesh/nats/nats-fleet.ts';
import { MeshNode } from '../test/support/mesh-node.ts';
import {
  benchNowUs,
  benchReaderKey,
  FLEET_BENCH_CLUSTER,
  type FleetBenchAnswer,
  type FleetBenchOrder,
  type JournalEnd,
  type Picture,
  Spending,
} from './fleet-bench-messages.ts';

const isEmpty = process.argv.includes('empty');
const identity = benchReaderKey();
const disk = createMemoryDisk();
let where: { readonly url: string; readonly key: ClusterKey; readonly nodes: number } | undefined;
let running: Running | undefined;
let starts = 0;
let messages = 0;
let lostBefore = 0;
let delaysMs: number[] = [];
let agesMs: number[] = [];
const stampsUs = new Map<NodeId, number>();
const spending = new Spending();

interface Running {
  readonly node: MeshNode;
  readonly fleet: NatsFleet;
  readonly stop: AbortController;
  readonly done: Promise<void>;
}

process.on('message', (order: FleetBenchOrder) => void handle(order));
process.once('disconnect', () => process.exit(0));
setInterval(() => {
  const nowUs = benchNowUs();
  for (const stampUs of stampsUs.values()) agesMs.push((nowUs - stampUs) / 1_000);
}, 500).unref();

async function handle(order: FleetBenchOrder): Promise<void> {
  switch (order.kind) {
    case 'open': {
      const parsed = parseClusterKey(order.key);
      if (parsed.kind === 'wrong') throw new Error(parsed.problem);
      where = { url: order.url, key: parsed.key, nodes: order.nodes };
      if (isEmpty) await receive(order.url);
      return answer({ kind: 'done' });
    }
    case 'back':
      return answer({ kind: 'picture', ...(await begin(order.journals)) });
    case 'away':
      await end();
      return answer({ kind: 'done' });
    case 'begin':
      delaysMs = [];
      agesMs = [];
      spending.begin(received());
      lostBefore = lost();
      return answer({ kind: 'done' });
    case 'end':
      return answer({
        kind: 'measured',
        ...spending.end(received()),
        delaysMs: Float64Array.from(delaysMs),
        agesMs: Float64Array.from(agesMs),
        lost: lost() - lostBefore,
      });
    case 'stop':
      await end();
      process.disconnect();
      process.exit(0);
      break;
    case 'talk':
    case 'write':
      throw new Error(`a reader never receives ${order.kind}`);
    default:
      order satisfies never;
  }
}

async function begin(journals: readonly JournalEnd[]): Promise<Picture> {
  if (where === undefined) throw new Error('not opened');
  const { url, key, nodes } = where;
  const beganMs = performance.now();
  const since = (): number => performance.now() - beganMs;
  const picture = { linkedMs: Number.NaN, identitiesMs: Number.NaN };
  const stop = new AbortController();
  starts += 1;
  const opened: { fleet: NatsFleet | undefined } = { fleet: undefined };
  const node = new MeshNode({
    clock: systemClock,
    key: identity,
    disk,
    mesh: store => {
      opened.fleet = new NatsFleet({
        identity,
        start: starts,
        keys: [key],
        cluster: FLEET_BENCH_CLUSTER,
        server: { servers: [url], credentials: undefined, caFile: undefined, isHandshakeFirst: false },
        store,
        clock: systemClock,
        random: Math.random,
        plimsollVersion: '0.0.0-bench',
      });
      return opened.fleet;
    },
  });
  const { fleet } = opened;
  if (fleet === undefined) throw new Error('a node without a fleet');
  fleet.onLink(() => {
    if (Number.isNaN(picture.linkedMs)) picture.linkedMs = since();
  });
  fleet.onStanding(standing => {
    if (standing.kind === 'failed')
      process.stderr.write(`fleet: after ${since().toFixed(0)} ms: ${standing.problem.problem}\n`);
  });
  node.cluster.subscribe(events => {
    const nowUs = benchNowUs();
    for (const event of events) {
      if (event.kind !== 'memory.gathered') continue;
      const { availableBytes } = event.payload.value;
      if (typeof availableBytes !== 'number') continue;
      delaysMs.push((nowUs - availableBytes) / 1_000);
      stampsUs.set(event.origin, availableBytes);
    }
    node.seen.length = 0;
  });
  running = { node, fleet, stop, done: fleet.run(stop.signal) };
  const later = async (): Promise<void> => {
    if (since() > WAIT_MS)
      throw new Error(`no whole picture after ${WAIT_MS} ms: ${identities()} identities`);
    // A look at the state has its price: maps that change are copied once for each.
    await delay(50);
  };
  const missing = (): boolean =>
    journals.some(({ origin, seq }) => (node.journal.origin(origin)?.through ?? 0) < seq);
  const identities = (): number => Object.keys(node.state.nodeIdentities).length;
  while (identities() < nodes) await later();
  picture.identitiesMs = since();
  while (missing()) await later();
  return { ...picture, wholeMs: since() };
}

async function end(): Promise<void> {
  if (running === undefined) return;
  const { node, fleet, stop, done } = running;
  running = undefined;
  stop.abort();
  await done;
  await fleet[Symbol.asyncDispose]();
  await node.stop();
  stampsUs.clear();
}

/** What any subscriber of the same subjects pays. */
async function receive(url: string): Promise<void> {
  const connection = await connect({ servers: url.replace('nats://', ''), noEcho: true });
  const subjects = new FleetSubjects(FLEET_BENCH_CLUSTER, identity.nodeId);
  for (const subject of subjects.received('all'))
    connection.subscribe(subject, {
      callback: () => {
        messages += 1;
      },
    });
  await connection.flush();
}

function received(): number {
  return isEmpty ? messages : (running?.fleet.counts.received ?? 0);
}

function lost(): number {
  if (running === undefined) return 0;
  const { wrongKey, broken, otherVersions, repeated, twins, muted, dropped } = running.fleet.counts;
  return wrongKey + broken + otherVersions + repeated + twins + muted + dropped;
}

function answer(message: FleetBenchAnswer): void {
  process.send?.(message);
}

const WAIT_MS = 120_000;
