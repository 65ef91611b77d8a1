// The processes on each NVIDIA device, from the same `nvidia-smi -q -x` that lists the devices: by program, without its path and
// arguments, which are private.

import type { GpuProcess } from '../../core/node/gpu.ts';
import { isUnknown, type Reported, unknown } from '../../core/unknown.ts';
import { heaviestProcesses, PROCESS_NAME_LENGTH_MAX } from '../gpu-processes.ts';
import { cellCount, cellMebibytes, cellText } from './nvidia-cell.ts';
import { childOf, childrenOf, parseTagTree, type Tag } from './tag-tree.ts';

export type ProcessesByDevice = ReadonlyMap<string, Reported<readonly GpuProcess[]>>;

/** By UUID. Those that hold the most memory first. */
export const parseProcesses = (text: string): ProcessesByDevice => {
  const log = parseTagTree(text).find(tag => tag.name === 'nvidia_smi_log');
  return new Map(
    childrenOf(log, 'gpu').flatMap(gpu => {
      const uuid = cellText(childOf(gpu, 'uuid')?.text);
      return isUnknown(uuid) ? [] : [[uuid, processesOn(gpu)] as const];
    }),
  );
};

const processesOn = (gpu: Tag): Reported<readonly GpuProcess[]> => {
  const processes = childOf(gpu, 'processes');
  if (processes === undefined) return unknown('not reported by this driver');
  // One that computes and draws is listed twice.
  const byPid = new Map<number, GpuProcess>();
  for (const info of childrenOf(processes, 'process_info')) {
    const pid = cellCount(childOf(info, 'pid')?.text);
    if (isUnknown(pid) || byPid.has(pid)) continue;
    byPid.set(pid, {
      pid,
      name: programOf(childOf(info, 'process_name')?.text),
      memoryBytes: cellMebibytes(childOf(info, 'used_memory')?.text),
    });
  }
  return heaviestProcesses(byPid.values());
};

const programOf = (text: string | undefined): Reported<string> => {
  const reported = cellText(text);
  if (isUnknown(reported)) return reported;
  const program = reported.split(/\s/, 1)[0]?.split('/').at(-1)?.slice(0, PROCESS_NAME_LENGTH_MAX) ?? '';
  return program === '' || program === 'unknown' ? unknown('the driver does not report it') : program;
};

// The processes on each device as the inventory last reported them, for the loads that come every second: reading them each time
// would cost an initialisation of the driver.
export class LatestProcesses {
  readonly #freshMs: number;
  #byDevice: ProcessesByDevice = new Map();
  #lastMessageAtMs = Number.NEGATIVE_INFINITY;

  /** @param freshMs after so long without news they are unknown. */
  constructor(freshMs: number) {
    this.#freshMs = freshMs;
  }

  receive(byDevice: ProcessesByDevice, nowMs: number): void {
    this.#byDevice = byDevice;
    this.#lastMessageAtMs = nowMs;
  }

  of(deviceId: string, nowMs: number): Reported<readonly GpuProcess[]> {
    if (nowMs - this.#lastMessageAtMs > this.#freshMs) return unknown('not read lately');
    return this.#byDevice.get(deviceId) ?? unknown('the device was not listed');
  }
}
