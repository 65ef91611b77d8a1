// The figures of what a node has several of: interfaces, ports and what they carry, volumes, disks, resources that tasks
// wait for, errors in the log. One row each. Counters have the names that node_exporter made usual, in one family with a
// direction as its label: rates of any length come from `rate(…)`.

import { EVENT_KINDS } from '../event-kinds.ts';
import { ERRORS, type FigureRow, type FigureUnit, type FigureValue, upDown } from '../figure/figure-row.ts';
import { type ItemFigures, itemFigures } from '../figure/item-figures.ts';
import { isUnknown } from '../unknown.ts';
import type { DiskVolume } from './disk.ts';
import type { DiskRates, DiskTraffic } from './disk-traffic.ts';
import { type GpuError, gpuErrorKind, xidMeaning } from './gpu-errors.ts';
import type { NetworkInterface } from './network.ts';
import type { NodePortHealth, PortHealth } from './port-health.ts';
import { type NodePressure, PRESSURED_RESOURCES, type StalledTime } from './pressure.ts';
import { gatheredKind, NODE_READING_KINDS, type NodeReadingKind, type ReadingValues } from './reading.ts';
import type { NodeTraffic, PortCounts, PortTraffic } from './traffic.ts';

export const INTERFACE_FIGURES: readonly FigureRow<NetworkInterface>[] = [
  {
    unit: 'flag',
    help: '1 with a carrier and switched on.',
    of: ({ isUp }) => isUp,
    metric: 'plimsoll_network_interface_up',
    otlp: upDown('hw.network.up', 'Link status: 1 up, 0 down.'),
  },
  {
    unit: 'bits/s',
    help: 'Negotiated rate.',
    of: ({ speedBitsPerSecond }) => speedBitsPerSecond,
    metric: 'plimsoll_network_interface_speed_bytes_per_second',
    otlp: upDown('hw.network.bandwidth.limit', 'Link speed.'),
  },
];

/** One direction of a port. */
interface PortDirection extends Pick<PortTraffic, 'name' | 'kind'> {
  readonly direction: 'receive' | 'transmit';
  readonly counts: PortCounts;
}

export const portDirections = ({ ports }: NodeTraffic): readonly PortDirection[] =>
  ports.flatMap(({ name, kind, received, sent }) => [
    { name, kind, direction: 'receive' as const, counts: received },
    { name, kind, direction: 'transmit' as const, counts: sent },
  ]);

const carried = (
  figure: keyof PortCounts,
  unit: FigureUnit,
  row: Pick<FigureRow<PortDirection>, 'help' | 'metric' | 'otlp'>,
): FigureRow<PortDirection> => ({ unit, of: ({ counts }) => counts[figure], ...row });

export const TRAFFIC_FIGURES: readonly FigureRow<PortDirection>[] = [
  carried('bytes', 'bytes', {
    help: 'Bytes that an interface or RDMA port has carried.',
    metric: 'plimsoll_network_bytes_total',
    otlp: {
      name: 'hw.network.io',
      description: 'Received and transmitted network traffic in bytes.',
      kind: 'counter',
    },
  }),
  carried('packets', 'packets', {
    help: 'Packets that the interface has carried.',
    metric: 'plimsoll_network_packets_total',
    otlp: {
      name: 'hw.network.packets',
      description: 'Received and transmitted network traffic in packets.',
      kind: 'counter',
    },
  }),
  carried('errors', 'errors', {
    help: 'Packets that were received or sent with an error.',
    metric: 'plimsoll_network_errors_total',
    otlp: { ...ERRORS, attributes: { 'hw.type': 'network' } },
  }),
  carried('drops', 'packets', {
    help: 'Valid packets that were dropped.',
    metric: 'plimsoll_network_drops_total',
    otlp: {
      name: 'plimsoll.network.drops',
      description: 'Valid packets that were dropped.',
      kind: 'counter',
    },
  }),
];

/** Half of a sum would look whole. */
const bothWays = ({ received, sent }: PortTraffic, figure: 'errors' | 'drops'): FigureValue => {
  const [a, b] = [received[figure], sent[figure]];
  if (isUnknown(a)) return a;
  return isUnknown(b) ? b : a + b;
};

/** What a port carries now, and has lost since its counters began. */
export const PORT_FIGURES: readonly FigureRow<PortTraffic>[] = [
  ...(['received', 'sent'] as const).map(
    (way): FigureRow<PortTraffic> => ({
      unit: 'bytes/s',
      help: `Rate at which data is ${way}.`,
      of: ({ rates }) => (isUnknown(rates) ? rates : rates[way].bytesPerSecond),
      aging: 'traffic',
      mcp: way,
    }),
  ),
  ...(['errors', 'drops'] as const).map(
    (figure): FigureRow<PortTraffic> => ({
      unit: 'packets',
      help: 'Of both directions, since the counters began.',
      of: port => bothWays(port, figure),
      aging: 'traffic',
      mcp: figure,
    }),
  ),
];

interface CountedFault extends Pick<PortHealth, 'name' | 'kind'> {
  readonly count: PortHealth['counters'][number];
}

const countedFaults = ({ ports, slots }: NodePortHealth): readonly CountedFault[] =>
  [...ports, ...(isUnknown(slots) ? [] : slots)].flatMap(({ name, kind, counters }) =>
    counters.map(count => ({ name, kind, count })),
  );

const COUNTED: FigureRow<CountedFault>['labels'] & {} = {
  kind: ({ kind }) => kind,
  counter: ({ count }) => count.counter,
};

const PORT_HEALTH_FIGURES: readonly FigureRow<CountedFault>[] = [
  {
    unit: 'errors',
    help: 'Carrier changes and errors of a cable or slot, since its counters began.',
    of: ({ count }) => count.total,
    metric: 'plimsoll_port_faults_total',
    labels: COUNTED,
  },
  {
    unit: 'errors',
    help: 'The same, within the last hour.',
    of: ({ count }) => count.lastHour,
    metric: 'plimsoll_port_faults_last_hour',
    labels: COUNTED,
  },
];

const VOLUME_FIGURES: readonly FigureRow<DiskVolume>[] = [
  {
    unit: 'bytes',
    help: 'Size of a volume.',
    of: ({ totalBytes }) => totalBytes,
    metric: 'plimsoll_disk_total_bytes',
  },
  {
    unit: 'bytes',
    help: 'Available to an unprivileged program.',
    of: ({ availableBytes }) => availableBytes,
    metric: 'plimsoll_disk_available_bytes',
  },
];

const DISK_FIGURES: readonly FigureRow<DiskTraffic>[] = [
  ...(
    [
      ['read', 'readBytes'],
      ['write', 'writtenBytes'],
    ] as const
  ).map(
    ([direction, figure]): FigureRow<DiskTraffic> => ({
      unit: 'bytes',
      help: 'Bytes that a disk has read or written.',
      of: disk => disk[figure],
      metric: 'plimsoll_disk_io_bytes_total',
      labels: { direction },
    }),
  ),
  ...(
    [
      ['read', 'reads'],
      ['write', 'writes'],
    ] as const
  ).map(
    ([direction, figure]): FigureRow<DiskTraffic> => ({
      unit: '',
      help: 'Reads and writes that the disk has completed.',
      of: disk => disk[figure],
      metric: 'plimsoll_disk_io_requests_total',
      labels: { direction },
    }),
  ),
  {
    unit: 'ms',
    help: 'Time in which the disk was busy.',
    of: ({ busyMs }) => busyMs,
    metric: 'plimsoll_disk_io_busy_seconds_total',
  },
];

const ofRates = (
  figure: keyof DiskRates,
  unit: FigureUnit,
  mcp: string,
  help: string,
): FigureRow<DiskTraffic> => ({
  unit,
  help,
  of: ({ rates }) => (isUnknown(rates) ? rates : rates[figure]),
  aging: 'diskTraffic',
  mcp,
});

/** What a disk carries now. */
export const DISK_RATE_FIGURES: readonly FigureRow<DiskTraffic>[] = [
  ofRates('readBytesPerSecond', 'bytes/s', 'read', 'Rate at which it is read.'),
  ofRates('writtenBytesPerSecond', 'bytes/s', 'written', 'Rate at which it is written.'),
  ofRates(
    'busyShare',
    'share',
    'busy',
    'Share of time in which it was busy; at 1 it may still take more requests in parallel.',
  ),
];

/** The time that some tasks, or all, waited for one resource of a host or a control group. */
interface Wait {
  readonly of: string;
  readonly resource: string;
  readonly waiting: string;
  readonly time: StalledTime;
}

const waitsOf = ({ host, controlGroup }: NodePressure): readonly Wait[] =>
  [
    ['host', host] as const,
    ...(controlGroup.kind === 'group' ? [['control_group', controlGroup] as const] : []),
  ].flatMap(([of, resources]) =>
    PRESSURED_RESOURCES.flatMap(({ resource }) => {
      const reported = resources[resource];
      if (isUnknown(reported)) return [];
      return [['some', reported.some] as const, ['full', reported.full] as const].flatMap(
        ([waiting, time]) => (isUnknown(time) ? [] : [{ of, resource, waiting, time }]),
      );
    }),
  );

const OF_WAIT: FigureRow<Wait>['labels'] & {} = {
  of: ({ of }) => of,
  resource: ({ resource }) => resource,
  waiting: ({ waiting }) => waiting,
};

const WAIT_FIGURES: readonly FigureRow<Wait>[] = [
  {
    unit: 'share',
    help: 'Share of the last 10 s in which some task, or all, waited for a resource (PSI).',
    of: ({ time }) => time.share10s,
    metric: 'plimsoll_node_pressure_ratio',
    labels: OF_WAIT,
  },
  {
    unit: 'µs',
    help: 'Time in which some task, or all, waited for a resource (PSI).',
    of: ({ time }) => time.totalMicroseconds,
    metric: 'plimsoll_node_pressure_waiting_seconds_total',
    labels: OF_WAIT,
  },
];

/** An error in the log of the kernel, and how old its reading is. */
interface LoggedError {
  readonly error: GpuError;
  readonly readingAgeMs: number;
}

type ErrorLabels = FigureRow<LoggedError>['labels'] & {};

const OF_XID: ErrorLabels = { pci: ({ error }) => error.address, xid: ({ error }) => String(error.xid) };
const OF_OTHER: ErrorLabels = {
  pci: ({ error }) => error.address,
  kind: ({ error }) => gpuErrorKind(error),
  number: ({ error }) => String(error.xid),
};
/** What a number means may depend on its text (154: an action is requested, or none any more): the newest is judged. */
const LEVEL: ErrorLabels = { level: ({ error }) => xidMeaning(error).level };

const LOGGED: FigureRow<LoggedError>['otlp'] & {} = {
  ...ERRORS,
  attributes: {
    'hw.id': ({ error }) => error.address,
    'hw.type': 'gpu',
    'error.type': ({ error }) => {
      const kind = gpuErrorKind(error);
      return kind === 'xid' || kind === 'sxid' ? `${kind}_${error.xid}` : kind.replace('-', '_');
    },
  },
};

const isXid = ({ error }: LoggedError): boolean => gpuErrorKind(error) === 'xid';

const newestAgeMs = ({ error, readingAgeMs }: LoggedError): number => readingAgeMs + error.newestAgeMs;

/** By the PCI address, as the driver logs them: a device that is lost has no other name. */
export const GPU_ERROR_FIGURES: readonly FigureRow<LoggedError>[] = [
  {
    unit: 'errors',
    help: "Errors that NVIDIA's driver has logged since the machine started.",
    of: logged => (isXid(logged) ? logged.error.count : undefined),
    metric: 'plimsoll_gpu_xid_errors_total',
    labels: OF_XID,
    otlp: LOGGED,
  },
  {
    unit: 'age',
    help: "When the newest error of NVIDIA's driver was logged, and how severe it is.",
    of: logged => (isXid(logged) ? newestAgeMs(logged) : undefined),
    metric: 'plimsoll_gpu_xid_timestamp_seconds',
    labels: { ...OF_XID, ...LEVEL },
  },
  {
    unit: 'errors',
    help: 'Errors of NVSwitches (SXid) and resets of AMD and Intel GPUs since the machine started.',
    of: logged => (isXid(logged) ? undefined : logged.error.count),
    metric: 'plimsoll_gpu_driver_errors_total',
    labels: OF_OTHER,
    otlp: LOGGED,
  },
  {
    unit: 'age',
    help: 'When the newest error of an NVSwitch or reset of a GPU was logged, and how severe it is.',
    of: logged => (isXid(logged) ? undefined : newestAgeMs(logged)),
    metric: 'plimsoll_gpu_driver_error_timestamp_seconds',
    labels: { ...OF_OTHER, ...LEVEL },
  },
];

/** By reading, in the order in which they are exported; those of other readings are in their rows of the table of kinds. */
const ITEMS: { readonly [R in NodeReadingKind]?: ItemFigures<ReadingValues[R]> } = {
  pressure: itemFigures(waitsOf, {}, WAIT_FIGURES),
  network: itemFigures(({ interfaces }) => interfaces, { interface: ({ name }) => name }, INTERFACE_FIGURES),
  traffic: itemFigures(
    portDirections,
    { interface: ({ name }) => name, counter: ({ kind }) => kind, direction: ({ direction }) => direction },
    TRAFFIC_FIGURES,
  ),
  portHealth: itemFigures(countedFaults, { port: ({ name }) => name }, PORT_HEALTH_FIGURES),
  disk: itemFigures(
    ({ volumes }) => volumes,
    { mount_point: ({ mountPoint }) => mountPoint },
    VOLUME_FIGURES,
  ),
  diskTraffic: itemFigures(({ devices }) => devices, { disk: ({ name }) => name }, DISK_FIGURES),
};

export const itemFiguresOf = <R extends NodeReadingKind>(
  reading: R,
): ItemFigures<ReadingValues[R]> | undefined => ITEMS[reading] ?? EVENT_KINDS[gatheredKind(reading)].figures;

/** Readings with figures of what a node has several of. */
export const FIGURED_READINGS: readonly NodeReadingKind[] = [
  ...new Set([
    ...Object.keys(ITEMS).flatMap(name => NODE_READING_KINDS.filter(reading => reading === name)),
    ...NODE_READING_KINDS.filter(reading => EVENT_KINDS[gatheredKind(reading)].figures !== undefined),
  ]),
];
