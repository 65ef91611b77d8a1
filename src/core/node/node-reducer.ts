// Readings into their slices: one entry a node, or one a node and GPU vendor.

import { entryOf, put, readingEntryOf } from '../entries.ts';
import type { KnownEvent } from '../event.ts';
import type { State } from '../state.ts';

/** The events that speak of a node's own readings. */
export type ReadingEvent = Extract<
  KnownEvent,
  { kind: `${string}.gathered` | 'reading.confirmed' | 'reading.failed' }
>;

export const applyReading = (state: State, event: ReadingEvent): State => {
  const { origin, key } = event;
  switch (event.kind) {
    case 'identity.gathered':
      return {
        ...state,
        nodeIdentities: put(state.nodeIdentities, origin, readingEntryOf(event, event.payload)),
      };
    case 'memory.gathered':
      return {
        ...state,
        nodeMemories: put(state.nodeMemories, origin, readingEntryOf(event, event.payload)),
      };
    case 'system.gathered':
      return { ...state, nodeSystems: put(state.nodeSystems, origin, readingEntryOf(event, event.payload)) };
    case 'network.gathered':
      return {
        ...state,
        nodeNetworks: put(state.nodeNetworks, origin, readingEntryOf(event, event.payload)),
      };
    case 'thunderbolt.gathered':
      return {
        ...state,
        nodeThunderbolts: put(state.nodeThunderbolts, origin, readingEntryOf(event, event.payload)),
      };
    case 'rdmaDevices.gathered':
      return {
        ...state,
        nodeRdmaDevices: put(state.nodeRdmaDevices, origin, readingEntryOf(event, event.payload)),
      };
    case 'disk.gathered':
      return { ...state, nodeDisks: put(state.nodeDisks, origin, readingEntryOf(event, event.payload)) };
    case 'config.gathered':
      return { ...state, nodeConfigs: put(state.nodeConfigs, origin, readingEntryOf(event, event.payload)) };
    case 'gpus.gathered': {
      const vendors = { ...state.nodeGpus[origin], [key]: readingEntryOf(event, event.payload) };
      return { ...state, nodeGpus: put(state.nodeGpus, origin, vendors) };
    }
    case 'gpuLoads.gathered': {
      const vendors = { ...state.nodeGpuLoads[origin], [key]: readingEntryOf(event, event.payload) };
      return { ...state, nodeGpuLoads: put(state.nodeGpuLoads, origin, vendors) };
    }
    case 'reading.confirmed':
    case 'reading.failed':
      return applyStatus(state, event);
    default:
      return event satisfies never;
  }
};

const applyStatus = (
  state: State,
  event: Extract<ReadingEvent, { kind: 'reading.confirmed' | 'reading.failed' }>,
): State => {
  const { source, intervalMs } = event.payload;
  const entry =
    event.kind === 'reading.failed'
      ? entryOf(event, { kind: 'failed' as const, source, intervalMs, reason: event.payload.reason })
      : entryOf(event, { kind: 'confirmed' as const, source, intervalMs });
  const statuses = { ...state.readingStatuses[event.origin], [event.key]: entry };
  return { ...state, readingStatuses: put(state.readingStatuses, event.origin, statuses) };
};
