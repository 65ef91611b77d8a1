// /proc/stat (Documentation/filesystems/proc.rst §1.7): time each processor has spent, in ticks since boot.

import { type Reported, unknown } from '../../core/unknown.ts';

interface CpuTicks {
  readonly busy: number;
  readonly idle: number;
}

export interface CpuTimes {
  readonly all: CpuTicks;
  /** By processor number. */
  readonly each: ReadonlyMap<number, CpuTicks>;
}

/** Undefined if the text does not start with the line of all processors. */
export const parseStat = (text: string): CpuTimes | undefined => {
  let all: CpuTicks | undefined;
  const each = new Map<number, CpuTicks>();
  for (let start = 0; text.startsWith('cpu', start); ) {
    const end = text.indexOf('\n', start);
    if (end === -1) break; // cut off by the size limit of one read
    const [label = '', ...fields] = text.slice(start, end).split(/ +/);
    const ticks = ticksOf(fields);
    if (ticks !== undefined) {
      if (label === 'cpu') all = ticks;
      else if (/^cpu\d{1,6}$/.test(label)) each.set(Number(label.slice(3)), ticks);
    }
    start = end + 1;
  }
  return all === undefined ? undefined : { all, each };
};

/** Busy share between two readings, 0..1. Idle time may step back on real machines: that counts as zero. */
export const cpuUseBetween = (before: CpuTicks, after: CpuTicks): Reported<number> => {
  const busy = Math.max(0, after.busy - before.busy);
  const idle = Math.max(0, after.idle - before.idle);
  return busy + idle === 0 ? unknown('no tick has passed since the last reading') : busy / (busy + idle);
};

/**
 * user nice system idle iowait irq softirq steal guest guest_nice. Guest time is already in user and nice. Waiting for
 * a disk is idle time. Stolen time is busy: something was ready to run here and the hypervisor did not let it.
 */
const ticksOf = (fields: readonly string[]): CpuTicks | undefined => {
  const ticks = fields.slice(0, 8).map(field => (/^\d{1,16}$/.test(field) ? Number(field) : Number.NaN));
  const [user, nice, system, idle, iowait = 0, irq = 0, softirq = 0, steal = 0] = ticks;
  if (user === undefined || nice === undefined || system === undefined || idle === undefined)
    return undefined;
  const busy = user + nice + system + irq + softirq + steal;
  return Number.isNaN(busy + idle + iowait) ? undefined : { busy, idle: idle + iowait };
};
