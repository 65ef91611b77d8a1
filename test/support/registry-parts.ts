// What a registry of runs or sweeps needs of a daemon: a cluster of one node, a record of facts, a disk that may be full.

import type { Event } from '../../src/core/event.ts';
import { eventClass, type Fact, factKey } from '../../src/core/event-kinds.ts';
import { nodeId } from '../../src/core/ids.ts';
import { Cluster } from '../../src/daemon/cluster.ts';
import type { Recorded } from '../../src/daemon/event-recorder.ts';
import { VirtualClock } from './virtual-clock.ts';

export const REGISTRY_NODE = nodeId('n'.repeat(26));

export const registryParts = (
  home: string,
  { ownAddresses = [] }: { readonly ownAddresses?: readonly string[] } = {},
) => {
  const clock = new VirtualClock({ nowMs: 1_000_000 });
  const cluster = new Cluster();
  const facts: Fact[] = [];
  const seqs = { durable: 0, live: 0 };
  const disk = { isFull: false };
  const record = (fact: Fact): Recorded => {
    facts.push(fact);
    const kindClass = eventClass(fact.kind);
    if (kindClass === 'durable' && disk.isFull) return 'waiting';
    seqs[kindClass] += 1;
    const head = {
      origin: REGISTRY_NODE,
      epoch: 1,
      class: kindClass,
      seq: seqs[kindClass],
      key: factKey(fact),
    };
    const event: Event = { ...fact, ...head, ageMs: 0, receivedAtMs: clock.nowMs() };
    cluster.dispatch([event]);
    return 'reported';
  };
  const parts = {
    nodeId: REGISTRY_NODE,
    clock,
    home,
    state: () => cluster.state,
    record,
    isOwnAddress: (address: string) => ownAddresses.includes(address),
  };
  return { clock, cluster, facts, disk, parts };
};
