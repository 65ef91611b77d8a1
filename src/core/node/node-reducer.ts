// Readings into their slices: one entry a node, or one a node and GPU vendor.

import { changed, entryOf, put, readingEntryOf } from '../entries.ts';
import type { KnownEvent } from '../event.ts';
import type { ReadingStatus, State } from '../state.ts';

/** The events that speak of a node's own readings. */
export type ReadingEvent = Extract<
  KnownEvent,
  { kind: `${string}.gathered` | 'reading.confirmed' | 'reading.failed' | 'reading.absent' }
>;

export const applyReading = (state: State, event: ReadingEvent): State => {
  const { origin, key } = event;
  switch (event.kind) {
    case 'identity.gathered':
      return changed(state, {
        nodeIdentities: put(state.nodeIdentities, origin, readingEntryOf(event, event.payload)),
      });
    case 'memory.gathered':
      return changed(state, {
        nodeMemories: put(state.nodeMemories, origin, readingEntryOf(event, event.payload)),
      });
    case 'system.gathered':
      return changed(state, {
        nodeSystems: put(state.nodeSystems, origin, readingEntryOf(event, event.payload)),
      });
    case 'network.gathered':
      return changed(state, {
        nodeNetworks: put(state.nodeNetworks, origin, readingEntryOf(event, event.payload)),
      });
    case 'thunderbolt.gathered':
      return changed(state, {
        nodeThunderbolts: put(state.nodeThunderbolts, origin, readingEntryOf(event, event.payload)),
      });
    case 'rdmaDevices.gathered':
      return changed(state, {
        nodeRdmaDevices: put(state.nodeRdmaDevices, origin, readingEntryOf(event, event.payload)),
      });
    case 'disk.gathered':
      return changed(state, {
        nodeDisks: put(state.nodeDisks, origin, readingEntryOf(event, event.payload)),
      });
    case 'config.gathered':
      return changed(state, {
        nodeConfigs: put(state.nodeConfigs, origin, readingEntryOf(event, event.payload)),
      });
    case 'gpus.gathered': {
      const vendors = { ...state.nodeGpus[origin], [key]: readingEntryOf(event, event.payload) };
      return changed(state, { nodeGpus: put(state.nodeGpus, origin, vendors) });
    }
    case 'gpuLoads.gathered': {
      const vendors = { ...state.nodeGpuLoads[origin], [key]: readingEntryOf(event, event.payload) };
      return changed(state, { nodeGpuLoads: put(state.nodeGpuLoads, origin, vendors) });
    }
    case 'reading.confirmed':
    case 'reading.failed':
    case 'reading.absent':
      return applyStatus(state, event);
    default:
      return event satisfies never;
  }
};

const applyStatus = (state: State, event: StatusEvent): State => {
  const statuses = { ...state.readingStatuses[event.origin], [event.key]: entryOf(event, statusOf(event)) };
  return changed(state, { readingStatuses: put(state.readingStatuses, event.origin, statuses) });
};

type StatusEvent = Extract<ReadingEvent, { kind: 'reading.confirmed' | 'reading.failed' | 'reading.absent' }>;

const statusOf = (event: StatusEvent): ReadingStatus => {
  const { source, intervalMs } = event.payload;
  switch (event.kind) {
    case 'reading.confirmed':
      return { kind: 'confirmed', source, intervalMs };
    case 'reading.failed':
      return { kind: 'failed', source, intervalMs, reason: event.payload.reason };
    case 'reading.absent':
      return { kind: 'absent', source, intervalMs, reason: event.payload.reason };
    default:
      return event satisfies never;
  }
};
