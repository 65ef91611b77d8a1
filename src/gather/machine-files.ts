// The files through which a machine describes itself (/proc, /sys, /etc). A port, so a gatherer runs on the machine's
// own tree, on a fixture tree, or on a recording that includes the driver's errors.

import { type ReasonCode, type Unknown, unknown } from '../core/unknown.ts';
import { sourceFailed } from './gatherer.ts';

export interface MachineFiles {
  /** Synchronously, on the calling thread: for procfs and sysfs attributes that need no driver. */
  textNow(path: string): FileText;
  /** Off the calling thread: for attributes whose driver may query hardware or take a lock first. */
  text(path: string): Promise<FileText>;
  /** Names in a folder, in no order. */
  namesNow(path: string): readonly string[] | Unreadable;
  /** The text of a symbolic link. */
  linkNow(path: string): string | Unreadable;
  /** For files read repeatedly: opened once, read from the start each time. */
  keepOpen(path: string): KeptFile;
}

export type FileText = string | Unreadable;

export interface KeptFile extends Disposable {
  readNow(): FileText;
  read(): Promise<FileText>;
}

export interface Unreadable {
  readonly kind: 'unreadable';
  /** "ENOENT", "EINVAL", … */
  readonly code: string;
  readonly reason: string;
}

export const isUnreadable = (value: unknown): value is Unreadable =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'unreadable';

export const unreadable = (code: string, path: string): Unreadable => ({
  kind: 'unreadable',
  code,
  reason: reasonOf(code, path),
});

export const notRead = (text: Unreadable): Unknown => unknown(text.reason, accessCode(text.code));

/** For a gatherer that needs it. */
export const readFailed = ({ reason, code }: Unreadable): Error => sourceFailed(reason, accessCode(code));

/** Of the system's code. */
export const accessCode = (code: string): ReasonCode | undefined =>
  code === 'EACCES' || code === 'EPERM' ? 'permission' : undefined;

/** The text without white space and NUL bytes at its ends (device tree strings end in one), or why there is none. */
export const trimmed = (text: FileText): string | Unknown => {
  if (isUnreadable(text)) return notRead(text);
  const content = trimEnds(text).slice(0, TEXT_LENGTH_MAX);
  return content === '' ? unknown('empty') : content;
};

/** The same for callers that do not need the reason. */
export const textOr = <T>(text: FileText, fallback: T): string | T => {
  if (isUnreadable(text)) return fallback;
  const content = trimEnds(text);
  return content === '' ? fallback : content;
};

/** A whole number of at most 2^53, digits only. */
export const digitsIn = (text: string | undefined): number | undefined => {
  if (text === undefined || !/^\d{1,16}$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : undefined;
};

/** Longer than any driver message, and short enough for every reading that carries it. */
const TEXT_LENGTH_MAX = 200;

const trimEnds = (text: string): string => text.replaceAll('\0', '').trim();

const reasonOf = (code: string, path: string): string => {
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return `no ${path}`;
    case 'EACCES':
    case 'EPERM':
      return `permission denied: ${path}`;
    case 'EINVAL':
      return 'the driver does not report it';
    case 'EOPNOTSUPP':
    case 'ENOTSUP':
      return 'not supported by this kernel';
    case 'ENODEV':
    case 'ENXIO':
      return 'the device is gone';
    default:
      return `${path}: ${code}`;
  }
};
