// Builds of macOS that differ, and GPUs that are held back while they work.

import { figureText, formatPercent } from '../figure/figure.ts';
import type { GpuView, NodeView } from '../node/node-view.ts';
import { heldValue } from '../node/reading-view.ts';
import { isKnown, knownOr } from '../unknown.ts';
import type { Warning } from './warning.ts';

export const machineWarnings = (views: readonly NodeView[]): readonly Warning[] => {
  const live = views.filter(({ presence }) => presence === 'live');
  return [...live.flatMap(gpuWarnings), ...buildWarnings(live)];
};

const gpuWarnings = (view: NodeView): readonly Warning[] =>
  view.gpus.flatMap(({ vendor, devices }) =>
    devices
      .filter(
        ({ load, isLoadStale }) => load !== undefined && !isLoadStale && knownOr(load.use, 0) >= BUSY_SHARE,
      )
      .flatMap(gpu => [
        ...throttleWarning(view, gpu, LOAD_COMMANDS[vendor]),
        ...lanesWarning(view, gpu, LANE_COMMANDS[vendor]),
      ]),
  );

const throttleWarning = (
  { nodeId, name }: NodeView,
  { device, load }: GpuView,
  command: string | undefined,
): readonly Warning[] => {
  const reasons = load === undefined ? [] : knownOr(load.throttleReasons, []);
  if (reasons.length === 0) return [];
  return [
    {
      id: `throttled ${nodeId} ${device.deviceId}`,
      level: 'caution',
      nodes: [nodeId],
      title: `${name}: GPU ${device.index} is throttled`,
      why: `Reason under load: ${reasons.slice(0, REASONS_MAX).join(', ')}. Measurements are below what it can do.`,
      on: name,
      ...(command === undefined ? {} : { command }),
    },
  ];
};

/** Links narrow themselves while a device idles, so only a busy one is asked. */
const lanesWarning = (
  { nodeId, name }: NodeView,
  { device, load }: GpuView,
  command: string | undefined,
): readonly Warning[] => {
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
      title: `${name}: GPU ${device.index} runs on PCIe ${now.generation} x${now.width} instead of ${pcieMax.generation} x${pcieMax.width}`,
      why: `It is busy and has only ${figureText(formatPercent(part))} of its possible bandwidth to the host. Check the slot, the riser and the firmware setting.`,
      on: name,
      ...(command === undefined ? {} : { command }),
    },
  ];
};

const buildWarnings = (views: readonly NodeView[]): readonly Warning[] => {
  const builds = new Map<string, NodeView[]>();
  for (const view of views) {
    const system = heldValue(view.identity)?.operatingSystem;
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
      title: 'The Macs run different builds of macOS',
      why: `${words.join('; ')}. RDMA over Thunderbolt and MLX are tried with one build on all.`,
      on: 'each of the older runs',
      command: 'sudo softwareupdate --install --all --restart',
    },
  ];
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
const BUSY_SHARE = 0.5;
const REASONS_MAX = 3;
