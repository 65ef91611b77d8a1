// Records of /dev/kmsg (Documentation/ABI/testing/dev-kmsg): "6,1234,56789012,-;text", the third number in µs since the machine started.
// Lines that begin with a space belong to the record before.

import type { GpuError, GpuErrorKind } from '../../core/node/gpu-errors.ts';
import { looseJson, looseRecord, looseWhole } from '../loose-json.ts';

const GPU_ERROR_TEXT_LENGTH_MAX = 200;
export const GPU_ERRORS_MAX = 64;

interface LoggedXid {
  readonly atSeconds: number;
  readonly address: string;
  readonly xid: number;
  readonly kind: GpuErrorKind;
  readonly text: string;
}

/**
 * "nvidia-nvswitch0: SXid (PCI:0000:a9:00.0): 20034, Fatal, Link 30 LTSSM Fault Up" is an error of a switch; resets of amdgpu, i915
 * and xe name their device first, "amdgpu 0000:03:00.0: amdgpu: GPU reset begin!".
 * "NVRM: Xid (PCI:0000:1b:00): 79, pid=…, GPU has fallen off the bus." Drivers before 2016 write no "PCI:";
 * for a divided device (MIG) the part follows its address: "(PCI:0000:1b:00 GPU-I:01 GPU-CI:00)".
 */
export const parseXid = (record: string): LoggedXid | undefined => {
  const [, micros, reported] = RECORD.exec(record) ?? [];
  return micros === undefined || reported === undefined ? undefined : xidOf(reported, Number(micros));
};

/** The same from `journalctl -o json`: systemd.journal-fields(7), where the journal has taken a record of the kernel. */
export const parseJournalXid = (line: string): LoggedXid | undefined => {
  const record = looseRecord(looseJson(line));
  const reported = record?.['MESSAGE'];
  // The kernel's own time; where it is missing, that at which the journal got it.
  const micros =
    looseWhole(record?.['_SOURCE_MONOTONIC_TIMESTAMP']) ?? looseWhole(record?.['__MONOTONIC_TIMESTAMP']);
  return typeof reported === 'string' && micros !== undefined ? xidOf(reported, micros) : undefined;
};

const xidOf = (reported: string, micros: number): LoggedXid | undefined => {
  const [, address, digits, rest] = XID.exec(reported) ?? [];
  if (address !== undefined && digits !== undefined)
    return loggedOf(micros, { address, xid: Number(digits), kind: 'xid', text: rest ?? '' });
  const [, switchAddress, switchDigits, message] = SXID.exec(reported) ?? [];
  if (switchAddress !== undefined && switchDigits !== undefined)
    return loggedOf(micros, {
      address: switchAddress,
      xid: Number(switchDigits),
      kind: 'sxid',
      text: message ?? '',
    });
  const [, device, line] = OTHER_DRIVER.exec(reported) ?? [];
  const kind = line === undefined ? undefined : RESETS.find(([pattern]) => pattern.test(line))?.[1];
  return device === undefined || line === undefined || kind === undefined
    ? undefined
    : loggedOf(micros, { address: device, xid: 0, kind, text: line });
};

const loggedOf = (micros: number, error: Omit<LoggedXid, 'atSeconds'>): LoggedXid => ({
  ...error,
  atSeconds: micros / 1e6,
  address: error.address.toLowerCase(),
  text: error.text.replace(/^,\s*/, '').trim().slice(0, GPU_ERROR_TEXT_LENGTH_MAX),
});

/** Counted by device and number. */
export class XidTally {
  readonly #newest = new Map<string, LoggedXid & { readonly count: number }>();

  add(logged: LoggedXid): void {
    const key = `${logged.address} ${logged.kind} ${logged.xid}`;
    const count = (this.#newest.get(key)?.count ?? 0) + 1;
    this.#newest.delete(key);
    this.#newest.set(key, { ...logged, count });
    const [oldest] = this.#newest.keys();
    if (this.#newest.size > GPU_ERRORS_MAX && oldest !== undefined) this.#newest.delete(oldest);
  }

  /** @param uptimeSeconds since the machine started. */
  read(uptimeSeconds: number): readonly GpuError[] {
    return [...this.#newest.values()].reverse().map(({ atSeconds, ...error }) => ({
      ...error,
      newestAgeMs: Math.max(0, Math.round((uptimeSeconds - atSeconds) * 1_000)),
    }));
  }
}

const RECORD = /^\d{1,10},\d{1,20},(\d{1,15}),[^;]{0,200};(.*)/;
const XID =
  /^NVRM: Xid \((?:PCI:)?([0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2})(?:\.[0-7])?(?: GPU-I:\d{1,3})?(?: GPU-CI:\d{1,3})?\): (\d{1,5})(.*)/i;
const SXID =
  /^nvidia-nvswitch\d{1,3}: SXid \((?:PCI:)?([0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}(?:\.[0-7])?)\): (\d{1,6})(.*)/i;
const OTHER_DRIVER =
  /^(?:amdgpu|i915|xe) ([0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]): (?:amdgpu: )?(?:\[drm\] )?(?:\*ERROR\* )?(.*)/i;
/** One line of each reset: the drivers write several (amdgpu_device.c, i915_gpu_error.c, xe_gt.c, xe_device.c, drm_drv.c of Linux). */
const RESETS: readonly (readonly [RegExp, GpuErrorKind])[] = [
  [/^GPU reset end with ret = -/i, 'reset-failed'],
  [/^GPU recovery failed/i, 'reset-failed'],
  [/^GPU reset\(\d+\) failed/i, 'reset-failed'],
  [/^device lost from bus/i, 'reset-failed'],
  [/^Failed to reset chip/i, 'reset-failed'],
  [/^(?:GT\d+: )?reset failed/i, 'reset-failed'],
  [/declared device \S{1,40} as wedged/i, 'reset-failed'],
  [/^device wedged, needs recovery/i, 'reset-failed'],
  [/^GPU reset begin/i, 'reset'],
  [/^GPU HANG: /i, 'reset'],
  [/^GT\d+: reset started/i, 'reset'],
  [/^(?:GT\d+: )?Engine reset: /i, 'reset'],
];
