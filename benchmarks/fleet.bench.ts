// A fleet of 1,000 simulated nodes with ten thousand connections over a real NATS server: what the node that receives
// from all of them costs compared with a process that discards the same messages, how soon it has its first state,
// how old its state is, how fast it has caught up after a restart, and what the server costs. The server is
// PLIMSOLL_NATS_SERVER or that of the system.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { clusterKeyText, makeClusterKey } from '../src/mesh/key/cluster-key.ts';
import { NODE_STATE_BYTES_MAX } from '../src/mesh/nats/fleet-streams.ts';
import { NatsServer, NO_NATS_SERVER, natsProgram } from '../test/support/nats-server.ts';
import { benchSeconds, median, printRow, spread } from './bench-row.ts';
import {
  benchMemberKeys,
  benchReaderKey,
  FLEET_BENCH_CLUSTER,
  type FleetBenchAnswer,
  type FleetBenchOrder,
  type FleetMeasured,
  type Picture,
} from './fleet-bench-messages.ts';
import { useOf } from './process-use.ts';

const NODES = Number(process.env['PLIMSOLL_BENCH_NODES'] ?? 1_000);
const TURNS = 3;
const TURN_SECONDS = benchSeconds(45) / TURNS;
const SETTLE_SECONDS = 3;
const AWAY_RECORDS = 3;
const CPU_PERCENT_MAX = 5;
const FIRST_PICTURE_SECONDS_MAX = 2;
const EVENT_BYTES_MAX = 1_073_741_824;

async function measureFleet(): Promise<void> {
  // The server reserves the limits of all streams: far more than they contain here.
  await using server = await NatsServer.start({
    hasJetStream: false,
    config: `jetstream { store_dir: "js", max_file_store: ${(NODES + 1) * NODE_STATE_BYTES_MAX + EVENT_BYTES_MAX} }`,
  });
  await server.createStreams({
    cluster: FLEET_BENCH_CLUSTER,
    nodes: [...benchMemberKeys(NODES), benchReaderKey()].map(({ nodeId }) => nodeId),
    eventBytesMax: EVENT_BYTES_MAX,
  });
  const members = new Child('./fleet-members-process.ts', []);
  const empty = new Child('./fleet-reader-process.ts', ['empty']);
  const reader = new Child('./fleet-reader-process.ts', []);
  try {
    const where = { url: server.url, key: clusterKeyText(makeClusterKey()), nodes: NODES };
    const openedMs = performance.now();
    const first = await members.request({ kind: 'open', ...where }, 'journals');
    const openedSeconds = (performance.now() - openedMs) / 1_000;
    await empty.request({ kind: 'open', ...where }, 'done');
    await reader.request({ kind: 'open', ...where }, 'done');
    await members.request({ kind: 'talk', readings: 1 }, 'done');
    const name = `fleet, ${NODES} nodes, ${first.links} connections, nats-server ${server.program.version}`;
    const records = first.journals.reduce((sum, { seq }) => sum + seq, 0);
    printPicture(
      `${name}: first picture`,
      await reader.request({ kind: 'back', journals: first.journals }, 'picture'),
      {
        max: FIRST_PICTURE_SECONDS_MAX,
        method: `a new node while all others talk, until it has the identity of each; ${records} records on the server, which took them in ${openedSeconds.toFixed(0)} s`,
      },
    );
    for (const readings of [1, 3] as const) {
      await members.request({ kind: 'talk', readings }, 'done');
      await delay(SETTLE_SECONDS * 1_000);
      const turns: Turn[] = [];
      for (let turn = 0; turn < TURNS; turn += 1)
        turns.push(await takeTurn({ members, empty, reader }, server));
      printTurns(
        `${name}, ${readings} ${readings === 1 ? 'reading' : 'readings'} a second each`,
        turns,
        readings === 1,
      );
    }
    await members.request({ kind: 'talk', readings: 1 }, 'done');
    await reader.request({ kind: 'away' }, 'done');
    const { journals } = await members.request({ kind: 'write', records: AWAY_RECORDS }, 'journals');
    printPicture(
      `${name}: caught up after a restart`,
      await reader.request({ kind: 'back', journals }, 'picture'),
      {
        max: undefined,
        method: `${AWAY_RECORDS} records of each node were published while it was away`,
      },
    );
  } finally {
    await Promise.all([members.stop(), empty.stop(), reader.stop()]);
  }
}

interface Turn {
  readonly members: FleetMeasured;
  readonly empty: FleetMeasured;
  readonly reader: FleetMeasured;
  readonly serverPercent: number;
  readonly serverBytes: number;
}

async function takeTurn(
  { members, empty, reader }: { readonly members: Child; readonly empty: Child; readonly reader: Child },
  server: NatsServer,
): Promise<Turn> {
  const serverBefore = serverUse(server);
  const beganMs = performance.now();
  await Promise.all([members, empty, reader].map(child => child.request({ kind: 'begin' }, 'done')));
  await delay(TURN_SECONDS * 1_000);
  const [ofReader, ofEmpty, ofMembers] = await Promise.all([
    reader.request({ kind: 'end' }, 'measured'),
    empty.request({ kind: 'end' }, 'measured'),
    members.request({ kind: 'end' }, 'measured'),
  ]);
  const seconds = (performance.now() - beganMs) / 1_000;
  const serverAfter = serverUse(server);
  return {
    members: ofMembers,
    empty: ofEmpty,
    reader: ofReader,
    serverPercent: (100 * (serverAfter.cpuSeconds - serverBefore.cpuSeconds)) / seconds,
    serverBytes: serverAfter.residentBytes,
  };
}

function printTurns(name: string, turns: readonly Turn[], isJudged: boolean): void {
  const share = ({ cpuSeconds, seconds }: FleetMeasured): number => (100 * cpuSeconds) / seconds;
  const beyond = turns.map(({ reader, empty }) => share(reader) - share(empty));
  const perSecond = median(turns.map(({ empty }) => empty.messages / empty.seconds));
  const delays = turns.map(({ reader }) => quantile(reader.delaysMs, 0.99));
  const ages = turns.map(({ reader }) => quantile(reader.agesMs, 0.99));
  const servers = turns.map(({ serverPercent }) => serverPercent);
  printRow({
    what: `${name}: node that hears them all, beyond an empty receiver`,
    figure: median(beyond),
    unit: '% of a core',
    reach: isJudged ? { kind: 'at-most', value: CPU_PERCENT_MAX } : { kind: 'none' },
    method: `${spread(beyond, 2)}; ${perSecond.toFixed(0)} messages/s; empty receiver ${median(turns.map(({ empty }) => share(empty))).toFixed(2)} %; ${((10_000 * median(beyond)) / perSecond).toFixed(1)} us a message; journal in memory; ${turns.reduce((sum, { reader }) => sum + reader.lost, 0)} lost`,
  });
  printRow({
    what: `${name}: from publishing to the state, p99`,
    figure: median(delays),
    unit: 'ms',
    reach: { kind: 'none' },
    method: `${spread(delays, 1)}; p50 ${median(turns.map(({ reader }) => quantile(reader.delaysMs, 0.5))).toFixed(2)} ms`,
  });
  printRow({
    what: `${name}: age of the newest reading of each node, p99`,
    figure: median(ages),
    unit: 'ms',
    reach: { kind: 'none' },
    method: `${spread(ages, 0)}; each publishes once in 1,000 ms`,
  });
  printRow({
    what: `${name}: memory of that node`,
    figure: Math.max(...turns.map(({ reader }) => reader.residentBytes)) / 1e6,
    unit: 'MB',
    reach: { kind: 'none' },
    method: `resident; empty receiver ${(Math.max(...turns.map(({ empty }) => empty.residentBytes)) / 1e6).toFixed(0)} MB, all members in one process ${(Math.max(...turns.map(({ members }) => members.residentBytes)) / 1e6).toFixed(0)} MB with ${median(turns.map(({ members }) => share(members))).toFixed(0)} % of a core`,
  });
  printRow({
    what: `${name}: server`,
    figure: median(servers),
    unit: '% of a core',
    reach: { kind: 'none' },
    method: `${spread(servers, 1)}; ${(Math.max(...turns.map(({ serverBytes }) => serverBytes)) / 1e6).toFixed(0)} MB; ${NODES + 2} connections`,
  });
}

function printPicture(
  what: string,
  { linkedMs, identitiesMs, wholeMs }: Picture,
  { max, method }: { readonly max: number | undefined; readonly method: string },
): void {
  printRow({
    what,
    figure: (max === undefined ? wholeMs : identitiesMs) / 1_000,
    unit: 's',
    reach: max === undefined ? { kind: 'none' } : { kind: 'at-most', value: max },
    method: `connected after ${(linkedMs / 1_000).toFixed(2)} s, every identity after ${(identitiesMs / 1_000).toFixed(2)} s, every record after ${(wholeMs / 1_000).toFixed(2)} s; ${method}`,
  });
}

function quantile(values: Float64Array, share: number): number {
  return values.toSorted()[Math.floor(values.length * share)] ?? Number.NaN;
}

function serverUse({ pid }: NatsServer): { readonly cpuSeconds: number; readonly residentBytes: number } {
  return (
    (pid === undefined ? undefined : useOf(pid)) ?? { cpuSeconds: Number.NaN, residentBytes: Number.NaN }
  );
}

class Child {
  readonly #child: ChildProcess;

  constructor(entry: string, args: readonly string[]) {
    this.#child = fork(fileURLToPath(new URL(entry, import.meta.url)), args, {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
  }

  async request<K extends FleetBenchAnswer['kind']>(
    order: FleetBenchOrder,
    kind: K,
  ): Promise<Extract<FleetBenchAnswer, { kind: K }>> {
    const ended = new AbortController();
    const answered = once(this.#child, 'message', ended);
    const gone = once(this.#child, 'exit', ended).then(([code]) => {
      throw new Error(`a process of the fleet ended with ${code} at ${order.kind}`);
    });
    this.#child.send(order);
    try {
      const [answer]: FleetBenchAnswer[] = await Promise.race([answered, gone]);
      if (!isKind(answer, kind)) throw new Error(`asked for ${kind}, got ${answer?.kind}`);
      return answer;
    } finally {
      ended.abort();
      await Promise.allSettled([answered, gone]);
    }
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    const limit = setTimeout(() => child.kill('SIGKILL'), 10_000);
    if (child.connected) child.send({ kind: 'stop' } satisfies FleetBenchOrder);
    await ended;
    clearTimeout(limit);
  }
}

function isKind<K extends FleetBenchAnswer['kind']>(
  answer: FleetBenchAnswer | undefined,
  kind: K,
): answer is Extract<FleetBenchAnswer, { kind: K }> {
  return answer?.kind === kind;
}

const program = natsProgram();
if (program === undefined) process.stderr.write(`fleet: not measured: ${NO_NATS_SERVER}\n`);
else await measureFleet();
