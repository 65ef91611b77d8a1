// Builds of macOS that differ, and GPUs that are failing, throttled under load, or slower than before.

import { counted, figureText, formatPercent } from '../figure/figure.ts';
import { type FailedGpu, failedGpuAdvice, failedGpuTitle } from '../node/failed-gpu.ts';
import type { GpuVendor } from '../node/gpu.ts';
import { type GpuError, type GpuErrorKind, gpuErrorKind, xidMeaning, xidText } from '../node/gpu-errors.ts';
import type { HealthFinding } from '../node/gpu-health.ts';
import { DEVICE_MEASURES } from '../node/gpu-profile.ts';
import type { GpuView, NodeView } from '../node/node-view.ts';
import { knownValue } from '../node/reading-view.ts';
import { unusualDeviceFigures, unusualText } from '../probe/unusual-figures.ts';
import type { State } from '../state.ts';
import { plainSentence, type Sentence, sentence } from '../text/sentence.ts';
import { shellCommand } from '../text/shell-words.ts';
import { isKnown, knownOr } from '../unknown.ts';
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
      const whileBusy = isBusy
        ? [
            ...throttleWarning(view, gpu, LOAD_COMMANDS[vendor]),
            ...lanesWarning(view, gpu, LANE_COMMANDS[vendor]),
          ]
        : [];
      // If it is throttled, that explains its measurements.
      return whileBusy.length > 0 ? whileBusy : slowWarning(state, view, gpu, LOAD_COMMANDS[vendor]);
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
  const measure = DEVICE_MEASURES.find(({ figure }) => figure === slow.figure);
  return [
    {
      id: `week ${nodeId} ${device.deviceId}`,
      level: 'caution',
      nodes: [nodeId],
      title: sentence`${name}: ${plainSentence(measure?.title ?? slow.figure)} of GPU ${device.index} is ${plainSentence(unusualText(slow))}`,
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
    const views = builds.get(system.build) ?? [];
    builds.set(system.build, views);
    views.push(view);
  }
  if (builds.size < 2) return [];
  const groups = [...builds].sort(([a], [b]) => (a < b ? -1 : 1));
  const texts = groups.map(([build, nodes]) => `${build} on ${nodes.map(({ name }) => name).join(', ')}`);
  return [
    {
      id: `builds ${groups.map(([build]) => build).join(' ')}`,
      level: 'caution',
      nodes: groups.flatMap(([, nodes]) => nodes.map(({ nodeId }) => nodeId)),
      title: plainSentence('The Macs run different builds of macOS'),
      why: sentence`${texts.join('; ')}. RDMA over Thunderbolt and MLX are tried with one build on all.`,
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
export const BUSY_SHARE = 0.5;
const REASONS_MAX = 3;

// GPUs that are lost or must be reset, whose memory is failing, or for which the kernel's log has errors of
// the last day.

/** For a node that is up. */
const gpuHealthWarnings = (view: NodeView): readonly FoundWarning[] => [
  ...failedWarnings(view),
  ...counterWarnings(view),
  ...xidWarnings(view),
];

const failedWarnings = ({ nodeId, name, gpus, gpuErrors }: NodeView): readonly FoundWarning[] =>
  gpus.flatMap(({ vendor, failed }) =>
    failed.map(
      (gpu): FoundWarning => ({
        id: `gpu ${gpu.state} ${nodeId} ${gpu.deviceId}`,
        level: 'danger',
        nodes: [nodeId],
        title: sentence`${name}: ${failedGpuTitle(gpu)}`,
        why: sentence`${gpu.name}: ${gpu.reason}.${loggedText(gpu, gpuErrors)} ${plainSentence(failedGpuAdvice(gpu))}`,
        on: name,
        command: failedCommand(vendor, gpu),
      }),
    ),
  );

/** The kernel's log usually has the cause: it becomes part of this warning, not a warning of its own. */
const loggedText = (gpu: FailedGpu, gpuErrors: NodeView['gpuErrors']): Sentence => {
  const logged = (knownValue(gpuErrors)?.errors ?? []).filter(
    error => isOf(error, gpu) && xidMeaning(error).level !== 'note',
  );
  return logged.length === 0
    ? plainSentence('')
    : sentence` Logged of it: ${logged.map(xidText).join('; ')}.`;
};

/** NVIDIA's driver writes the address of a device without its function: "0000:1b:00" for "0000:1b:00.0". */
const isOf = ({ address }: GpuError, { pciAddress }: FailedGpu): boolean => {
  const failed = knownOr(pciAddress, '');
  return failed !== '' && address !== '' && (failed === address || failed.startsWith(`${address}.`));
};

const failedCommand = (vendor: GpuVendor, { state, pciAddress, index }: FailedGpu): string => {
  const which = knownOr(pciAddress, `${knownOr(index, 0)}`);
  return state === 'needs-reset' && vendor === 'nvidia'
    ? shellCommand`sudo nvidia-smi --gpu-reset -i ${which}`
    : 'sudo systemctl reboot';
};

const findingCommand = (
  vendor: GpuVendor,
  code: HealthFinding['code'],
  index: number,
): string | undefined => {
  if (vendor === 'nvidia') return NVIDIA_COMMANDS[code](index);
  return vendor === 'amd' ? 'amd-smi metric --ecc' : undefined;
};

const counterWarnings = ({ nodeId, name, gpus }: NodeView): readonly FoundWarning[] =>
  gpus.flatMap(({ vendor, devices }) =>
    devices.flatMap(({ device, findings }) =>
      findings.map(({ code, level, what, why }): FoundWarning => {
        const command = findingCommand(vendor, code, device.index);
        return {
          id: `gpu ${code} ${nodeId} ${device.deviceId}`,
          level,
          nodes: [nodeId],
          title: sentence`${name}: GPU ${device.index}: ${what}`,
          why: sentence`${why}`,
          on: name,
          ...(command === undefined ? {} : { command }),
        };
      }),
    ),
  );

/** Without errors that a program on the device caused: those are only on the node's page. */
const xidWarnings = ({ nodeId, name, gpus, gpuErrors }: NodeView): readonly FoundWarning[] => {
  const failed = gpus.flatMap(vendor => vendor.failed);
  return (knownValue(gpuErrors)?.errors ?? []).flatMap((error): readonly FoundWarning[] => {
    const { address, count, newestAgeMs, text } = error;
    const { level } = xidMeaning(error);
    const ageMs = newestAgeMs + ('ageMs' in gpuErrors ? gpuErrors.ageMs : 0);
    if (level === 'note' || ageMs > NEWS_MS || failed.some(gpu => isOf(error, gpu))) return [];
    const times = count === 1 ? 'once' : `${count} times`;
    return [
      {
        id: `gpu ${gpuErrorKind(error)} ${nodeId} ${address} ${error.xid}`,
        level,
        nodes: [nodeId],
        title: sentence`${name}: ${xidText(error)}`,
        why: sentence`Logged ${plainSentence(times)} of the device ${address} since the machine started${text === '' ? plainSentence('') : sentence`, last as "${text}"`}.`,
        on: name,
        command: shellCommand`sudo dmesg -T | grep -F -e ${LOG_PATTERNS[gpuErrorKind(error)] ?? address}`,
      },
    ];
  });
};

const LOG_PATTERNS: Readonly<Partial<Record<GpuErrorKind, string>>> = { xid: 'NVRM: Xid', sxid: 'SXid' };
/** A day later it is history, and remains on the node's page. */
const NEWS_MS = 86_400_000;
/** Commands of NVIDIA's tool that print each; https://docs.nvidia.com/deploy/nvidia-smi/index.html. */
const NVIDIA_COMMANDS: Readonly<Record<HealthFinding['code'], (index: number) => string>> = {
  uncorrected: index => shellCommand`nvidia-smi -q -d ECC,PAGE_RETIREMENT,ROW_REMAPPER -i ${index}`,
  unrepaired: index => shellCommand`nvidia-smi -q -d ECC,PAGE_RETIREMENT,ROW_REMAPPER -i ${index}`,
  pending: index => shellCommand`nvidia-smi -q -d ECC,PAGE_RETIREMENT,ROW_REMAPPER -i ${index}`,
  recovery: index => shellCommand`nvidia-smi -q -i ${index} | grep -i recovery`,
  fabric: index => shellCommand`nvidia-smi -q -i ${index} | grep -A 12 Fabric`,
  links: index => shellCommand`nvidia-smi nvlink --status -i ${index}`,
};
