// Every reading of a node as one row: name, source, interval, age, and state.

import { EVENT_KINDS } from '../event-kinds.ts';
import type { State } from '../state.ts';
import { readingKey } from './gathered.ts';
import { type GpuVendor, VENDOR_NAMES } from './gpu.ts';
import type { NodeView } from './node-view.ts';
import {
  gatheredKind,
  NODE_READING_KINDS,
  type NodeReadingKind,
  READING_KINDS,
  type ReadingKind,
  type ReadingValues,
  readingEntry,
  readingTitle,
} from './reading.ts';
import type { ReadingTable } from './reading-table.ts';
import type { ReadingView } from './reading-view.ts';

export interface ReadingRow {
  readonly key: string;
  readonly title: string;
  readonly source: string;
  readonly intervalMs: number | undefined;
  readonly ageMs: number | undefined;
  readonly state: ReadingView<unknown>['kind'];
  /** Why it is stale or missing; '' otherwise. */
  readonly reason: string;
  /** Code of the reason, if it has one. */
  readonly code: string | undefined;
}

/** One reading of a node in its current state. */
interface NodeReading {
  /** "memory", "gpus nvidia". */
  readonly key: string;
  readonly reading: ReadingKind;
  readonly vendor: GpuVendor | 'none';
  readonly view: ReadingView<unknown>;
}

/**
 * Every reading of a node in table order; those of GPUs by vendor, without the vendors that it has none of.
 */
export const readingsOf = (view: NodeView): readonly NodeReading[] => {
  const one = (
    reading: ReadingKind,
    current: ReadingView<unknown>,
    vendor: GpuVendor | 'none' = 'none',
  ): NodeReading => ({ key: readingKey({ reading, vendor }), reading, vendor, view: current });
  const ofGpus = view.gpus.flatMap(({ vendor, inventory, loads, healths }) => [
    one('gpus', inventory, vendor),
    one('gpuLoads', loads, vendor),
    // Missing in a version that does not report it.
    ...(healths.kind === 'waiting' ? [] : [one('gpuHealths', healths, vendor)]),
  ]);
  return READING_KINDS.flatMap(reading => {
    if (isNodeReading(reading)) return [one(reading, view[reading])];
    return reading === 'gpus' ? ofGpus : [];
  });
};

/** In a sentence: "Memory", "NVIDIA GPU load". */
export const readingName = ({ reading, vendor }: NodeReading): string =>
  vendor === 'none' ? readingTitle(reading) : `${VENDOR_NAMES[vendor]} ${readingTitle(reading)}`;

/** `lagMs`: how far the view lags behind now. */
export const readingRows = (state: State, view: NodeView, lagMs = 0): readonly ReadingRow[] =>
  readingsOf(view).map(({ key, reading, vendor, view: current }) => {
    const status = state.readingStatuses[view.nodeId]?.[key]?.value;
    const entry = readingEntry(state, view.nodeId, { reading, vendor });
    const title = readingTitle(reading);
    return {
      key,
      title: vendor === 'none' ? title : `${title}, ${VENDOR_NAMES[vendor]}`,
      source: current.kind === 'waiting' ? (status?.source ?? '') : current.source,
      intervalMs:
        status?.kind === 'confirmed' ? status.intervalMs : (entry?.intervalMs ?? status?.intervalMs),
      ageMs: current.kind === 'waiting' ? undefined : current.ageMs + lagMs,
      state: current.kind,
      reason: 'reason' in current ? current.reason : '',
      code: 'code' in current ? current.code : undefined,
    };
  });

/** What this machine does not have, one line each; the vendors of GPUs that it has none of share one. */
export const missingReadings = (
  rows: readonly ReadingRow[],
  { absentGpus }: NodeView,
): readonly { readonly key: string; readonly title: string; readonly reason: string }[] => [
  ...(absentGpus.length === 0
    ? []
    : [
        {
          key: 'gpus',
          title: readingTitle('gpus'),
          reason: absentGpus.map(({ reason }) => reason).join(', '),
        },
      ]),
  ...rows.filter(row => row.state === 'absent'),
];

/** A reading as the table that its row of the table of kinds declares; undefined without a value, or such a table. */
export const declaredTable = <R extends NodeReadingKind>(
  reading: R,
  view: ReadingView<ReadingValues[R]>,
): ReadingTable | undefined => {
  if (view.kind !== 'current' && view.kind !== 'stale') return undefined;
  return EVENT_KINDS[gatheredKind(reading)].table?.(view.value, view.ageMs);
};

const isNodeReading = (reading: ReadingKind): reading is NodeReadingKind =>
  NODE_READING_KINDS.some(one => one === reading);
