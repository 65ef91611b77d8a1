// GPUs that are lost or must be reset, whose memory is failing, or for which the kernel's log has errors of
// the last day.

import { type FailedGpu, failedGpuAdvice, failedGpuTitle } from '../node/failed-gpu.ts';
import type { GpuVendor } from '../node/gpu.ts';
import { type GpuError, type GpuErrorKind, gpuErrorKind, xidMeaning, xidText } from '../node/gpu-errors.ts';
import type { HealthFinding } from '../node/gpu-health.ts';
import type { NodeView } from '../node/node-view.ts';
import { knownValue } from '../node/reading-view.ts';
import { plainSentence, type Sentence, sentence } from '../text/sentence.ts';
import { shellCommand } from '../text/shell-words.ts';
import { knownOr } from '../unknown.ts';
import type { FoundWarning } from './warning.ts';

/** For a node that is up. */
export const gpuHealthWarnings = (view: NodeView): readonly FoundWarning[] => [
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
