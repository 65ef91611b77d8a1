// Every reading of a node as one row: what, from where, how often, how old, and how it stands.

import type { NodeView, ReadingView } from '../selectors.ts';
import type { State } from '../state.ts';
import type { ReadingKind } from './reading.ts';

export interface ReadingRow {
  readonly key: string;
  readonly title: string;
  readonly source: string;
  readonly intervalMs: number | undefined;
  readonly ageMs: number | undefined;
  readonly state: ReadingView<unknown>['kind'];
  /** Why it is stale or not there; '' otherwise. */
  readonly reason: string;
}

/** `lagMs`: how far the picture lags behind now. */
export const readingRows = (state: State, view: NodeView, lagMs = 0): readonly ReadingRow[] => {
  const { nodeId } = view;
  const row = (
    key: string,
    title: string,
    reading: ReadingView<unknown>,
    entry: { readonly intervalMs: number } | undefined,
  ): ReadingRow => {
    const status = state.readingStatuses[nodeId]?.[key];
    return {
      key,
      title,
      source: reading.kind === 'waiting' ? (status?.value.source ?? '') : reading.source,
      intervalMs:
        status?.value.kind === 'confirmed'
          ? status.value.intervalMs
          : (entry?.intervalMs ?? status?.value.intervalMs),
      ageMs: reading.kind === 'waiting' ? undefined : reading.ageMs + lagMs,
      state: reading.kind,
      reason: 'reason' in reading ? reading.reason : '',
    };
  };
  return [
    row('identity', TITLES.identity, view.identity, state.nodeIdentities[nodeId]),
    row('memory', TITLES.memory, view.memory, state.nodeMemories[nodeId]),
    row('system', TITLES.system, view.system, state.nodeSystems[nodeId]),
    ...view.gpus.flatMap(({ vendor, inventory, loads }) => [
      row(
        `gpus ${vendor}`,
        `${TITLES.gpus}, ${VENDORS[vendor]}`,
        inventory,
        state.nodeGpus[nodeId]?.[vendor],
      ),
      row(
        `gpuLoads ${vendor}`,
        `${TITLES.gpuLoads}, ${VENDORS[vendor]}`,
        loads,
        state.nodeGpuLoads[nodeId]?.[vendor],
      ),
    ]),
    row('network', TITLES.network, view.network, state.nodeNetworks[nodeId]),
    row('thunderbolt', TITLES.thunderbolt, view.thunderbolt, state.nodeThunderbolts[nodeId]),
    row('rdmaDevices', TITLES.rdmaDevices, view.rdmaDevices, state.nodeRdmaDevices[nodeId]),
    row('disk', TITLES.disk, view.disk, state.nodeDisks[nodeId]),
    row('config', TITLES.config, view.config, state.nodeConfigs[nodeId]),
  ];
};

/** What is not on this machine, one line a thing; the makers of GPUs that it has none of share one. */
export const missingReadings = (
  rows: readonly ReadingRow[],
  { absentGpus }: NodeView,
): readonly { readonly key: string; readonly title: string; readonly reason: string }[] => [
  ...(absentGpus.length === 0
    ? []
    : [{ key: 'gpus', title: TITLES.gpus, reason: absentGpus.map(({ reason }) => reason).join(', ') }]),
  ...rows.filter(row => row.state === 'absent'),
];

export const VENDORS = { nvidia: 'NVIDIA', amd: 'AMD', apple: 'Apple', intel: 'Intel' } as const;

const TITLES: Readonly<Record<ReadingKind, string>> = {
  identity: 'Identity',
  memory: 'Memory',
  system: 'System',
  gpus: 'GPUs',
  gpuLoads: 'GPU load',
  network: 'Network',
  thunderbolt: 'Thunderbolt',
  rdmaDevices: 'RDMA',
  disk: 'Disks',
  config: 'Config',
};
