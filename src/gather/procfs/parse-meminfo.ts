// /proc/meminfo. "kB" there is 1024 bytes (Documentation/filesystems/proc.rst).

import { type Reported, unknown } from '../../core/unknown.ts';
import { digitsIn } from '../machine-files.ts';

export interface MemoryInfo {
  readonly totalBytes: Reported<number>;
  readonly availableBytes: Reported<number>;
  readonly swapTotalBytes: Reported<number>;
  readonly swapUsedBytes: Reported<number>;
}

export const parseMeminfo = (text: string): MemoryInfo => {
  const swapTotalBytes = meminfoBytes(text, 'SwapTotal');
  const swapFreeBytes = meminfoBytes(text, 'SwapFree');
  return {
    totalBytes: meminfoBytes(text, 'MemTotal'),
    availableBytes: meminfoBytes(text, 'MemAvailable'),
    swapTotalBytes,
    swapUsedBytes:
      typeof swapTotalBytes !== 'number'
        ? swapTotalBytes
        : typeof swapFreeBytes !== 'number'
          ? swapFreeBytes
          : Math.max(0, swapTotalBytes - swapFreeBytes),
  };
};

/** Searches for the one line instead of splitting fifty: this runs twice a second. `label`: "MemTotal". */
export const meminfoBytes = (text: string, label: string): Reported<number> => {
  const start = text.startsWith(`${label}:`) ? 0 : text.indexOf(`\n${label}:`) + 1;
  if (start === 0 && !text.startsWith(`${label}:`)) return unknown(`no ${label} in /proc/meminfo`);
  const end = text.indexOf('\n', start);
  const line = text.slice(start + label.length + 1, end === -1 ? undefined : end);
  const kibibytes = digitsIn(/^\s*(\d+) kB\s*$/.exec(line)?.[1]);
  return kibibytes === undefined || !Number.isSafeInteger(kibibytes * 1024)
    ? unknown(`${label} is not a number of kB`)
    : kibibytes * 1024;
};
