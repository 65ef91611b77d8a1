// The mesh layer with 64 nodes in 8 processes, every node linked with every other over TLS on loopback, each
// publishing three events a second: how long they take to reach the state of all others, and what that costs.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { clusterKeyText, makeClusterKey } from '../src/mesh/key/cluster-key.ts';
import { benchSeconds, median, printRow, spread } from './bench-row.ts';
import type { MeshBenchAnswer, MeshBenchOrder } from './mesh-bench-messages.ts';

const PROCESSES = 8;
const NODES_PER_PROCESS = option('nodes-per-process') ?? 8;
const NODES = PROCESSES * NODES_PER_PROCESS;
const EVENTS_PER_SECOND = option('events-per-second') ?? 3;
/** A node of 64 that renews its link profiles every five minutes publishes one durable event in five seconds. */
const DURABLE_EVERY = 15;
const TURNS = 5;
const TURN_SECONDS = benchSeconds(50) / TURNS;
const SETTLE_SECONDS = 5;
const LINKS_WAIT_MS = 120_000;
const P99_MS_MAX = 20;
const CPU_PERCENT_MAX = 3;

const children = Array.from({ length: PROCESSES }, () => start());
try {
  const key = clusterKeyText(makeClusterKey());
  const opened = await requestAll({ kind: 'open', nodes: NODES_PER_PROCESS, key }, 'opened');
  const candidates = opened.flatMap(answer => answer.candidates);
  const joinedMs = performance.now();
  reportAll({ kind: 'join', candidates });
  await untilLinked();
  const meshMs = performance.now() - joinedMs;
  reportAll({ kind: 'talk', eventsPerSecond: EVENTS_PER_SECOND, durableEvery: DURABLE_EVERY });
  await delay(SETTLE_SECONDS * 1_000);
  const turns: Turn[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) turns.push(await measure());
  print(turns, meshMs);
} finally {
  await Promise.all(children.map(stop));
}

interface Turn {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuPercentPerNode: number;
  readonly arrivedShare: number;
  readonly residentBytes: number;
  readonly repeated: number;
}

async function measure(): Promise<Turn> {
  reportAll({ kind: 'begin' });
  await delay(TURN_SECONDS * 1_000);
  const measured = await requestAll({ kind: 'end' }, 'measured');
  const delays = Float64Array.from(measured.flatMap(one => [...one.delaysMs])).sort();
  const reported = sum(measured, one => one.reported);
  return {
    p50Ms: delays[Math.floor(delays.length * 0.5)] ?? Number.NaN,
    p99Ms: delays[Math.floor(delays.length * 0.99)] ?? Number.NaN,
    cpuPercentPerNode: (100 * sum(measured, one => one.cpuSeconds / one.seconds)) / NODES,
    arrivedShare: delays.length / (reported * (NODES - 1)),
    residentBytes: Math.max(...measured.map(one => one.residentBytes)),
    repeated: sum(measured, one => one.repeated),
  };
}

function print(turns: readonly Turn[], meshMs: number): void {
  const what = `mesh, ${NODES} nodes in ${PROCESSES} processes, ${EVENTS_PER_SECOND} events/s each`;
  const p99s = turns.map(turn => turn.p99Ms);
  const shares = turns.map(turn => turn.cpuPercentPerNode);
  const arrived = turns.map(turn => 100 * turn.arrivedShare);
  printRow({
    what: `${what}: propagation p99`,
    figure: median(p99s),
    unit: 'ms',
    reach: { kind: 'at-most', value: P99_MS_MAX },
    method: `${spread(p99s, 1)}; p50 ${median(turns.map(turn => turn.p50Ms)).toFixed(2)} ms; record() to the state of each other node`,
  });
  printRow({
    what: `${what}: processor`,
    figure: median(shares),
    unit: '% of a core a node',
    reach: { kind: 'at-most', value: CPU_PERCENT_MAX },
    method: `${spread(shares, 2)}; state and journal in memory included`,
  });
  printRow({
    what: `${what}: events that arrived in their turn`,
    figure: median(arrived),
    unit: '%',
    reach: { kind: 'none' },
    method: `${spread(arrived, 2)}; those on their way at its end count in the next`,
  });
  printRow({
    what: `${what}: resident memory of a process`,
    figure: Math.max(...turns.map(turn => turn.residentBytes)) / 1e6,
    unit: 'MB',
    reach: { kind: 'none' },
    method: `highest of ${PROCESSES}, ${NODES_PER_PROCESS} nodes each`,
  });
  printRow({
    what: `${what}: until every node was linked with every other`,
    figure: meshMs / 1_000,
    unit: 's',
    reach: { kind: 'none' },
    method: `${(NODES * (NODES - 1)) / 2} links, one run`,
  });
}

async function untilLinked(): Promise<void> {
  const limitMs = performance.now() + LINKS_WAIT_MS;
  for (;;) {
    const count = sum(await requestAll({ kind: 'count-links' }, 'links'), answer => answer.count);
    if (count === NODES * (NODES - 1)) return;
    if (performance.now() > limitMs)
      throw new Error(`only ${count} of ${NODES * (NODES - 1)} link ends are up`);
    await delay(100);
  }
}

function start(): ChildProcess {
  const entry = fileURLToPath(new URL('./mesh-nodes-process.ts', import.meta.url));
  const child = fork(entry, { serialization: 'advanced', stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  child.setMaxListeners(PROCESSES);
  return child;
}

function reportAll(order: MeshBenchOrder): void {
  for (const child of children) child.send(order);
}

function requestAll<K extends MeshBenchAnswer['kind']>(
  order: MeshBenchOrder,
  kind: K,
): Promise<readonly Extract<MeshBenchAnswer, { kind: K }>[]> {
  return Promise.all(
    children.map(async child => {
      const answered = once(child, 'message');
      child.send(order);
      const [answer]: MeshBenchAnswer[] = await answered;
      if (!isKind(answer, kind)) throw new Error(`asked for ${kind}, got ${answer?.kind}`);
      return answer;
    }),
  );
}

function isKind<K extends MeshBenchAnswer['kind']>(
  answer: MeshBenchAnswer | undefined,
  kind: K,
): answer is Extract<MeshBenchAnswer, { kind: K }> {
  return answer?.kind === kind;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  const limit = setTimeout(() => child.kill('SIGKILL'), 10_000);
  if (child.connected) child.send({ kind: 'stop' } satisfies MeshBenchOrder);
  await ended;
  clearTimeout(limit);
}

/** `--nodes-per-process=1`, `--events-per-second=1`: what is left of a delay where the processors have time. */
function option(name: string): number | undefined {
  const word = process.argv.find(each => each.startsWith(`--${name}=`));
  return word === undefined ? undefined : Number(word.slice(name.length + 3));
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
