// Records of /dev/kmsg (Documentation/ABI/testing/dev-kmsg): "6,1234,56789012,-;text", the third number in µs since the machine started.
// Lines that begin with a space belong to the record before.

import type { GpuError } from '../../core/node/gpu-errors.ts';
import { looseJson, looseRecord, looseWhole } from '../loose-json.ts';

export const GPU_ERROR_TEXT_LENGTH_MAX = 200;
export const GPU_ERRORS_MAX = 64;

export interface LoggedXid {
  readonly atSeconds: number;
  readonly address: string;
  readonly xid: number;
  readonly text: string;
}

/**
 * "NVRM: Xid (PCI:0000:1b:00): 79, pid=…, GPU has fallen off the bus." Drivers before 2016 write no "PCI:";
 * of a device that is divided (MIG) the part stands behind its address: "(PCI:0000:1b:00 GPU-I:01 GPU-CI:00)".
 */
export const parseXid = (record: string): LoggedXid | undefined => {
  const [, micros, told] = RECORD.exec(record) ?? [];
  return micros === undefined || told === undefined ? undefined : xidOf(told, Number(micros));
};

/** The same from `journalctl -o json`: systemd.journal-fields(7), where the journal has taken a record of the kernel. */
export const parseJournalXid = (line: string): LoggedXid | undefined => {
  const record = looseRecord(looseJson(line));
  const told = record?.['MESSAGE'];
  // The kernel's own time; where it is missing, that at which the journal got it.
  const micros =
    looseWhole(record?.['_SOURCE_MONOTONIC_TIMESTAMP']) ?? looseWhole(record?.['__MONOTONIC_TIMESTAMP']);
  return typeof told === 'string' && micros !== undefined ? xidOf(told, micros) : undefined;
};

const xidOf = (told: string, micros: number): LoggedXid | undefined => {
  const [, address, digits, rest] = XID.exec(told) ?? [];
  if (address === undefined || digits === undefined) return undefined;
  return {
    atSeconds: micros / 1e6,
    address: address.toLowerCase(),
    xid: Number(digits),
    text: (rest ?? '').replace(/^,\s*/, '').trim().slice(0, GPU_ERROR_TEXT_LENGTH_MAX),
  };
};

/** Counted by device and number. */
export class XidTally {
  readonly #newest = new Map<string, LoggedXid & { readonly count: number }>();

  add(logged: LoggedXid): void {
    const key = `${logged.address} ${logged.xid}`;
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
