// One row for each reading of a node. A missing reading gives the reason; a stale one is marked and keeps its last
// value.

import { formatUptime } from '../core/figure/duration.ts';
import {
  figureText,
  formatBytes,
  formatBytesOf,
  formatCelsius,
  formatNominalBitsPerSecond,
  formatPercent,
  formatWatts,
} from '../core/figure/figure.ts';
import type { DiskVolume } from '../core/node/disk.ts';
import type { NodeIdentity } from '../core/node/identity.ts';
import { gpusOf, ownMemoryGpus } from '../core/node/memory-use.ts';
import type { NetworkInterface } from '../core/node/network.ts';
import type { NodeView } from '../core/node/node-view.ts';
import { PRESSURED_RESOURCES } from '../core/node/pressure.ts';
import type { RdmaDevice } from '../core/node/rdma-devices.ts';
import { knownValue, type ReadingView } from '../core/node/reading-view.ts';
import type { NodeSystem } from '../core/node/system.ts';
import { isKnown, isUnknown } from '../core/unknown.ts';
import { containerFacts } from './container-facts.ts';
import { factRows, listFacts } from './fact-rows.ts';
import { figureFact, named, textFact, unknownFact } from './figure.ts';
import { gpuErrorRows, gpuFactRows, gpuFindingRows } from './gpu-rows.ts';
import type { Row } from './layout.ts';
import { memoryFacts } from './memory-facts.ts';
import { type Line, part } from './part.ts';
import { diskFacts, trafficFacts } from './traffic-facts.ts';

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
  ...factRows('Network', view.network, ({ interfaces }) =>
    listFacts(interfaces, interfaceFacts, 'no interfaces'),
  ),
  ...trafficRows(view),
  ...thunderboltRows(view),
  ...factRows('RDMA', view.rdmaDevices, ({ devices }) => listFacts(devices, rdmaFacts, 'no RDMA devices')),
  ...factRows('Disk', view.disk, ({ volumes }) => listFacts(volumes, volumeFacts, 'no volumes')),
  ...diskTrafficRows(view),
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

/** Not for a version that does not report it. */
const trafficRows = ({ traffic }: NodeView): readonly Row[] =>
  traffic.kind === 'waiting'
    ? []
    : factRows('Traffic', traffic, ({ ports }) => listFacts(ports, trafficFacts, 'nothing carried'));

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
