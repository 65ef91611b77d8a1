// One device probe at a time per home: two at once, one by the daemon and one on request, would disturb each
// other, even on different devices, which share power, cooling and often memory. The lock is released with
// its process; a file next to it names that process, for messages only.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorMessage } from '../core/problem.ts';
import { lockFile } from '../process/file-lock.ts';

const DEVICE_LOCK_FILE = 'device-probe.lock';
const DEVICE_OWNER_FILE = 'device-probe.json';

interface DeviceOwner {
  /** "the daemon", "plimsoll probe gpu". */
  readonly who: string;
  readonly pid: number;
  /** "NVIDIA GB10", "every device". */
  readonly what: string;
}

export type DeviceLock =
  | { readonly kind: 'held'; readonly lock: Disposable }
  /** In words: "every device is being measured by plimsoll probe gpu (process 4711)". */
  | { readonly kind: 'busy'; readonly reason: string }
  /** There is no home, or it is not writable: other processes cannot be checked, so nothing is blocked. */
  | { readonly kind: 'unguarded'; readonly reason: string };

/** Never throws. The lock is held until it is disposed of. */
export const lockDevices = (home: string, owner: DeviceOwner): DeviceLock => {
  const note = join(home, DEVICE_OWNER_FILE);
  let locked: Disposable | undefined;
  try {
    locked = lockFile(join(home, DEVICE_LOCK_FILE));
  } catch (error) {
    return { kind: 'unguarded', reason: errorMessage(error) };
  }
  if (locked === undefined) return { kind: 'busy', reason: busyText(note) };
  const lock = locked;
  quietly(() => writeFileSync(note, JSON.stringify(owner), { mode: 0o600 }));
  return {
    kind: 'held',
    lock: {
      [Symbol.dispose]: () => {
        quietly(() => rmSync(note, { force: true }));
        lock[Symbol.dispose]();
      },
    },
  };
};

const busyText = (note: string): string => {
  const owner = readOwner(note);
  return owner === undefined
    ? 'another process is measuring a device of this machine'
    : `${owner.what} is being measured by ${owner.who} (process ${owner.pid})`;
};

/** Undefined while the holder has not written it, or if another process has. */
const readOwner = (note: string): DeviceOwner | undefined => {
  let owner: DeviceOwner | undefined;
  quietly(() => {
    const { who, pid, what }: Partial<Record<keyof DeviceOwner, unknown>> = JSON.parse(
      readFileSync(note, 'utf8'),
    );
    if (typeof who === 'string' && typeof pid === 'number' && typeof what === 'string')
      owner = { who: who.slice(0, TEXT_LENGTH_MAX), pid, what: what.slice(0, TEXT_LENGTH_MAX) };
  });
  return owner;
};

/** The words are only for people: nothing depends on them. */
const quietly = (work: () => void): void => {
  try {
    work();
  } catch {
    // the message then has fewer words
  }
};

const TEXT_LENGTH_MAX = 120;
