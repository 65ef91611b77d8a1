// A thousand simulated machines as members of a fleet, in one process: their events are the simulation's, except that
// each has ten connections at most, and its memory reading contains the time at which it was published.

import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../src/clock/system-clock.ts';
import { type Fact, factKey } from '../src/core/event-kinds.ts';
import type { NodeId } from '../src/core/ids.ts';
import { parseClusterKey } from '../src/mesh/key/cluster-key.ts';
import { scenarioOfSize, withoutFaults } from '../src/simulate/scenario/scenario-of-size.ts';
import { Simulation } from '../src/simulate/simulation.ts';
import { openedConnection } from '../test/support/mesh-node.ts';
import {
  benchMemberKeys,
  benchNowUs,
  type FleetBenchAnswer,
  type FleetBenchOrder,
  Spending,
} from './fleet-bench-messages.ts';
import { type FleetMember, openFleetMember } from './fleet-member.ts';

const members = new Map<NodeId, FleetMember>();
const connections = new Map<NodeId, Set<string>>();
const stop = new AbortController();
let simulating: Promise<void> = Promise.resolve();
let readings = 0;
const spending = new Spending();

process.on('message', (order: FleetBenchOrder) => void handle(order));
process.once('disconnect', () => process.exit(0));

async function handle(order: FleetBenchOrder): Promise<void> {
  switch (order.kind) {
    case 'open':
      await open(order);
      return answer(await reported());
    case 'talk':
      readings = order.readings;
      return answer({ kind: 'done' });
    case 'write':
      for (const [id, { node }] of members)
        for (let record = 0; record < order.records; record += 1)
          node.record(openedConnection(id, `away ${record}`));
      return answer(await reported());
    case 'begin':
      spending.begin(published());
      return answer({ kind: 'done' });
    case 'end':
      return answer({
        kind: 'measured',
        ...spending.end(published()),
        delaysMs: new Float64Array(),
        agesMs: new Float64Array(),
        lost: sum(({ counts }) => counts.tooLarge + counts.dropped + counts.publishFailed),
      });
    case 'stop':
      stop.abort();
      await simulating;
      await Promise.all([...members.values()].map(member => member.stop()));
      process.disconnect();
      return;
    case 'away':
    case 'back':
      throw new Error(`members never receive ${order.kind}`);
    default:
      order satisfies never;
  }
}

async function open({ url, key, nodes }: Extract<FleetBenchOrder, { kind: 'open' }>): Promise<void> {
  const parsed = parseClusterKey(key);
  if (parsed.kind === 'wrong') throw new Error(parsed.problem);
  const keys = benchMemberKeys(nodes);
  for (let at = 0; at < keys.length; at += TOGETHER) {
    const some = keys.slice(at, at + TOGETHER);
    const opened = await Promise.all(
      some.map(one => openFleetMember({ url, key: one, clusterKey: parsed.key, memberCount: () => nodes })),
    );
    for (const member of opened) members.set(member.node.id, member);
  }
  const first = new Set<NodeId>();
  const begun = Promise.withResolvers<void>();
  simulating = new Simulation({
    scenario: withoutFaults(scenarioOfSize(nodes)),
    nodeIds: keys.map(({ nodeId }) => nodeId),
    seed: 1,
    clock: systemClock,
    plimsollVersion: '0.0.0-bench',
    report: (node, facts) => {
      for (const { fact } of facts) record(node, fact);
      first.add(node);
      if (first.size === nodes) begun.resolve();
    },
  }).run(stop.signal);
  await begun.promise;
}

function record(id: NodeId, fact: Fact): void {
  const member = members.get(id);
  if (member !== undefined && isStated(id, fact)) member.node.record(stamped(fact));
}

function isStated(id: NodeId, fact: Fact): boolean {
  switch (fact.kind) {
    case 'memory.gathered':
      return readings > 0;
    case 'system.gathered':
    case 'gpuLoads.gathered':
      return readings > 1;
    case 'connection.opened': {
      const own = connections.get(id) ?? new Set();
      connections.set(id, own);
      if (own.size < CONNECTIONS) own.add(factKey(fact));
      return own.has(factKey(fact));
    }
    case 'link.profiled':
      return connections.get(id)?.has(factKey(fact)) === true;
    case 'identity.gathered':
    case 'network.gathered':
    case 'gpus.gathered':
    case 'rdmaDevices.gathered':
    case 'config.gathered':
      return true;
    default:
      return false;
  }
}

function stamped(fact: Fact): Fact {
  if (fact.kind !== 'memory.gathered') return fact;
  const { payload } = fact;
  return { ...fact, payload: { ...payload, value: { ...payload.value, availableBytes: benchNowUs() } } };
}

/** When the server has taken everything. */
async function reported(): Promise<FleetBenchAnswer> {
  // The first look links them.
  while (sum(member => member.queuedBytes) > 0) await delay(50);
  await delay(1_000);
  while (sum(member => member.queuedBytes) > 0) await delay(50);
  return {
    kind: 'journals',
    journals: [...members.values()].map(({ node }) => ({
      origin: node.id,
      seq: node.state.origins[node.id]?.seq ?? 0,
    })),
    links: [...connections.values()].reduce((count, own) => count + own.size, 0),
  };
}

function published(): number {
  return sum(({ counts }) => counts.published);
}

function sum(of: (member: FleetMember) => number): number {
  return [...members.values()].reduce((total, member) => total + of(member), 0);
}

function answer(message: FleetBenchAnswer): void {
  process.send?.(message);
}

const TOGETHER = 50;
const CONNECTIONS = 10;
