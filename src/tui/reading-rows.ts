// One row for each reading of a node. A missing reading gives the reason; a stale one is marked and keeps its last
// value.

import { formatAge, formatUptime } from '../core/figure/duration.ts';
import {
  figureText,
  formatBitsPerSecond,
  formatBytes,
  formatBytesOf,
  formatBytesPerSecond,
  formatCapacityBytes,
  formatCelsius,
  formatCount,
  formatNominalBitsPerSecond,
  formatPercent,
  formatWatts,
} from '../core/figure/figure.ts';
import { cpuLimitText, type NodeContainer } from '../core/node/container.ts';
import type { DiskVolume } from '../core/node/disk.ts';
import type { DiskTraffic } from '../core/node/disk-traffic.ts';
import { engineName, inFlightText, modelsText, type NodeEngine } from '../core/node/engines.ts';
import type { FailedGpu } from '../core/node/failed-gpu.ts';
import type { NodeIdentity } from '../core/node/identity.ts';
import { gpusOf, ownMemoryGpus } from '../core/node/memory-use.ts';
import type { NetworkInterface } from '../core/node/network.ts';
import type { NodeReadings, NodeView } from '../core/node/node-view.ts';
import { type PortHealth, portFaults, portFaultText } from '../core/node/port-health.ts';
import { PRESSURED_RESOURCES } from '../core/node/pressure.ts';
import type { RdmaDevice } from '../core/node/rdma-devices.ts';
import { NODE_READING_KINDS, type NodeReadingKind, readingTitle } from '../core/node/reading.ts';
import { declaredTable } from '../core/node/reading-rows.ts';
import type { ReadingTable, ReadingTableRow } from '../core/node/reading-table.ts';
import { knownValue, type ReadingView } from '../core/node/reading-view.ts';
import type { NodeSystem } from '../core/node/system.ts';
import { isLoopbackPort, type PortTraffic } from '../core/node/traffic.ts';
import { isKnown, isUnknown, knownOr } from '../core/unknown.ts';
import { factRows, listFacts } from './fact-rows.ts';
import { failedFacts, findingFact, gpuFacts, xidFacts } from './gpu-facts.ts';
import type { Row } from './layout.ts';
import { memoryFacts } from './memory-facts.ts';
import { figureFact, type Line, named, part, textFact, unknownFact } from './part.ts';
import { topologyRows } from './topology-rows.ts';

export const readingFacts = (view: NodeView, hasGpuTable = false): readonly Row[] => [
  ...factRows('Chip', view.identity, identity => [chipFacts(identity)]),
  ...factRows('System', withoutReason(view.identity), identity => [systemFacts(identity, view.system)]),
  ...factRows(ownMemoryGpus(view).length > 0 ? 'Host memory' : 'Memory', view.memory, memory => [
    memoryFacts(memory),
  ]),
  ...factRows('CPU', view.system, system => [cpuFacts(system)]),
  ...pressureRows(view),
  ...containerRows(view),
  ...(hasGpuTable && gpusOf(view).length > 0 ? gpuFindingRows(view) : gpuFactRows(view)),
  ...gpuErrorRows(view),
  ...engineRows(view),
  ...factRows('Network', view.network, ({ interfaces }) =>
    listFacts(interfaces, interfaceFacts, 'no interfaces'),
  ),
  ...trafficRows(view),
  ...portHealthRows(view),
  ...topologyRows(view),
  ...thunderboltRows(view),
  ...factRows('RDMA', view.rdmaDevices, ({ devices }) => listFacts(devices, rdmaFacts, 'no RDMA devices')),
  ...factRows('Disk', view.disk, ({ volumes }) => listFacts(volumes, volumeFacts, 'no volumes')),
  ...diskTrafficRows(view),
  ...NODE_READING_KINDS.flatMap(reading => declaredRows(view, reading)),
];

/** Not for a machine that does not measure it, nor for a version that does not report it. */
const pressureRows = ({ pressure }: NodeView): readonly Row[] =>
  knownValue(pressure) === undefined
    ? []
    : factRows('Pressure', pressure, ({ host }) => [
        PRESSURED_RESOURCES.map(({ resource, label }) => {
          const reported = host[resource];
          return isUnknown(reported)
            ? named(label, unknownFact(reported))
            : named(label, [part(figureText(formatPercent(reported.some.share10s)))]);
        }),
      ]);

/** For a machine that reports it: disks that are busy now. */
const diskTrafficRows = ({ diskTraffic }: NodeView): readonly Row[] =>
  knownValue(diskTraffic) === undefined
    ? []
    : factRows('Disk traffic', diskTraffic, ({ devices }) => listFacts(devices, diskFacts, 'nothing now'));

/** For a machine with an engine. */
const engineRows = ({ engines }: NodeView): readonly Row[] =>
  (knownValue(engines)?.engines.length ?? 0) === 0
    ? []
    : factRows('Engines', engines, value => listFacts(value.engines, engineFacts, 'none'));

const engineFacts = (engine: NodeEngine): readonly Line[] => {
  const [models, inFlight] = [modelsText(engine), inFlightText(engine)];
  return [
    [part(engineName(engine), 'strong')],
    isUnknown(models) ? named('models', unknownFact(models)) : [part(models)],
    isUnknown(inFlight) ? named('requests', unknownFact(inFlight)) : [part(inFlight)],
    [part(engine.origin, 'dim')],
  ];
};

/** Of a reading whose table is declared: those of its rows that are there. */
const declaredRows = <R extends NodeReadingKind>(view: NodeView, reading: R): readonly Row[] => {
  const shown: NodeReadings[R] = view[reading];
  const table = declaredTable(reading, shown);
  return table === undefined || table.rows.length === 0
    ? []
    : factRows(readingTitle(reading), shown, () =>
        listFacts(table.rows, row => cellFacts(table, row), 'none'),
      );
};

/** What is unknown is on the page. */
const cellFacts = ({ columns }: ReadingTable, { cells }: ReadingTableRow): readonly Line[] =>
  cells.flatMap(({ value, level }, at): readonly Line[] => {
    if (isUnknown(value)) return [];
    const isMarked = level === 'caution' || level === 'danger';
    const fact = part(
      typeof value === 'string' ? value : figureText(formatNominalBitsPerSecond(value.bitsPerSecond)),
      isMarked ? 'caution' : at === 0 ? 'strong' : 'plain',
    );
    const { title = '', isClear = at === 0 } = columns[at] ?? {};
    return [isClear ? [fact] : named(title.toLowerCase(), [fact])];
  });

/** Not for a version that does not report it. */
const trafficRows = ({ traffic }: NodeView): readonly Row[] =>
  traffic.kind === 'waiting'
    ? []
    : factRows('Traffic', traffic, ({ ports }) => listFacts(ports, trafficFacts, 'nothing carried'));

/** Of ports and slots on which something went wrong within the last hour. */
const portHealthRows = ({ portHealth }: NodeView): readonly Row[] => {
  const value = knownValue(portHealth);
  if (value === undefined) return [];
  const faulty = [...value.ports, ...(isUnknown(value.slots) ? [] : value.slots)].filter(
    port => portFaults(port).length > 0,
  );
  return faulty.length === 0
    ? []
    : factRows('Port health', portHealth, () =>
        listFacts(faulty, portHealthFacts, 'nothing in the last hour'),
      );
};

const portHealthFacts = (port: PortHealth): readonly Line[] => [
  [part(port.name, 'strong')],
  ...portFaults(port).map((fault): Line => [part(`${portFaultText(fault)} in an hour`, 'caution')]),
];

/** Only of a node that is limited, or a pod. */
const containerRows = ({ container }: NodeView): readonly Row[] =>
  knownValue(container) === undefined
    ? []
    : factRows('Container', container, value => [containerFacts(value)]);

/** The second row of a missing reading does not repeat the reason. */
const withoutReason = <T>(view: ReadingView<T>): ReadingView<T> =>
  view.kind === 'stale' ? { ...view, kind: 'current' } : view;

const chipFacts = ({ chip, cpuCount, architecture, memoryIsUnified }: NodeIdentity): readonly Line[] => [
  textFact(chip, 'strong'),
  isUnknown(cpuCount) ? unknownFact(cpuCount) : [part(`${cpuCount} CPUs`)],
  [part(architecture)],
  ...(memoryIsUnified === true ? [[part('unified memory')]] : []),
];

const systemFacts = (
  { operatingSystem: { name, version, build }, virtualisation }: NodeIdentity,
  system: ReadingView<NodeSystem>,
): readonly Line[] => {
  const uptime = knownValue(system)?.uptimeSeconds;
  return [
    [part(isKnown(version) && !name.includes(version) ? `${name} ${version}` : name)],
    ...(isKnown(build) ? [[part(build)]] : []),
    ...(isKnown(virtualisation) && virtualisation !== 'none' ? [[part(virtualisation)]] : []),
    ...(typeof uptime === 'number' ? [[part(`up ${formatUptime(uptime)}`)]] : []),
  ];
};

const cpuFacts = (system: NodeSystem): readonly Line[] => [
  figureFact(system.cpuUse, formatPercent, 'strong'),
  named('temperature', figureFact(system.cpuTemperatureCelsius, formatCelsius)),
  named('power', figureFact(system.cpuPowerWatts, formatWatts)),
  ...(isKnown(system.systemPowerWatts)
    ? [named('system', figureFact(system.systemPowerWatts, formatWatts))]
    : []),
  ...(isKnown(system.loadAverage1) ? [named('load', [part(system.loadAverage1.toFixed(2))])] : []),
];

/** The loopback is the same everywhere. */
const interfaceFacts = (item: NetworkInterface): readonly Line[] => {
  if (item.type === 'loopback') return [];
  const { name, type, isUp, speedBitsPerSecond, addresses } = item;
  const isDown = isUp === false;
  return [
    [part(name, isDown ? 'dim' : 'strong')],
    isUnknown(type) ? named('type', unknownFact(type)) : [part(type)],
    isDown
      ? [part('down', 'dim')]
      : named('speed', figureFact(speedBitsPerSecond, formatNominalBitsPerSecond)),
    ...addresses
      .slice(0, ADDRESSES_MAX)
      .map((address): Line => [part(`${address.address}/${address.prefixLength}`)]),
    ...(addresses.length > ADDRESSES_MAX
      ? [[part(`and ${addresses.length - ADDRESSES_MAX} more`, 'dim')]]
      : []),
  ];
};

const thunderboltRows = (view: NodeView): readonly Row[] => {
  if (view.thunderbolt.kind === 'absent' || view.thunderbolt.kind === 'waiting') return [];
  return factRows('Thunderbolt', view.thunderbolt, ({ ports }) =>
    listFacts(
      ports,
      port => [
        textFact(port.interfaceName, 'strong'),
        textFact(port.status),
        ...(isKnown(port.negotiatedBitsPerSecond)
          ? [[part(figureText(formatNominalBitsPerSecond(port.negotiatedBitsPerSecond)))]]
          : []),
        ...port.peers.map((peer): Line => [part(`to ${peer.name}`)]),
      ],
      'no ports',
    ),
  );
};

const rdmaFacts = ({ name, ports }: RdmaDevice): readonly Line[] => [
  [part(name, 'strong')],
  ...ports.map(
    (port): Line => [
      part(`port ${port.number} `, 'dim'),
      ...textFact(port.state),
      ...(isKnown(port.linkLayer) ? [part(` ${port.linkLayer}`)] : []),
      ...(isKnown(port.rateBitsPerSecond)
        ? [part(` ${figureText(formatNominalBitsPerSecond(port.rateBitsPerSecond))}`)]
        : []),
    ],
  ),
];

const volumeFacts = ({ mountPoint, fileSystem, totalBytes, availableBytes }: DiskVolume): readonly Line[] => [
  [part(mountPoint, 'strong')],
  [part(figureText(formatBytesOf(totalBytes - availableBytes, totalBytes)))],
  [part(`${figureText(formatBytes(availableBytes))} free`)],
  ...(isKnown(fileSystem) ? [[part(fileSystem)]] : []),
];

const ADDRESSES_MAX = 3;

// The container of a node in one row: what it may use, and its pod.
const containerFacts = ({ cpuLimit, memoryLimit, pod }: NodeContainer): readonly Line[] => [
  ...(isKnown(cpuLimit) && cpuLimit.kind === 'limited'
    ? [named('limit', [part(cpuLimitText(cpuLimit.cpus))])]
    : []),
  ...(isKnown(memoryLimit) && memoryLimit.kind === 'limited'
    ? [named('memory limit', [part(figureText(formatCapacityBytes(memoryLimit.bytes)))])]
    : []),
  ...(pod.kind === 'pod'
    ? [
        named('pod', textFact(pod.podName)),
        named('namespace', textFact(pod.namespace)),
        named('machine', textFact(pod.machine)),
      ]
    : []),
];

// What the ports and disks of a node carry, a row each: in, out, and what was lost since the counters began.

/** None of the loopback, nor of a port that has never carried anything. */
const trafficFacts = (port: PortTraffic): readonly Line[] => {
  const { name, received, sent, rates } = port;
  if (isLoopbackPort(port) || received.bytes + sent.bytes === 0) return [];
  const lost = [
    ...lossFacts('errors', knownOr(received.errors, 0) + knownOr(sent.errors, 0)),
    ...lossFacts('drops', knownOr(received.drops, 0) + knownOr(sent.drops, 0)),
  ];
  return [
    [part(name, 'strong')],
    ...(isUnknown(rates)
      ? [unknownFact(rates)]
      : [
          named('in', [part(bits(rates.received.bytesPerSecond))]),
          named('out', [part(bits(rates.sent.bytesPerSecond))]),
        ]),
    ...lost,
  ];
};

/** None for an idle disk; a disk whose state is unknown is shown with the reason. */
const diskFacts = ({ name, rates }: DiskTraffic): readonly Line[] => {
  if (isUnknown(rates)) return [[part(name, 'strong')], unknownFact(rates)];
  if (rates.readBytesPerSecond + rates.writtenBytesPerSecond === 0) return [];
  return [
    [part(name, 'strong')],
    named('read', [part(figureText(formatBytesPerSecond(rates.readBytesPerSecond)))]),
    named('write', [part(figureText(formatBytesPerSecond(rates.writtenBytesPerSecond)))]),
    named('busy', [part(figureText(formatPercent(rates.busyShare)))]),
  ];
};

const bits = (bytesPerSecond: number): string => figureText(formatBitsPerSecond(bytesPerSecond * 8));

const lossFacts = (name: string, count: number): readonly Line[] =>
  count === 0 ? [] : [named(name, [part(formatCount(count), 'caution')])];

// The GPUs of a node as rows: those that work, those that cannot be used, and what the kernel's log has of them.
const gpuFactRows = ({ gpus, absentGpus }: NodeView): readonly Row[] => {
  if (gpus.length === 0) {
    const text =
      absentGpus.length === 0 ? 'measuring' : `none: ${absentGpus.map(({ reason }) => reason).join(', ')}`;
    return [{ label: 'GPU', facts: [[part(text, 'dim')]], age: undefined }];
  }
  return gpus.flatMap(({ vendor, inventory, devices, failed }) => {
    if (devices.length === 0 && failed.length === 0)
      return factRows(`GPU ${vendor}`, inventory, () => [[[part('no devices', 'dim')]]]);
    const working = devices.map((gpu): Row => {
      const stale = gpu.isLoadStale ? 'caution' : 'dim';
      const age = gpu.load === undefined ? undefined : part(figureText(formatAge(gpu.loadAgeMs)), stale);
      return { label: `GPU ${gpu.device.index}`, facts: gpuFacts(gpu), age };
    });
    return [...working, ...failed.map(failedRow)];
  });
};

/** Next to a table of the GPUs: only what a person must act on. */
const gpuFindingRows = (view: NodeView): readonly Row[] => [
  ...gpusOf(view).flatMap(({ device, findings }) =>
    findings.length === 0
      ? []
      : [{ label: `GPU ${device.index}`, facts: findings.map(findingFact), age: undefined }],
  ),
  ...view.gpus.flatMap(({ failed }) => failed.map(failedRow)),
];

const failedRow = (gpu: FailedGpu): Row => ({
  label: isKnown(gpu.index) ? `GPU ${gpu.index}` : 'GPU',
  facts: failedFacts(gpu),
  age: undefined,
});

/** Of a machine whose log has some, or may not be read. */
const gpuErrorRows = ({ gpuErrors }: NodeView): readonly Row[] =>
  gpuErrors.kind === 'unavailable' || (knownValue(gpuErrors)?.errors.length ?? 0) > 0
    ? factRows('GPU errors', gpuErrors, ({ errors }, ageMs) =>
        listFacts(errors, error => xidFacts(error, ageMs), 'none'),
      )
    : [];
