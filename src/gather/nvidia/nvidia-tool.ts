// nvidia-smi itself: where it is, what it prints instead of figures, and what the machine shows of an NVIDIA GPU when
// the tool cannot run, to distinguish "not installed" from "no such GPU here".

import { firstLine } from '../../core/text/single-line.ts';
import { isUnknown, type ReasonCode } from '../../core/unknown.ts';
import { PCI_VENDORS } from '../drm/drm-cards.ts';
import { gpuIsHere } from '../drm/gpu-watch.ts';
import { findPciDisplays } from '../drm/pci-bus.ts';
import { sysfsText } from '../drm/sysfs-file.ts';
import { type GatherSession, sourceFailed } from '../gatherer.ts';
import type { MachineAccess } from '../machine-access.ts';
import { below, type MachinePath } from '../machine-path.ts';
import { type LostMessage, lostMessages } from './lost-gpu.ts';

/** Why nvidia-smi should be there, or undefined: this machine has nothing from NVIDIA. */
export const nvidiaTrace = async (root: MachinePath): Promise<string | undefined> => {
  const version = await sysfsText(below(root, 'proc/driver/nvidia/version'));
  if (!isUnknown(version)) {
    const driver = /Kernel Module\S*(?: for \S+)?\s+([\d.]+)/.exec(version)?.[1];
    return `the NVIDIA driver${driver === undefined ? '' : ` ${driver}`} is loaded, but nvidia-smi is not installed`;
  }
  const [display] = await findPciDisplays(root, PCI_VENDORS.nvidia);
  if (display === undefined) return undefined;
  return display.driver === undefined
    ? `an NVIDIA GPU is on the PCI bus (${display.address}), but its driver is not installed`
    : `the NVIDIA GPU ${display.address} runs on the driver ${display.driver}; nvidia-smi is not installed`;
};

/** Waits for a first GPU of NVIDIA on a machine without one; false if the session has stopped, or nothing can be waited for. */
export const nvidiaIsHere = (
  { root, intervals }: Pick<MachineAccess, 'root' | 'intervals'>,
  session: Pick<GatherSession, 'clock' | 'signal'>,
): Promise<boolean> =>
  gpuIsHere(session, {
    root,
    intervalMs: intervals.identityMs,
    isHere: async () => (await nvidiaTrace(root)) !== undefined,
    onAbsent: () => undefined,
  });

/** The tool's name for PATH, or where systems keep it that do not put it there (WSL, NixOS). */
export const nvidiaTool = async (root: MachinePath): Promise<string> => {
  for (const candidate of TOOLS_OFF_PATH) {
    const path = below(root, candidate);
    if (await isFile(path)) return path.path;
  }
  return 'nvidia-smi';
};

const isFile = async (path: MachinePath): Promise<boolean> => {
  try {
    return (await path.tree.kind(path.path)) === 'file';
  } catch {
    return false; // not there, or not ours to read: PATH decides
  }
};

/** What nvidia-smi prints on stdout instead of figures, worded so a person can act on it. */
type ToolMessage =
  | { readonly kind: 'invalid-field'; readonly field: string; readonly reason: string }
  | { readonly kind: 'no-devices'; readonly reason: string }
  /** GPUs that cannot be opened; figures of others may follow. */
  | {
      readonly kind: 'lost';
      readonly lost: readonly LostMessage[];
      readonly reason: string;
      readonly code: ReasonCode;
    }
  | { readonly kind: 'trouble'; readonly reason: string; readonly code: ReasonCode | undefined };

/** Undefined for unimportant lines (blank ones, notes about events). */
export const readToolMessage = (text: string): ToolMessage | undefined => {
  const field = INVALID_FIELD.exec(text)?.[1];
  if (field !== undefined) {
    return { kind: 'invalid-field', field, reason: `this driver does not know the field ${field}` };
  }
  // Before "No devices were found", which follows where every GPU is lost: that line alone would report an empty machine.
  const lost = lostMessages(text);
  if (lost.length > 0) return { kind: 'lost', lost, reason: lostReason(lost), code: 'no-answer' };
  if (NO_DEVICES.test(text)) return { kind: 'no-devices', reason: 'no NVIDIA device found' };
  for (const [pattern, reason, code] of TROUBLES)
    if (pattern.test(text)) return { kind: 'trouble', reason, code };
  return undefined;
};

/** What to throw when the tool exited with `text` as its last output. */
export const endingError = (text: string, otherwise: string, options?: ErrorOptions): Error => {
  const message = readToolMessage(text);
  if (message?.kind === 'trouble' || message?.kind === 'lost')
    return sourceFailed(message.reason, message.code, options);
  const line = firstLine(text);
  const reported = line === '' ? otherwise : `nvidia-smi: ${line.slice(0, 200)}`;
  return new Error(message?.reason ?? reported, options);
};

/** Whether the tool has looked at every device and can open none. */
export const foundNoDevices = (text: string): boolean => NO_DEVICES.test(text);

const lostReason = (lost: readonly LostMessage[]): string => {
  const [first] = lost;
  const more = lost.length - 1;
  const others = more === 0 ? '' : ` (and ${more} more GPU${more === 1 ? '' : 's'})`;
  return `GPU ${first?.address ?? first?.index}${others} does not answer: ${first?.reason}`;
};

const TOOLS_OFF_PATH = ['usr/lib/wsl/lib/nvidia-smi', 'run/opengl-driver/bin/nvidia-smi'];
const INVALID_FIELD = /field "([\w.]{1,100})" is not a valid field/i;
const NO_DEVICES = /no devices were found/i;
const TROUBLES: readonly (readonly [RegExp, string, ReasonCode?])[] = [
  [
    /driver\/library version mismatch/i,
    'the NVIDIA driver was updated: restart this machine (driver/library version mismatch)',
  ],
  [/couldn'?t communicate with the nvidia driver/i, 'the NVIDIA driver is not loaded'],
  [
    /couldn'?t find libnvidia-ml/i,
    'the NVIDIA management library (libnvidia-ml) is not installed',
    'tool-missing',
  ],
  [/gpu is lost/i, 'a GPU is lost: restart this machine'],
  [/gpu access blocked by the operating system/i, 'the operating system blocks access to the GPU'],
  [/insufficient permissions/i, 'no permission to use the NVIDIA driver', 'permission'],
  [/failed to initialize nvml/i, 'the NVIDIA management library could not start'],
];
