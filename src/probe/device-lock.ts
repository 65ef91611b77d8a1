// One probe of a device at a time on one home: two at once, by the daemon and by hand, would measure each other, also on
// devices of their own, which share power, heat and often memory. The lock falls with the process that holds it; who that is
// stands in a file beside it, for words only.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorMessage } from '../core/problem.ts';
import { lockFile } from '../process/file-lock.ts';

export const DEVICE_LOCK_FILE = 'device-probe.lock';
export const DEVICE_OWNER_FILE = 'device-probe.json';

export interface DeviceOwner {
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
  /** There is no home, or nothing can be written there: nobody else can be asked, and nobody is kept from measuring. */
  | { readonly kind: 'unguarded'; readonly reason: string };

/** Never throws. The lock is held until it is disposed of. */
export const lockDevices = (home: string, owner: DeviceOwner): DeviceLock => {
  const note = join(home, DEVICE_OWNER_FILE);
  let held: Disposable | undefined;
  try {
    held = lockFile(join(home, DEVICE_LOCK_FILE));
  } catch (error) {
    return { kind: 'unguarded', reason: errorMessage(error) };
  }
  if (held === undefined) return { kind: 'busy', reason: busyWords(note) };
  const lock = held;
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

const busyWords = (note: string): string => {
  const owner = readOwner(note);
  return owner === undefined
    ? 'another process is measuring a device of this machine'
    : `${owner.what} is being measured by ${owner.who} (process ${owner.pid})`;
};

/** Undefined while the holder has not written it, or where somebody else has. */
const readOwner = (note: string): DeviceOwner | undefined => {
  let owner: DeviceOwner | undefined;
  quietly(() => {
    const { who, pid, what }: Partial<Record<keyof DeviceOwner, unknown>> = JSON.parse(
      readFileSync(note, 'utf8'),
    );
    if (typeof who === 'string' && typeof pid === 'number' && typeof what === 'string')
      owner = { who: who.slice(0, WORDS_MAX), pid, what: what.slice(0, WORDS_MAX) };
  });
  return owner;
};

/** The words are a courtesy: nothing hangs on them. */
const quietly = (work: () => void): void => {
  try {
    work();
  } catch {
    // said in fewer words then
  }
};

const WORDS_MAX = 120;
