// A hundred readers of the event stream at ten batches a second over loopback: what the daemon's server spends on them,
// and how old an event is when a reader has it. The readers run in a process of their own.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../src/clock/system-clock.ts';
import type { Event } from '../src/core/event.ts';
import { Cluster } from '../src/daemon/cluster.ts';
import { Access } from '../src/daemon/http/access.ts';
import { HTTP_LIMITS } from '../src/daemon/http/http-options.ts';
import { createHttpServer } from '../src/daemon/http/http-server.ts';
import { benchSeconds, printRow } from './bench-row.ts';
import { ClusterEvents } from './cluster-events.ts';

const READERS = 100;
const NODES = 16;
const SECONDS = benchSeconds(20);
/** Events come evenly, as those of a mesh do: three a node and second. */
const TICK_MS = 20;
const EVENTS_PER_TICK = Math.ceil((NODES * 3 * TICK_MS) / 1_000);

const cluster = new Cluster();
const events = new ClusterEvents(NODES);
const [self] = events.nodes;
if (self === undefined) throw new Error('no node');
const onOurClock = (event: Event): Event => ({ ...event, ageMs: 0, receivedAtMs: systemClock.nowMs() });
cluster.dispatch(events.first().map(onOurClock));

const access = new Access({ clock: systemClock, token: 'benchmark-token-0123456789', hostNames: [] });
await using server = createHttpServer({
  nodeId: self,
  version: '0.0.0',
  clock: systemClock,
  cluster: {
    get state() {
      return cluster.state;
    },
    subscribe: listener => cluster.subscribe(listener),
    history: cluster.history,
    profileHistory: () => [],
  },
  dashboardDir: undefined,
  access,
  limits: HTTP_LIMITS,
  notices: () => [],
  resources: () => ({ cpuSeconds: 0, residentBytes: 0 }),
  home: undefined,
});
const { port } = await server.listen({ host: '127.0.0.1', port: 0, isExplicitPort: true });

const clockOffsetMs = Number(process.hrtime.bigint()) / 1e6 - systemClock.nowMs();
const readers = spawn(
  process.execPath,
  [
    fileURLToPath(new URL('./sse-readers.ts', import.meta.url)),
    ...[port, READERS, SECONDS, clockOffsetMs].map(String),
  ],
  { stdio: ['ignore', 'pipe', 'inherit'] },
);
const lines = createInterface({ input: readers.stdout })[Symbol.asyncIterator]();
await lines.next(); // every reader has its snapshot

const ticking = setInterval(() => cluster.dispatch(events.mixed(EVENTS_PER_TICK).map(onOurClock)), TICK_MS);
const usedBefore = process.cpuUsage();
const startedMs = performance.now();
const { value } = await lines.next();
const used = process.cpuUsage(usedBefore);
const elapsedMs = performance.now() - startedMs;
const rssBytes = process.memoryUsage.rss();
clearInterval(ticking);
await once(readers, 'exit');

const reported: {
  readonly batches: number;
  readonly bytes: number;
  readonly ageMsP50: number;
  readonly ageMsP99: number;
} = JSON.parse(value ?? '');
const what = `stream, ${READERS} readers`;
const method = `${(reported.batches / READERS / SECONDS).toFixed(1)} batches/s each, ${Math.round(reported.bytes / reported.batches)} bytes a batch, ${NODES} nodes, ${SECONDS} s`;
const none = { kind: 'none' } as const;
printRow({
  what: `${what}, processor`,
  figure: ((used.user + used.system) / 1_000 / elapsedMs) * 100,
  unit: '% of a core',
  reach: none,
  method,
});
printRow({
  what: `${what}, resident memory`,
  figure: rssBytes / 1e6,
  unit: 'MB',
  reach: none,
  method: 'with the state of the nodes and the maker of events in it',
});
printRow({
  what: `${what}, age of an event, p50`,
  figure: reported.ageMsP50,
  unit: 'ms',
  reach: none,
  method,
});
printRow({
  what: `${what}, age of an event, p99`,
  figure: reported.ageMsP99,
  unit: 'ms',
  reach: none,
  method: `event to reader, of which up to ${HTTP_LIMITS.streamFlushMs} ms are spent waiting for the batch`,
});
