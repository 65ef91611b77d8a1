// What nvidia-smi prints of a GPU that it cannot use: a line instead of its figures, for a GPU that it cannot open, or a text instead of
// each figure, for one that fails later. Drivers before 545 write the address alone, later ones the number before it; either may
// be missing.

import type { FailedGpuState } from '../../core/node/failed-gpu.ts';

/** A GPU that the tool could not open. */
export interface LostMessage {
  /** As the tool numbers its GPUs; the others keep their numbers. */
  readonly index: number | undefined;
  /** "0000:34:00.0" */
  readonly address: string | undefined;
  readonly reason: string;
}

/** "Unable to determine the device handle for GPU1: 0000:34:00.0: Unknown Error"; undefined for any other line. */
export const lostMessage = (line: string): LostMessage | undefined => {
  const [, index, address, reason, indexAlone, reasonAlone] = NO_HANDLE.exec(line) ?? [];
  if (reason === undefined && reasonAlone === undefined) return undefined;
  const digits = index ?? indexAlone;
  return {
    index: digits === undefined ? undefined : Number(digits),
    address: address === undefined ? undefined : pciAddress(address),
    reason: (reason ?? reasonAlone ?? '').trim(),
  };
};

/** Of each GPU once. */
export const lostMessages = (text: string): readonly LostMessage[] => {
  const byGpu = new Map<string, LostMessage>();
  for (const line of text.split('\n', LINES_MAX)) {
    const message = lostMessage(line);
    if (message !== undefined && byGpu.size < GPUS_MAX) byGpu.set(lostKey(message), message);
  }
  return [...byGpu.values()];
};

/** The same for the same GPU. */
export const lostKey = ({ address, index }: LostMessage): string => address ?? `${index}`;

/** The text without such lines, which drivers since 570 print also before and in the middle of other output. */
export const withoutLostMessages = (text: string): string =>
  text
    .split('\n')
    .filter(line => lostMessage(line) === undefined)
    .join('\n');

export interface GpuFailure {
  readonly state: FailedGpuState;
  readonly reason: string;
}

/**
 * Whether a GPU can be used, from its cells as printed. One cell with "GPU is lost" is enough; "Unknown Error" is printed for
 * single figures of healthy cards too, so it counts only if each of the `vital` cells has it.
 */
export const failureOf = (
  cells: readonly string[],
  vital: readonly (string | undefined)[],
): GpuFailure | undefined => {
  for (const cell of cells) {
    const text = bare(cell);
    if (LOST.test(text)) return { state: 'lost', reason: text };
    if (NEEDS_RESET.test(text)) return { state: 'needs-reset', reason: text };
  }
  const printed = vital.filter(cell => cell !== undefined).map(bare);
  const [first] = printed;
  return first !== undefined && printed.length >= VITAL_MIN && printed.every(text => UNREADABLE.test(text))
    ? { state: 'lost', reason: first }
    : undefined;
};

/** "00000000:2D:00.0" of the tool and "0000:2d:00.0" of the kernel are the same. */
export const pciAddress = (text: string): string => {
  const [domain = '', ...rest] = text.trim().toLowerCase().split(':');
  return [domain.replace(/^0+(?=[0-9a-f]{4})/, '').padStart(4, '0'), ...rest].join(':');
};

const bare = (cell: string): string =>
  cell
    .trim()
    .replace(/^\[(.*)\]$/s, '$1')
    .trim();

const NO_HANDLE =
  /unable to (?:determine|detect) the device handle for gpu\s?(?:(?:(\d{1,3}): ?)?([0-9a-f]{3,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f]): ?(.{0,120})|(\d{1,3}): ?(.{0,120}))/i;
/** nvmlErrorString of NVML_ERROR_GPU_IS_LOST and NVML_ERROR_RESET_REQUIRED. */
const LOST = /^(gpu is lost|gpu not found)\b/i;
const NEEDS_RESET = /^gpu requires reset\b/i;
const UNREADABLE = /^(unknown error|err!)$/i;
/** Of a driver that prints fewer of the vital cells than this nothing is concluded. */
const VITAL_MIN = 2;
const LINES_MAX = 200_000;
const GPUS_MAX = 256;
