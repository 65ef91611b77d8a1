// One small file of sysfs or procfs as a value or the reason why there is none. Read off the main thread, because a
// driver whose device hangs can block the reader.

import { isUnknown, type Reported, type Unknown, unknown } from '../../core/unknown.ts';
import type { MachinePath } from '../machine-path.ts';

/** The trimmed text. At most 4 KiB are read; an empty file is unknown. */
export const sysfsText = async (path: MachinePath): Promise<Reported<string>> => {
  const bytes = await sysfsBytes(path, TEXT_BYTES_MAX);
  if (isUnknown(bytes)) return bytes;
  const text = new TextDecoder().decode(bytes.bytes).trim();
  return text === '' ? unknown(NOT_REPORTED) : text;
};

/** A whole number, decimal or 0x-hexadecimal, possibly negative. */
export const sysfsNumber = async (path: MachinePath): Promise<Reported<number>> => {
  const text = await sysfsText(path);
  if (isUnknown(text)) return text;
  const value = /^(-?\d{1,18}|0x[0-9a-f]{1,13})$/i.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(value) ? value : unknown(`not a number: ${text.slice(0, 40)}`);
};

export const sysfsBytes = async (
  path: MachinePath,
  bytesMax: number,
): Promise<Reported<{ readonly bytes: Uint8Array }>> => {
  try {
    return { bytes: await path.tree.bytes(path.path, bytesMax) };
  } catch (error) {
    return readFailure(error);
  }
};

/** Names in a folder, sorted; none if it cannot be read. */
export const sysfsNames = async (path: MachinePath): Promise<readonly string[]> =>
  (await readableNames(path)) ?? [];

/** The same; undefined for a folder that is not there or not ours to read. */
export const readableNames = async (path: MachinePath): Promise<readonly string[] | undefined> => {
  try {
    return (await path.tree.names(path.path)).toSorted((a, b) => (a < b ? -1 : 1));
  } catch {
    return undefined;
  }
};

/** The first that is known; the first's reason when none is. */
export const firstKnown = async <T extends number | string>(
  ...reads: readonly [() => Promise<Reported<T>>, ...(() => Promise<Reported<T>>)[]]
): Promise<Reported<T>> => {
  const [read, ...others] = reads;
  const first = await read();
  if (!isUnknown(first)) return first;
  for (const other of others) {
    const value = await other();
    if (!isUnknown(value)) return value;
  }
  return first;
};

const readFailure = (error: unknown): Unknown => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return unknown(NOT_REPORTED);
    case 'EACCES':
    case 'EPERM':
      return unknown('permission denied', 'permission');
    case 'EBUSY':
    case 'EAGAIN':
      return unknown('the device is busy');
    default:
      return unknown(`the driver answers ${code}`);
  }
};

const NOT_REPORTED = 'not reported by this driver';
/** One page: the most that kernels usually return for one sysfs file. */
const TEXT_BYTES_MAX = 4 * 1024;
