// What it costs a node to ask every address of 63 others every ten seconds, to answer the same number of questions, and to
// keep what is asked up to date: real UDP on loopback, the others in a process of their own.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../src/clock/system-clock.ts';
import { applyAll } from '../src/core/apply.ts';
import type { Event } from '../src/core/event.ts';
import { eventClass, type Fact, factKey } from '../src/core/event-kinds.ts';
import { EMPTY_STATE } from '../src/core/state.ts';
import { unknown } from '../src/core/unknown.ts';
import { openConnectionsOf } from '../src/daemon/mesh/connections.ts';
import type { DatagramPort } from '../src/mesh/reachability/datagram-port.ts';
import { openUdpDatagrams } from '../src/mesh/reachability/udp-datagrams.ts';
import { benchSeconds, median, printRow, spread } from './bench-row.ts';
import { benchNodeId, LOOPBACKS, REACHABILITY_KEY } from './reachability-setting.ts';

const NODES = 64;
const SECONDS = benchSeconds(60);
const TURNS = 3;
const SETTLE_SECONDS = 15;
const CPU_SHARE_MAX = 0.005;

const child = spawn(
  process.execPath,
  [fileURLToPath(new URL('./reachability-peers-process.ts', import.meta.url)), String(NODES - 1)],
  { stdio: ['pipe', 'pipe', 'inherit'] },
);
const [line] = await once(createInterface({ input: child.stdout }), 'line');
const ports: readonly number[] = JSON.parse(String(line));

let state = applyAll(EMPTY_STATE, ports.flatMap(eventsOf));
let seq = 0;
const connections = await openConnectionsOf({
  nodeId: benchNodeId(0),
  clock: systemClock,
  state: () => state,
  record: fact => {
    seq += 1;
    state = applyAll(state, [eventOf(0, fact, seq)]);
  },
  keys: [REACHABILITY_KEY],
  random: Math.random,
  ignoredInterfaces: [],
  isChosen: () => true,
  openPort: async (_use, onDatagram) =>
    onLoopback(await openUdpDatagrams({ listen: { host: '::', port: 0 }, onDatagram })),
});
const stop = new AbortController();
const running = connections.run(stop.signal);
child.stdin.write(`${connections.port}\n`);
await delay(SETTLE_SECONDS * 1_000);

const shares: number[] = [];
const before = countsNow();
const startedMs = performance.now();
for (let turn = 0; turn < TURNS; turn += 1) {
  const used = process.cpuUsage();
  const turnMs = performance.now();
  await delay((SECONDS * 1_000) / TURNS);
  const { user, system } = process.cpuUsage(used);
  shares.push((user + system) / 1_000 / (performance.now() - turnMs));
}
const after = countsNow();
const seconds = (performance.now() - startedMs) / 1_000;
const open = Object.values(state.connections[benchNodeId(0)] ?? {}).flatMap(sinks =>
  Object.keys(sinks),
).length;
stop.abort();
await running;
await connections[Symbol.asyncDispose]();
child.stdin.end();

const perSecond = (count: number): string => (count / seconds).toFixed(1);
printRow({
  what: `reachability, ${NODES} nodes with ${LOOPBACKS.length} addresses each: processor`,
  figure: median(shares) * 100,
  unit: '% of a core',
  reach: { kind: 'at-most', value: CPU_SHARE_MAX * 100 },
  method: `${spread(
    shares.map(share => share * 100),
    2,
  )}, ${SECONDS} s; ${perSecond(after.requested - before.requested)} asked/s, ${perSecond(after.served - before.served)} answered/s, the whole process`,
});
printRow({
  what: 'reachability: connections that were open',
  figure: open,
  unit: `of ${(NODES - 1) * LOOPBACKS.length}`,
  reach: { kind: 'at-least', value: (NODES - 1) * LOOPBACKS.length },
  method: 'real UDP on loopback, the other nodes in one other process',
});

function countsNow(): { readonly requested: number; readonly served: number } {
  return { requested: connections.checks.counts.requested, served: connections.answers.counts.served };
}

/** No address of loopback is ever asked, so the nodes have made-up ones: the last digit names the loopback address. */
function onLoopback(port: DatagramPort): DatagramPort {
  const real = (address: string): string => LOOPBACKS[Number(/\d+$/.exec(address)?.[0] ?? 0)] ?? address;
  return {
    port: port.port,
    send: (bytes, to) =>
      port.send(
        bytes,
        to.address.startsWith('fd') || to.address.startsWith('10.')
          ? { ...to, address: real(to.address) }
          : to,
      ),
    sourceAddressTowards: async () => '10.0.0.0',
    [Symbol.asyncDispose]: () => port[Symbol.asyncDispose](),
  };
}

function eventsOf(reachabilityPort: number, index: number): readonly Event[] {
  const addresses = LOOPBACKS.map((address, at) =>
    address.includes(':')
      ? ({
          address: `fd00::${(index + 1).toString(16)}:${at}`,
          family: 'ipv6',
          prefixLength: 64,
          scope: 'global',
        } as const)
      : ({ address: `10.1.${index + 1}.${at}`, family: 'ipv4', prefixLength: 16, scope: 'global' } as const),
  );
  const rest = unknown('made up');
  const en0 = {
    name: 'en0',
    type: 'ethernet',
    typeEvidence: 'made up',
    macAddress: rest,
    isUp: true,
    speedBitsPerSecond: 1e9,
    mtuBytes: 1_500,
    driver: rest,
    addresses,
    members: [],
  } as const;
  const facts: readonly Fact[] = [
    {
      kind: 'network.gathered',
      payload: { source: 'made up', intervalMs: 10_000, value: { interfaces: [en0] } },
    },
    { kind: 'endpoints.reported', payload: { meshPort: 4_181, reachabilityPort } },
  ];
  return facts.map(fact => eventOf(index + 1, fact, 1));
}

/** Received so late that its node never goes offline. */
function eventOf(index: number, fact: Fact, number: number): Event {
  const head = { origin: benchNodeId(index), epoch: 1, class: eventClass(fact.kind), seq: number };
  return { ...head, ...fact, key: factKey(fact), ageMs: 0, receivedAtMs: systemClock.nowMs() + 1e9 };
}
