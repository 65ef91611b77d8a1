// Readings as tables of the page of a node. A reading whose row of the table of kinds declares its table is not listed here.

import { formatAge } from '../../../src/core/figure/duration.ts';
import {
  figureText,
  formatBytes,
  formatBytesOf,
  formatCount,
  formatPercent,
} from '../../../src/core/figure/figure.ts';
import type { NodeConfig } from '../../../src/core/node/config.ts';
import { cpuLimitText, type NodeContainer } from '../../../src/core/node/container.ts';
import type { NodeDisk } from '../../../src/core/node/disk.ts';
import { engineName, modelFactsText, modelsText, type NodeEngines } from '../../../src/core/node/engines.ts';
import { gpuErrorName, type NodeGpuErrors, xidMeaning } from '../../../src/core/node/gpu-errors.ts';
import type { NodeReadings } from '../../../src/core/node/node-view.ts';
import { faultyCounts, type NodePortHealth } from '../../../src/core/node/port-health.ts';
import {
  type NodePressure,
  PRESSURED_RESOURCES,
  type Pressure,
  type ResourcePressures,
} from '../../../src/core/node/pressure.ts';
import type { NodeRdmaDevices } from '../../../src/core/node/rdma-devices.ts';
import { type NodeReadingKind, type ReadingValues, readingTitle } from '../../../src/core/node/reading.ts';
import { declaredTable } from '../../../src/core/node/reading-rows.ts';
import {
  countCell,
  type ReadingCell,
  type ReadingTable,
  rateCell,
  readingTable,
} from '../../../src/core/node/reading-table.ts';
import type { ReadingView } from '../../../src/core/node/reading-view.ts';
import type { NodeThunderbolt } from '../../../src/core/node/thunderbolt.ts';
import { priceText } from '../../../src/core/run/run-cost.ts';
import { isKnown, isUnknown, knownOr, type Unknown } from '../../../src/core/unknown.ts';

interface ReadingPanel {
  readonly title: string;
  readonly reading: ReadingView<unknown>;
  readonly table: ReadingTable;
}

/** Undefined for a reading that is no table, and where there is nothing to show. */
export const readingPanel = <R extends NodeReadingKind>(
  view: NodeReadings,
  kind: R,
): ReadingPanel | undefined => {
  const reading: NodeReadings[R] = view[kind];
  const table = tableOf(kind, reading) ?? (isAlwaysShown(kind) ? NOTHING_READ : undefined);
  return table === undefined || (table.rows.length === 0 && table.none === undefined)
    ? undefined
    : { title: readingTitle(kind), reading, table };
};

const tableOf = <R extends NodeReadingKind>(
  kind: R,
  reading: ReadingView<ReadingValues[R]>,
): ReadingTable | undefined =>
  reading.kind === 'current' || reading.kind === 'stale'
    ? (TABLES[kind]?.(reading.value, reading.ageMs) ?? declaredTable(kind, reading))
    : undefined;

/** What every machine has. */
const isAlwaysShown = (kind: NodeReadingKind): boolean => kind === 'disk' || kind === 'config';

const NOTHING_READ: ReadingTable = { name: 'Nothing read', columns: [], rows: [], none: 'nothing read' };

const portHealthTable = (health: NodePortHealth): ReadingTable =>
  readingTable(faultyCounts(health), {
    name: 'Faults of cables and slots, in total and within the last hour',
    columns: [
      { title: 'Port or slot', kind: 'code', of: ({ name }) => name },
      { title: 'Counts', kind: 'prose', of: ({ counted }) => counted },
      { title: 'Total', kind: 'figure', of: ({ total }) => formatCount(total) },
      {
        title: 'Last hour',
        kind: 'figure',
        of: ({ lastHour, isFault }): ReadingCell =>
          isFault && isKnown(lastHour)
            ? { value: `${formatCount(lastHour)} !`, level: 'caution' }
            : { value: countCell(lastHour) },
      },
    ],
  });

const gpuErrorsTable = ({ errors }: NodeGpuErrors, readingAgeMs: number): ReadingTable =>
  readingTable(
    errors.map(error => ({ error, meaning: xidMeaning(error) })),
    {
      name: "Errors of GPUs in the kernel's log, by number and device",
      columns: [
        {
          title: 'Error',
          of: ({ error, meaning }) => ({ value: gpuErrorName(error), level: meaning.level }),
        },
        {
          title: 'Meaning',
          kind: 'sentence',
          of: ({ error: { text }, meaning }) => ({
            value: meaning.text,
            below: [meaning.fault === 'program' ? 'of what ran on it' : '', text].filter(line => line !== ''),
            level: meaning.level,
          }),
        },
        { title: 'Device', kind: 'code', of: ({ error }) => error.address },
        { title: 'Times', kind: 'figure', of: ({ error }) => formatCount(error.count) },
        {
          title: 'Newest',
          kind: 'figure',
          of: ({ error }) => `${figureText(formatAge(error.newestAgeMs + readingAgeMs))} ago`,
        },
      ],
    },
  );

/** Servers of models, and below them what else is at ports that engines use. */
const enginesTable = ({ engines, others }: NodeEngines): ReadingTable => {
  const table = readingTable(engines, {
    name: 'Servers of models on this node',
    none: 'none found at the usual ports',
    columns: [
      {
        title: 'Engine',
        kind: 'prose',
        of: engine => ({ value: engineName(engine), below: [engine.origin] }),
      },
      {
        title: 'Models',
        kind: 'prose',
        of: engine => ({
          value: modelsText(engine),
          below: [modelFactsText(engine)].filter(line => line !== ''),
        }),
      },
      { title: 'In flight', kind: 'figure', of: ({ requestsInFlight }) => countCell(requestsInFlight) },
    ],
  });
  const rest = others.map(({ origin, reason }) => ({
    cells: [origin, `not a server of models: ${reason}`, ''].map(value => ({ value })),
    isDim: true,
  }));
  return { ...table, rows: [...table.rows, ...rest] };
};

const diskTable = ({ volumes }: NodeDisk): ReadingTable =>
  readingTable(
    volumes.map(volume => ({ ...volume, usedBytes: volume.totalBytes - volume.availableBytes })),
    {
      name: 'Mounted volumes',
      none: 'nothing read',
      columns: [
        { title: 'Mounted at', kind: 'prose', of: ({ mountPoint }) => mountPoint },
        {
          title: 'Device',
          kind: 'prose',
          of: ({ device, fileSystem }) => ({ value: device, below: [fileSystem] }),
        },
        {
          title: 'Used',
          kind: 'figure',
          of: ({ usedBytes, totalBytes }) => figureText(formatBytesOf(usedBytes, totalBytes)),
        },
        {
          title: 'Share',
          kind: 'figure',
          of: ({ usedBytes, totalBytes }) =>
            totalBytes > 0 ? figureText(formatPercent(usedBytes / totalBytes)) : '–',
        },
        {
          title: 'Free',
          kind: 'figure',
          of: ({ availableBytes }) => figureText(formatBytes(availableBytes)),
        },
      ],
    },
  );

/** A device works only when a port is active. */
const rdmaTable = ({ devices, isEnabled }: NodeRdmaDevices): ReadingTable =>
  readingTable(
    devices.flatMap(({ name, ports }) => ports.map(port => ({ ...port, name }))),
    {
      name: 'RDMA ports',
      none: isEnabled === false ? 'RDMA is switched off on this machine.' : 'No RDMA device with a port.',
      isDim: ({ state }) => state === 'down',
      columns: [
        { title: 'Device', of: ({ name }) => name },
        { title: 'Port', kind: 'figure', of: ({ number }) => String(number) },
        { title: 'State', of: ({ state }) => state },
        { title: 'Layer', of: ({ linkLayer }) => linkLayer },
        { title: 'Rate', kind: 'figure', of: ({ rateBitsPerSecond }) => rateCell(rateBitsPerSecond) },
        { title: 'Interface', kind: 'code', of: ({ interfaceName }) => interfaceName },
      ],
    },
  );

/** What is negotiated, what the port can, who is at the other end. */
const thunderboltTable = ({ ports, bridge }: NodeThunderbolt): ReadingTable =>
  readingTable(ports, {
    name: 'Thunderbolt ports',
    none: 'no ports',
    columns: [
      { title: 'Port', of: ({ receptacle, busName }) => knownOr(receptacle, busName) },
      { title: 'State', of: ({ status }) => status },
      {
        title: 'Negotiated',
        kind: 'figure',
        of: ({ negotiatedBitsPerSecond }) => rateCell(negotiatedBitsPerSecond),
      },
      {
        title: 'up to',
        kind: 'figure',
        of: ({ capabilityBitsPerSecond }) => rateCell(capabilityBitsPerSecond),
      },
      {
        title: 'Interfaces',
        kind: 'code',
        of: ({ interfaceName, rdmaInterfaceName }) =>
          [interfaceName, rdmaInterfaceName].filter(isKnown).join(' · '),
      },
      {
        title: 'At the other end',
        kind: 'prose',
        of: ({ peers, devices }) => [...peers.map(({ name }) => name), ...devices].join(', '),
      },
    ],
    remarks:
      isKnown(bridge) && bridge.kind === 'present'
        ? [
            `Thunderbolt bridge ${bridge.interfaceName}: ${bridge.isEnabled === true ? 'on' : 'off'}, ${bridge.members.join(', ')}`,
          ]
        : [],
  });

/** How long tasks wait: on the host, and in the control group of the daemon. */
const pressureTable = ({ host, controlGroup }: NodePressure): ReadingTable => {
  const groups: readonly (readonly [string, ResourcePressures])[] = [
    ['Host', host],
    ...(controlGroup.kind === 'group' ? [['Control group', controlGroup] as const] : []),
  ];
  // The reason is stated once in a row.
  const some =
    (time: 'share10s' | 'share60s' | 'share300s') =>
    ({ pressure }: { readonly pressure: Pressure | Unknown }): string | Unknown =>
      isUnknown(pressure)
        ? time === 'share10s'
          ? pressure
          : '–'
        : figureText(formatPercent(pressure.some[time]));
  return readingTable(
    groups.flatMap(([group, resources]) =>
      PRESSURED_RESOURCES.map(({ resource, label }) => ({ group, label, pressure: resources[resource] })),
    ),
    {
      name: 'Share of time in which tasks waited',
      columns: [
        { title: 'Waiting for', of: ({ label, group }) => ({ value: label, below: [group] }) },
        { title: '10 s', kind: 'figure', of: some('share10s') },
        { title: '1 min', kind: 'figure', of: some('share60s') },
        { title: '5 min', kind: 'figure', of: some('share300s') },
        {
          title: 'All tasks waiting, 10 s',
          kind: 'figure',
          of: ({ pressure }) =>
            isUnknown(pressure) || isUnknown(pressure.full)
              ? '–'
              : figureText(formatPercent(pressure.full.share10s)),
        },
      ],
    },
  );
};

type NamedValue = readonly [name: string, value: string | Unknown];

const namedValues = (
  name: string,
  [first, second]: readonly [string, string],
  rows: readonly NamedValue[],
): ReadingTable =>
  readingTable(rows, {
    name,
    columns: [
      { title: first, of: ([of]) => of },
      { title: second, kind: 'prose', of: ([, value]) => value },
    ],
  });

/** What it may use of its machine, and where Kubernetes has put it. */
const containerTable = ({ cpuLimit, memoryLimit, pod }: NodeContainer): ReadingTable => {
  const cpus = isUnknown(cpuLimit)
    ? cpuLimit
    : cpuLimit.kind === 'limited'
      ? cpuLimitText(cpuLimit.cpus)
      : 'none';
  const memory = isUnknown(memoryLimit)
    ? memoryLimit
    : memoryLimit.kind === 'limited'
      ? figureText(formatBytes(memoryLimit.bytes))
      : 'none';
  const limits: readonly NamedValue[] = [
    ['CPU limit', cpus],
    ['Memory limit', memory],
  ];
  const place: readonly NamedValue[] =
    pod.kind === 'none'
      ? []
      : [
          ['Machine', pod.machine],
          ['Pod', pod.podName],
          ['Namespace', pod.namespace],
          ...(isUnknown(pod.labels)
            ? [['Labels of the machine', pod.labels] as const]
            : pod.labels.map(({ label, value }) => [label, value] as const)),
        ];
  return namedValues(
    'Limits of the container and where it runs',
    ['Of the container', 'Now'],
    [...limits, ...place],
  );
};

/** What other nodes may see of its config.toml. */
const configTable = (config: NodeConfig): ReadingTable => {
  const { probes } = config;
  const time = (seconds: number): string => figureText(formatAge(seconds * 1_000));
  const listed = (values: readonly string[]): string => values.join(', ') || 'none';
  return namedValues(
    'Settings that other nodes may see',
    ['Setting', 'Value'],
    [
      ['Tags', listed(config.tags)],
      ['Site', knownOr(config.site, 'none')],
      ['Rack', knownOr(config.rack, 'none')],
      ['Kind', knownOr(config.machineKind, 'by its hardware')],
      ['Price', listed((config.prices ?? []).map(priceText))],
      ['Ignored interfaces', listed(config.ignoredInterfaces)],
      ['Static peers', String(config.staticPeerCount)],
      ['Probes', probes.isEnabled ? 'allowed' : 'not allowed'],
      [
        'Profiles are fresh for',
        `GPU ${time(probes.gpuTtlSeconds)}, socket ${time(probes.socketTtlSeconds)}, RDMA ${time(probes.rdmaTtlSeconds)}`,
      ],
      ['Webhooks', listed(knownOr(config.webhooks, []))],
      ['Endpoints served', listed(config.servedEndpoints)],
    ],
  );
};

const TABLES: {
  readonly [R in NodeReadingKind]?: (value: ReadingValues[R], ageMs: number) => ReadingTable;
} = {
  portHealth: portHealthTable,
  gpuErrors: gpuErrorsTable,
  engines: enginesTable,
  disk: diskTable,
  rdmaDevices: rdmaTable,
  thunderbolt: thunderboltTable,
  pressure: pressureTable,
  container: containerTable,
  config: configTable,
};
