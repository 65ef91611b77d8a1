// State back to events: what a recording begins with. Each entry becomes the event that would put it there.

import type { Event, EventHead, Fact } from '../core/event.ts';
import { eventClass, factKey } from '../core/event.ts';
import type { NodeId } from '../core/ids.ts';
import { isNodeId } from '../core/ids.ts';
import type { GpuVendor } from '../core/node/gpu.ts';
import type { Gathered, ReadingConfirmed } from '../core/node/reading.ts';
import { READING_KINDS, readingKey } from '../core/node/reading.ts';
import { entriesOf } from '../core/selectors.ts';
import type { Entry, ReadingEntry, ReadingStatus, State } from '../core/state.ts';

/** Every node that state has an entry or a position of, ascending. */
export const originsOf = (state: State): readonly NodeId[] => {
  const ids = new Set<string>();
  const { unknownKinds: _unread, ...maps } = state;
  for (const map of Object.values(maps)) for (const id of Object.keys(map)) ids.add(id);
  return [...ids].filter(isNodeId).sort();
};

/** Durable ones ascending by seq, then live ones likewise. */
export const eventsOf = (state: State, node: NodeId): readonly Event[] => {
  const events: Event[] = [];
  const add = (entry: Entry<unknown>, fact: Fact): void => {
    events.push(eventFrom(entry, node, fact));
  };
  const reading = <T>(entry: ReadingEntry<T> | undefined, fact: (payload: Gathered<T>) => Fact): void => {
    if (entry === undefined) return;
    const { source, intervalMs, value } = entry;
    add(entry, fact({ source, intervalMs, value }));
  };
  reading(state.nodeIdentities[node], payload => ({ kind: 'identity.gathered', payload }));
  reading(state.nodeMemories[node], payload => ({ kind: 'memory.gathered', payload }));
  reading(state.nodeSystems[node], payload => ({ kind: 'system.gathered', payload }));
  reading(state.nodeNetworks[node], payload => ({ kind: 'network.gathered', payload }));
  reading(state.nodeThunderbolts[node], payload => ({ kind: 'thunderbolt.gathered', payload }));
  reading(state.nodeRdmaDevices[node], payload => ({ kind: 'rdmaDevices.gathered', payload }));
  reading(state.nodeDisks[node], payload => ({ kind: 'disk.gathered', payload }));
  reading(state.nodeConfigs[node], payload => ({ kind: 'config.gathered', payload }));
  for (const entry of entriesOf(state.nodeGpus[node]))
    reading(entry, payload => ({ kind: 'gpus.gathered', payload }));
  for (const entry of entriesOf(state.nodeGpuLoads[node]))
    reading(entry, payload => ({ kind: 'gpuLoads.gathered', payload }));
  for (const [key, entry] of Object.entries(state.readingStatuses[node] ?? {})) {
    const fact = statusFact(key, entry.value);
    if (fact !== undefined) add(entry, fact);
  }
  const plain = <T>(entries: readonly Entry<T>[], fact: (value: T) => Fact): void => {
    for (const entry of entries) add(entry, fact(entry.value));
  };
  plain(entriesOf(state.nodeGpuProfiles[node]), payload => ({ kind: 'gpu.profiled', payload }));
  for (const keys of entriesOf(state.connections[node]))
    plain(entriesOf(keys), payload => ({ kind: 'connection.opened', payload }));
  for (const keys of entriesOf(state.linkProfiles[node]))
    plain(entriesOf(keys), payload => ({ kind: 'link.profiled', payload }));
  plain(entriesOf(state.probeStatuses[node]), payload => ({ kind: 'probe.reported', payload }));
  plain(entriesOf(state.probeBaselines[node]), payload => ({ kind: 'baseline.told', payload }));
  const endpoints = state.nodeEndpoints[node];
  if (endpoints !== undefined) plain([endpoints], payload => ({ kind: 'endpoints.told', payload }));
  plain(entriesOf(state.runners[node]), payload => ({ kind: 'runner.reported', payload }));
  plain(entriesOf(state.runs[node]), payload => ({
    kind: payload.state === 'running' ? 'run.started' : 'run.ended',
    payload,
  }));
  plain(entriesOf(state.runProgress[node]), payload => ({ kind: 'progress.reported', payload }));
  plain(entriesOf(state.nodeForgets[node]), payload => ({ kind: 'node.forgotten', payload }));
  const stop = state.nodeStops[node];
  if (stop !== undefined) plain([stop], payload => ({ kind: 'node.stopping', payload }));
  plain(entriesOf(state.nodeConflicts[node]), payload => ({ kind: 'conflict.seen', payload }));
  return events.sort((a, b) => (a.class === b.class ? a.seq - b.seq : a.class === 'durable' ? -1 : 1));
};

const eventFrom = (entry: Entry<unknown>, origin: NodeId, fact: Fact): Event => {
  const { epoch, seq, ageMs, receivedAtMs } = entry;
  const head: EventHead = {
    origin,
    epoch,
    class: eventClass(fact.kind),
    seq,
    key: factKey(fact),
    ageMs,
    receivedAtMs,
  };
  return { ...head, ...fact };
};

/** A status is held under the name of its reading: "memory", "gpus nvidia". */
const statusFact = (key: string, status: ReadingStatus): Fact | undefined => {
  const { source, intervalMs } = status;
  for (const reading of READING_KINDS)
    for (const vendor of VENDORS) {
      if (readingKey({ reading, vendor }) !== key) continue;
      const payload: ReadingConfirmed = { reading, vendor, source, intervalMs };
      if (status.kind === 'confirmed') return { kind: 'reading.confirmed', payload };
      return { kind: `reading.${status.kind}`, payload: { ...payload, reason: status.reason } };
    }
  return undefined;
};

const VENDORS: readonly (GpuVendor | 'none')[] = ['none', 'nvidia', 'amd', 'apple', 'intel'];
