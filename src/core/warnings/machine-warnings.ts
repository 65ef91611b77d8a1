// Builds of macOS that differ, and GPUs that are failing, throttled under load, or slower than before.

import { counted, figureText, formatPercent } from '../figure/figure.ts';
import type { GpuView, NodeView } from '../node/node-view.ts';
import { knownValue } from '../node/reading-view.ts';
import { type DeviceFigure, unusualDeviceFigures, unusualText } from '../probe/unusual-figures.ts';
import type { State } from '../state.ts';
import { plainSentence, sentence } from '../text/sentence.ts';
import { isKnown, knownOr } from '../unknown.ts';
import { gpuHealthWarnings } from './gpu-health-warnings.ts';
import type { FoundWarning } from './warning.ts';

export const machineWarnings = (state: State, views: readonly NodeView[]): readonly FoundWarning[] => {
  const live = views.filter(({ presence }) => presence === 'live');
  return [
    ...live.flatMap(gpuHealthWarnings),
    ...live.flatMap(view => gpuWarnings(state, view)),
    ...buildWarnings(live),
  ];
};

const gpuWarnings = (state: State, view: NodeView): readonly FoundWarning[] =>
  view.gpus.flatMap(({ vendor, devices }) =>
    devices.flatMap(gpu => {
      const isBusy = gpu.load !== undefined && !gpu.isLoadStale && knownOr(gpu.load.use, 0) >= BUSY_SHARE;
      const held = isBusy
        ? [
            ...throttleWarning(view, gpu, LOAD_COMMANDS[vendor]),
            ...lanesWarning(view, gpu, LANE_COMMANDS[vendor]),
          ]
        : [];
      // If it is throttled, that explains its measurements.
      return held.length > 0 ? held : slowWarning(state, view, gpu, LOAD_COMMANDS[vendor]);
    }),
  );

const slowWarning = (
  state: State,
  { nodeId, name }: NodeView,
  { device }: GpuView,
  command = 'plimsoll probe gpu',
): readonly FoundWarning[] => {
  const [slow] = unusualDeviceFigures(state, nodeId, device.deviceId);
  if (slow === undefined) return [];
  return [
    {
      id: `week ${nodeId} ${device.deviceId}`,
      level: 'caution',
      nodes: [nodeId],
      title: sentence`${name}: ${plainSentence(FIGURE_NAMES[slow.figure])} of GPU ${device.index} is ${plainSentence(unusualText(slow))}`,
      why: sentence`Of ${plainSentence(counted(slow.count, 'measurement'))}. Something has changed since: its cooling, a power limit, the driver or other work on it.`,
      on: name,
      command,
    },
  ];
};

const throttleWarning = (
  { nodeId, name }: NodeView,
  { device, load }: GpuView,
  command: string | undefined,
): readonly FoundWarning[] => {
  const reasons = load === undefined ? [] : knownOr(load.throttleReasons, []);
  if (reasons.length === 0) return [];
  return [
    {
      id: `throttled ${nodeId} ${device.deviceId}`,
      level: 'caution',
      nodes: [nodeId],
      title: sentence`${name}: GPU ${device.index} is throttled`,
      why: sentence`Reason under load: ${reasons.slice(0, REASONS_MAX).join(', ')}. Measurements are below what it can do.`,
      on: name,
      ...(command === undefined ? {} : { command }),
    },
  ];
};

/** Links narrow themselves while a device is idle, so only a busy one is checked. */
const lanesWarning = (
  { nodeId, name }: NodeView,
  { device, load }: GpuView,
  command: string | undefined,
): readonly FoundWarning[] => {
  const now = load?.pcieNow;
  const { pcieMax } = device;
  if (now === undefined || !isKnown(now) || !isKnown(pcieMax)) return [];
  if (now.width >= pcieMax.width && now.generation >= pcieMax.generation) return [];
  const part = (now.width * 2 ** now.generation) / (pcieMax.width * 2 ** pcieMax.generation);
  return [
    {
      id: `pcie ${nodeId} ${device.deviceId}`,
      level: 'caution',
      nodes: [nodeId],
      title: sentence`${name}: GPU ${device.index} runs on PCIe ${now.generation} x${now.width} instead of ${pcieMax.generation} x${pcieMax.width}`,
      why: sentence`It is busy and has only ${plainSentence(figureText(formatPercent(part)))} of its possible bandwidth to the host. Check the slot, the riser and the firmware setting.`,
      on: name,
      ...(command === undefined ? {} : { command }),
    },
  ];
};

const buildWarnings = (views: readonly NodeView[]): readonly FoundWarning[] => {
  const builds = new Map<string, NodeView[]>();
  for (const view of views) {
    const system = knownValue(view.identity)?.operatingSystem;
    if (system?.platform !== 'macos' || !isKnown(system.build)) continue;
    const held = builds.get(system.build) ?? [];
    builds.set(system.build, held);
    held.push(view);
  }
  if (builds.size < 2) return [];
  const groups = [...builds].sort(([a], [b]) => (a < b ? -1 : 1));
  const words = groups.map(([build, nodes]) => `${build} on ${nodes.map(({ name }) => name).join(', ')}`);
  return [
    {
      id: `builds ${groups.map(([build]) => build).join(' ')}`,
      level: 'caution',
      nodes: groups.flatMap(([, nodes]) => nodes.map(({ nodeId }) => nodeId)),
      title: plainSentence('The Macs run different builds of macOS'),
      why: sentence`${words.join('; ')}. RDMA over Thunderbolt and MLX are tried with one build on all.`,
      on: 'each of the older runs',
      command: 'sudo softwareupdate --install --all --restart',
    },
  ];
};

const FIGURE_NAMES: Readonly<Record<DeviceFigure, string>> = {
  fp16FlopsPerSecond: 'FP16 compute',
  fp32FlopsPerSecond: 'FP32 compute',
  memoryReadBytesPerSecond: 'memory bandwidth',
  memoryCopyBytesPerSecond: 'copy bandwidth',
};
const LOAD_COMMANDS: Readonly<Record<string, string | undefined>> = {
  nvidia: 'nvidia-smi -q -d PERFORMANCE,POWER,TEMPERATURE',
  amd: 'amd-smi metric',
};
// No -d of `nvidia-smi -q` prints the link alone.
const LANE_COMMANDS: Readonly<Record<string, string | undefined>> = {
  nvidia:
    'nvidia-smi --format=csv --query-gpu=index,pcie.link.gen.current,pcie.link.gen.max,pcie.link.width.current,pcie.link.width.max',
  amd: 'amd-smi metric --pcie',
};
export const BUSY_SHARE = 0.5;
const REASONS_MAX = 3;
