// What a process and all its descendants have used, from /proc: proc_pid_stat(5), proc_pid_status(5).

import { readdirSync, readFileSync } from 'node:fs';

interface ProcessUse {
  /** User and system time of the process, its children that have ended, and those that run. */
  readonly cpuSeconds: number;
  readonly residentBytes: number;
  /** Itself included. */
  readonly processes: number;
}

/** Undefined where there is no /proc or no such process. */
export const useOf = (pid: number): ProcessUse | undefined => {
  const stats = allStats();
  const root = stats.get(pid);
  if (root === undefined) return undefined;
  const tree = [...stats.values()].filter(stat => isUnder(stat, pid, stats));
  return {
    cpuSeconds: tree.reduce((sum, { ticks, reapedTicks }) => sum + ticks + reapedTicks, 0) / TICKS_PER_SECOND,
    residentBytes: tree.reduce((sum, stat) => sum + stat.residentBytes, 0),
    processes: tree.length,
  };
};

interface Stat {
  readonly pid: number;
  readonly parent: number;
  readonly ticks: number;
  readonly reapedTicks: number;
  readonly residentBytes: number;
}

const allStats = (): ReadonlyMap<number, Stat> => {
  const stats = new Map<number, Stat>();
  for (const name of readProc()) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const text = readFileSync(`/proc/${name}/stat`, 'utf8');
      // The program's name is in parentheses and may itself contain spaces and parentheses.
      const fields = text
        .slice(text.lastIndexOf(')') + 2)
        .split(' ')
        .map(Number);
      const [, parent = 0] = fields;
      const [userTicks = 0, systemTicks = 0, reapedUser = 0, reapedSystem = 0] = fields.slice(11, 15);
      stats.set(Number(name), {
        pid: Number(name),
        parent,
        ticks: userTicks + systemTicks,
        reapedTicks: reapedUser + reapedSystem,
        residentBytes: residentBytesOf(name),
      });
    } catch {
      // It ended between the listing and the reading.
    }
  }
  return stats;
};

/** VmRSS is in kB for every page size; kernel threads have no such line. */
const residentBytesOf = (pid: string): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1_024;

const readProc = (): readonly string[] => {
  try {
    return readdirSync('/proc');
  } catch {
    return [];
  }
};

const isUnder = (stat: Stat, pid: number, stats: ReadonlyMap<number, Stat>): boolean => {
  for (let at: Stat | undefined = stat; at !== undefined; at = stats.get(at.parent)) {
    if (at.pid === pid) return true;
  }
  return false;
};

/** USER_HZ is 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;
