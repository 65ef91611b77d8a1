// The figures of a node itself: what it is, how full and how busy it is. One row each, in the order in which they are
// exported and shown.

import {
  type FigureRow,
  type FigureUnit,
  type FigureValue,
  gauge,
  POWER,
  TEMPERATURE,
  upDown,
} from '../figure/figure-row.ts';
import { isKnown, knownOr, type Reported } from '../unknown.ts';
import { memoryUsedBytes, type NodeMemory } from './memory.ts';
import type { NodeView } from './node-view.ts';
import type { NodeReadingKind } from './reading.ts';
import { knownValue } from './reading-view.ts';
import type { NodeSystem } from './system.ts';

type NodeRow = FigureRow<NodeView, NodeReadingKind>;
type NodeColumns = Omit<NodeRow, 'label' | 'unit' | 'of' | 'aging'>;

const ofMemory = (
  label: string,
  unit: FigureUnit,
  of: (memory: NodeMemory) => FigureValue,
  row: NodeColumns,
): NodeRow => ({ label, unit, of: ({ memory }) => ofKnown(memory, of), aging: 'memory', ...row });

const ofSystem = (
  label: string,
  unit: FigureUnit,
  of: (system: NodeSystem) => FigureValue,
  row: NodeColumns,
): NodeRow => ({ label, unit, of: ({ system }) => ofKnown(system, of), aging: 'system', ...row });

const ofKnown = <T>(
  view: Parameters<typeof knownValue<T>>[0],
  of: (value: T) => FigureValue,
): FigureValue => {
  const value = knownValue(view);
  return value === undefined ? undefined : of(value);
};

export const NODE_FIGURES: readonly NodeRow[] = [
  {
    unit: 'flag',
    help: '1 while the node is up, 0 when it is stale or offline.',
    of: ({ presence }) => presence === 'live',
    metric: 'plimsoll_node_live',
  },
  {
    unit: 'flag',
    help: '1 if the node announced that it is stopping, 0 if it is up or disappeared without notice.',
    of: ({ stoppedMs }) => stoppedMs !== undefined,
    metric: 'plimsoll_node_stopped',
  },
  {
    unit: '',
    help: 'Always 1; describes the machine in labels (empty where unknown).',
    of: ({ identity }) => ofKnown(identity, () => 1),
    metric: 'plimsoll_node_info',
    labels: {
      model: view => text(knownValue(view.identity)?.model),
      chip: view => text(knownValue(view.identity)?.chip),
      platform: view => knownValue(view.identity)?.operatingSystem.platform ?? '',
      version: view => knownValue(view.identity)?.plimsollVersion ?? '',
      simulated: view => String(knownValue(view.identity)?.isSimulated),
    },
  },
  {
    unit: '',
    help: 'Logical processors.',
    of: ({ identity }) => ofKnown(identity, ({ cpuCount }) => cpuCount),
    metric: 'plimsoll_node_logical_cpus',
  },
  ofSystem('CPU', 'share', ({ cpuUse }) => cpuUse, {
    help: 'Share of time in which processors were busy.',
    metric: 'plimsoll_node_cpu_use_ratio',
    otlp: gauge('system.cpu.utilization', 'Busy share of all processors.'),
    history: 'cpuUse',
    high: 1,
  }),
  ofMemory('Total', 'bytes', ({ totalBytes }) => totalBytes, {
    help: "The host's memory.",
    isKept: true,
    metric: 'plimsoll_node_memory_total_bytes',
    otlp: upDown('system.memory.limit', 'Total memory of the host.'),
    mcp: 'memoryTotal',
  }),
  ofMemory('Used', 'bytes', memoryUsedBytes, {
    help: 'Memory that a new program could not get without swapping.',
    otlp: upDown('system.memory.usage', 'Memory that a new program could not get without swapping.', {
      'system.memory.state': 'used',
    }),
    mcp: 'memoryUsed',
    history: 'memoryUsedBytes',
  }),
  ofMemory('Available', 'bytes', ({ availableBytes }) => availableBytes, {
    help: 'Memory that a new program could get without swapping.',
    metric: 'plimsoll_node_memory_available_bytes',
  }),
  ofMemory('Memory pressure', 'small share', ({ pressure }) => pressure.stalledShare, {
    help: 'Share of the last 10 s in which some task waited for memory.',
    metric: 'plimsoll_node_memory_stalled_ratio',
    history: 'memoryStalledShare',
    high: 0.1,
  }),
  ofMemory('Swap', 'bytes', ({ swapTotalBytes }) => swapTotalBytes, {
    help: 'Swap space.',
    metric: 'plimsoll_node_swap_total_bytes',
  }),
  ofMemory('Swap in use', 'bytes', ({ swapUsedBytes }) => swapUsedBytes, {
    help: 'Swap space in use.',
    metric: 'plimsoll_node_swap_used_bytes',
    shortLabel: 'Swap',
    history: 'swapUsedBytes',
    high: ({ memory }) => Math.max(1, knownOr(knownValue(memory)?.swapTotalBytes ?? 1, 1)),
  }),
  ofMemory('Limit of this container', 'bytes', memory => containerOf(memory)?.limitBytes, {
    help: "The control group's limit.",
    metric: 'plimsoll_node_container_memory_limit_bytes',
  }),
  ofMemory('In use in this container', 'bytes', memory => containerOf(memory)?.usedBytes, {
    help: "The control group's usage.",
    metric: 'plimsoll_node_container_memory_used_bytes',
  }),
  ofMemory('GPU memory, not counted here', 'bytes', memory => gpuNodeBytes(memory), {
    help: 'Memory of GPUs that the kernel lists as NUMA nodes; in no other figure of the memory.',
  }),
  ofSystem('CPU temperature', '°C', ({ cpuTemperatureCelsius }) => cpuTemperatureCelsius, {
    help: 'Processor temperature.',
    metric: 'plimsoll_node_cpu_temperature_celsius',
    otlp: {
      ...TEMPERATURE,
      attributes: { 'hw.id': 'cpu.temperature', 'hw.parent': 'cpu', 'hw.sensor_location': 'cpu' },
    },
    shortLabel: 'Temperature',
    history: 'cpuTemperatureCelsius',
    high: 90,
    isRare: true,
  }),
  ofSystem('CPU power', 'W', ({ cpuPowerWatts }) => cpuPowerWatts, {
    help: 'Processor power.',
    metric: 'plimsoll_node_cpu_power_watts',
    otlp: { ...POWER, attributes: { 'hw.type': 'cpu', 'hw.id': 'cpu' } },
    history: 'cpuPowerWatts',
  }),
  ofSystem('Power of the machine', 'W', ({ systemPowerWatts }) => systemPowerWatts, {
    help: 'Power of the whole machine.',
    metric: 'plimsoll_node_system_power_watts',
    otlp: gauge('hw.host.power', 'Instantaneous power consumed by the entire physical host.', {
      'hw.id': 'host',
    }),
    shortLabel: 'Power',
    history: 'systemPowerWatts',
    high: 100,
    isRare: true,
  }),
  ofSystem('Load, 1 min', 'load', ({ loadAverage1 }) => loadAverage1, {
    help: 'Runnable tasks, one-minute mean.',
    metric: 'plimsoll_node_load1',
    history: 'loadAverage1',
  }),
  ofSystem('Uptime', 's', ({ uptimeSeconds }) => uptimeSeconds, {
    help: 'Time since the machine started.',
    metric: 'plimsoll_node_uptime_seconds',
  }),
  {
    unit: '',
    help: 'Processors that the container may use; the machine has plimsoll_node_logical_cpus.',
    of: ({ container }) =>
      ofKnown(container, ({ cpuLimit }) =>
        isKnown(cpuLimit) && cpuLimit.kind === 'limited' ? cpuLimit.cpus : undefined,
      ),
    isDetail: true,
    metric: 'plimsoll_node_container_cpu_limit',
  },
  {
    unit: '',
    help: 'Pod, namespace and machine of a daemon in Kubernetes.',
    of: view => (podOf(view) === undefined ? undefined : 1),
    isDetail: true,
    metric: 'plimsoll_node_pod_info',
    labels: {
      machine: view => text(podOf(view)?.machine),
      pod: view => text(podOf(view)?.podName),
      namespace: view => text(podOf(view)?.namespace),
    },
  },
];

const containerOf = ({ container }: NodeMemory) => (container.kind === 'limited' ? container : undefined);

const podOf = ({ container }: NodeView) => {
  const pod = knownValue(container)?.pod;
  return pod?.kind === 'pod' ? pod : undefined;
};

const gpuNodeBytes = ({ gpuNodeBytes: bytes }: NodeMemory): number | undefined => {
  const known = bytes === undefined ? 0 : knownOr(bytes, 0);
  return known > 0 ? known : undefined;
};

const text = (value: Reported<string> | undefined): string => (value === undefined ? '' : knownOr(value, ''));
