// The figures of one node. Live values are exported only while they are current, so a stalled source shows as a gap and
// a growing age, never as a flat line; inventory stays as long as the node is known.

import type { NodeDiskTraffic } from '../../../core/node/disk-traffic.ts';
import type { NodeView } from '../../../core/node/node-view.ts';
import { PRESSURED_RESOURCES } from '../../../core/node/pressure.ts';
import { readingsOf } from '../../../core/node/reading-rows.ts';
import { knownValue, type ReadingView } from '../../../core/node/reading-view.ts';
import type { NodeTraffic } from '../../../core/node/traffic.ts';
import { isKnown, isUnknown, knownOr } from '../../../core/unknown.ts';
import { addGpuErrors } from './gpu-error-metrics.ts';
import { addAbsentGpus, addGpus, type NodeMetricsMoment } from './gpu-metrics.ts';
import type { Labels, MetricPage } from './metric-page.ts';

export const addNodeMetrics = (
  page: MetricPage,
  view: NodeView,
  { nowMs, wallMs, isShort }: NodeMetricsMoment,
): void => {
  const labels: Labels = { node: view.nodeId, name: view.name };
  page.gauge(NODE.presence, labels, view.presence === 'live');
  page.gauge(NODE.stopped, labels, view.stoppedMs !== undefined);
  for (const { kind, count } of view.refusedKinds) page.counter(NODE.refused, { ...labels, kind }, count);
  addIdentity(page, view, labels);
  addMemory(page, view, labels);
  addSystem(page, view, labels);
  for (const vendor of view.gpus) addGpus(page, vendor, { labels, nowMs, wallMs, isShort });
  for (const { vendor } of view.absentGpus) addAbsentGpus(page, vendor, labels);
  addReadings(page, view, { labels, wallMs, isShort });
  const { gpuErrors } = view;
  if (gpuErrors.kind === 'current')
    addGpuErrors(page, gpuErrors.value, { labels, wallMs, ageMs: gpuErrors.ageMs });
  if (isShort) return;
  addPressure(page, view, labels);
  addContainer(page, view, labels);
  addNetwork(page, view, labels);
  addTraffic(page, currentValue(view.traffic), labels);
  addDisks(page, view, labels);
  addDiskTraffic(page, currentValue(view.diskTraffic), labels);
};

const addIdentity = (page: MetricPage, view: NodeView, labels: Labels): void => {
  const identity = knownValue(view.identity);
  if (identity === undefined) return;
  const text = (value: Parameters<typeof isUnknown>[0]): string => (typeof value === 'string' ? value : '');
  page.gauge(
    NODE.info,
    {
      ...labels,
      model: text(identity.model),
      chip: text(identity.chip),
      platform: identity.operatingSystem.platform,
      version: identity.plimsollVersion,
      simulated: String(identity.isSimulated),
    },
    1,
  );
  page.gauge(NODE.cpus, labels, identity.cpuCount);
};

const addMemory = (page: MetricPage, view: NodeView, labels: Labels): void => {
  page.gauge(MEMORY.total, labels, knownValue(view.memory)?.totalBytes);
  const memory = currentValue(view.memory);
  if (memory === undefined) return;
  page.gauge(MEMORY.available, labels, memory.availableBytes);
  page.gauge(MEMORY.swapTotal, labels, memory.swapTotalBytes);
  page.gauge(MEMORY.swapUsed, labels, memory.swapUsedBytes);
  page.gauge(MEMORY.stalled, labels, memory.pressure.stalledShare);
  if (memory.container.kind === 'limited') {
    page.gauge(MEMORY.containerLimit, labels, memory.container.limitBytes);
    page.gauge(MEMORY.containerUsed, labels, memory.container.usedBytes);
  }
};

const addSystem = (page: MetricPage, view: NodeView, labels: Labels): void => {
  const system = currentValue(view.system);
  if (system === undefined) return;
  page.gauge(SYSTEM.cpuUse, labels, system.cpuUse);
  page.gauge(SYSTEM.cpuTemperature, labels, system.cpuTemperatureCelsius);
  page.gauge(SYSTEM.cpuPower, labels, system.cpuPowerWatts);
  page.gauge(SYSTEM.systemPower, labels, system.systemPowerWatts);
  page.gauge(SYSTEM.load, labels, system.loadAverage1);
  page.gauge(SYSTEM.uptime, labels, system.uptimeSeconds);
};

const addPressure = (page: MetricPage, view: NodeView, labels: Labels): void => {
  const pressure = currentValue(view.pressure);
  if (pressure === undefined) return;
  const groups = [
    ['host', pressure.host] as const,
    ...(pressure.controlGroup.kind === 'group' ? [['control_group', pressure.controlGroup] as const] : []),
  ];
  for (const [of, resources] of groups) {
    for (const { resource } of PRESSURED_RESOURCES) {
      const reported = resources[resource];
      if (isUnknown(reported)) continue;
      for (const [waiting, time] of [['some', reported.some] as const, ['full', reported.full] as const]) {
        if (isUnknown(time)) continue;
        const ofResource = { ...labels, of, resource, waiting };
        page.gauge(PRESSURE.share, ofResource, time.share10s);
        page.counter(PRESSURE.total, ofResource, time.totalMicroseconds / 1e6);
      }
    }
  }
};

const addContainer = (page: MetricPage, view: NodeView, labels: Labels): void => {
  const container = knownValue(view.container);
  if (container === undefined) return;
  const { cpuLimit, pod } = container;
  if (isKnown(cpuLimit) && cpuLimit.kind === 'limited') page.gauge(CONTAINER.cpuLimit, labels, cpuLimit.cpus);
  if (pod.kind !== 'pod') return;
  page.gauge(
    CONTAINER.pod,
    {
      ...labels,
      machine: knownOr(pod.machine, ''),
      pod: knownOr(pod.podName, ''),
      namespace: knownOr(pod.namespace, ''),
    },
    1,
  );
};

const addNetwork = (page: MetricPage, view: NodeView, labels: Labels): void => {
  for (const port of currentValue(view.network)?.interfaces ?? []) {
    const portLabels = { ...labels, interface: port.name };
    page.gauge(NETWORK.up, portLabels, port.isUp);
    const speed = knownOr(port.speedBitsPerSecond, undefined);
    page.gauge(NETWORK.speed, portLabels, speed === undefined ? undefined : speed / 8);
  }
};

const addDisks = (page: MetricPage, view: NodeView, labels: Labels): void => {
  for (const volume of currentValue(view.disk)?.volumes ?? []) {
    const volumeLabels = { ...labels, mount_point: volume.mountPoint };
    page.gauge(DISK.total, volumeLabels, volume.totalBytes);
    page.gauge(DISK.available, volumeLabels, volume.availableBytes);
  }
};

const addReadings = (
  page: MetricPage,
  view: NodeView,
  { labels, wallMs, isShort }: Omit<NodeMetricsMoment, 'nowMs'> & { readonly labels: Labels },
): void => {
  for (const { key, view: shown } of readingsOf(view)) {
    // What a machine does not have is neither late nor failing.
    if (shown.kind === 'waiting' || shown.kind === 'absent') continue;
    // In short, only what somebody has to look at.
    if (isShort && shown.kind === 'current') continue;
    const readingLabels = { ...labels, reading: snakeCase(key) };
    // An unavailable reading has no value that could have an age.
    if (shown.kind !== 'unavailable')
      page.gauge(NODE.readingTime, readingLabels, (wallMs - shown.ageMs) / 1_000);
    page.gauge(NODE.readingCurrent, readingLabels, shown.kind === 'current');
  }
};

/** "rdmaDevices" as Prometheus writes names; "gpus nvidia" with its vendor behind. */
const snakeCase = (key: string): string =>
  key.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`).replace(' ', '_');

const currentValue = <T>(view: ReadingView<T>): T | undefined =>
  view.kind === 'current' ? view.value : undefined;

const NODE = {
  info: {
    name: 'plimsoll_node_info',
    help: 'Always 1; describes the machine in labels (empty where unknown).',
  },
  refused: {
    name: 'plimsoll_node_events_refused_total',
    help: 'Events past the bound on entries of one node and kind.',
  },
  presence: { name: 'plimsoll_node_live', help: '1 while the node is up, 0 when it is stale or offline.' },
  stopped: {
    name: 'plimsoll_node_stopped',
    help: '1 if the node announced that it is stopping, 0 if it is up or disappeared without notice.',
  },
  cpus: { name: 'plimsoll_node_logical_cpus', help: 'Logical processors.' },
  readingTime: {
    name: 'plimsoll_reading_timestamp_seconds',
    help: 'When the newest value of a reading was read.',
  },
  readingCurrent: {
    name: 'plimsoll_reading_current',
    help: '1 while a reading arrives on time, 0 when it is late or failing.',
  },
} as const;

const MEMORY = {
  total: { name: 'plimsoll_node_memory_total_bytes', help: "The host's memory." },
  available: {
    name: 'plimsoll_node_memory_available_bytes',
    help: 'Memory that a new program could get without swapping.',
  },
  swapTotal: { name: 'plimsoll_node_swap_total_bytes', help: 'Swap space.' },
  swapUsed: { name: 'plimsoll_node_swap_used_bytes', help: 'Swap space in use.' },
  stalled: {
    name: 'plimsoll_node_memory_stalled_ratio',
    help: 'Share of the last 10 s in which some task waited for memory.',
  },
  containerLimit: { name: 'plimsoll_node_container_memory_limit_bytes', help: "The control group's limit." },
  containerUsed: { name: 'plimsoll_node_container_memory_used_bytes', help: "The control group's usage." },
} as const;

const SYSTEM = {
  cpuUse: { name: 'plimsoll_node_cpu_use_ratio', help: 'Share of time in which processors were busy.' },
  cpuTemperature: { name: 'plimsoll_node_cpu_temperature_celsius', help: 'Processor temperature.' },
  cpuPower: { name: 'plimsoll_node_cpu_power_watts', help: 'Processor power.' },
  systemPower: { name: 'plimsoll_node_system_power_watts', help: 'Power of the whole machine.' },
  load: { name: 'plimsoll_node_load1', help: 'Runnable tasks, one-minute mean.' },
  uptime: { name: 'plimsoll_node_uptime_seconds', help: 'Time since the machine started.' },
} as const;

const PRESSURE = {
  share: {
    name: 'plimsoll_node_pressure_ratio',
    help: 'Share of the last 10 s in which some task, or all, waited for a resource (PSI).',
  },
  total: {
    name: 'plimsoll_node_pressure_waiting_seconds_total',
    help: 'Time in which some task, or all, waited for a resource (PSI).',
  },
} as const;

const CONTAINER = {
  cpuLimit: {
    name: 'plimsoll_node_container_cpu_limit',
    help: 'Processors that the container may use; the machine has plimsoll_node_logical_cpus.',
  },
  pod: { name: 'plimsoll_node_pod_info', help: 'Pod, namespace and machine of a daemon in Kubernetes.' },
} as const;

const NETWORK = {
  up: { name: 'plimsoll_network_interface_up', help: '1 with a carrier and switched on.' },
  speed: { name: 'plimsoll_network_interface_speed_bytes_per_second', help: 'Negotiated rate.' },
} as const;

const DISK = {
  total: { name: 'plimsoll_disk_total_bytes', help: 'Size of a volume.' },
  available: { name: 'plimsoll_disk_available_bytes', help: 'Available to an unprivileged program.' },
} as const;

// What interfaces and RDMA ports have carried, as counters: rates of any length come from `rate(…)`. With the names that
// node_exporter made usual, in one family with a direction as its label.
const addTraffic = (page: MetricPage, traffic: NodeTraffic | undefined, labels: Labels): void => {
  for (const { name, kind, received, sent } of traffic?.ports ?? []) {
    for (const [direction, counts] of [['receive', received] as const, ['transmit', sent] as const]) {
      const portLabels = { ...labels, interface: name, counter: kind, direction };
      page.counter(TRAFFIC.bytes, portLabels, counts.bytes);
      page.counter(TRAFFIC.packets, portLabels, counts.packets);
      page.counter(TRAFFIC.errors, portLabels, counts.errors);
      page.counter(TRAFFIC.drops, portLabels, counts.drops);
    }
  }
};

const TRAFFIC = {
  bytes: { name: 'plimsoll_network_bytes_total', help: 'Bytes that an interface or RDMA port has carried.' },
  packets: { name: 'plimsoll_network_packets_total', help: 'Packets that the interface has carried.' },
  errors: {
    name: 'plimsoll_network_errors_total',
    help: 'Packets that were received or sent with an error.',
  },
  drops: { name: 'plimsoll_network_drops_total', help: 'Valid packets that were dropped.' },
} as const;

// What disks have carried, as counters: rates of any length come from `rate(…)`.
const addDiskTraffic = (page: MetricPage, traffic: NodeDiskTraffic | undefined, labels: Labels): void => {
  for (const { name, readBytes, writtenBytes, reads, writes, busyMs } of traffic?.devices ?? []) {
    const diskLabels = { ...labels, disk: name };
    page.counter(DISK_IO.bytes, { ...diskLabels, direction: 'read' }, readBytes);
    page.counter(DISK_IO.bytes, { ...diskLabels, direction: 'write' }, writtenBytes);
    page.counter(DISK_IO.requests, { ...diskLabels, direction: 'read' }, reads);
    page.counter(DISK_IO.requests, { ...diskLabels, direction: 'write' }, writes);
    page.counter(DISK_IO.busy, diskLabels, busyMs / 1_000);
  }
};

const DISK_IO = {
  bytes: { name: 'plimsoll_disk_io_bytes_total', help: 'Bytes that a disk has read or written.' },
  requests: {
    name: 'plimsoll_disk_io_requests_total',
    help: 'Reads and writes that the disk has completed.',
  },
  busy: { name: 'plimsoll_disk_io_busy_seconds_total', help: 'Time in which the disk was busy.' },
} as const;
