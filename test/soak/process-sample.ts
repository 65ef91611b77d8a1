// What one process uses at a moment, from /proc: proc_pid_status(5), proc_pid_smaps_rollup(5),
// proc_pid_stat(5).

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

export interface ProcessSample {
  readonly residentBytes: number;
  /** Resident, with what several processes share divided among them. */
  readonly proportionalBytes: number;
  readonly descriptors: number;
  readonly threads: number;
  /** User and system time, without that of its children. */
  readonly cpuSeconds: number;
  /** Since it was started. */
  readonly ageMs: number;
}

/** Undefined when it has ended. */
export const sampleProcess = (pid: number): ProcessSample | undefined => {
  const folder = `/proc/${pid}`;
  try {
    const status = readFileSync(`${folder}/status`, 'utf8');
    const stat = readFileSync(`${folder}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return {
      residentBytes: kibibytes(status, 'VmRSS') * 1_024,
      proportionalBytes: kibibytes(readFileSync(`${folder}/smaps_rollup`, 'utf8'), 'Pss') * 1_024,
      descriptors: readdirSync(`${folder}/fd`).length,
      threads: kibibytes(status, 'Threads'),
      ageMs: uptimeMs() - (Number(fields[19]) / TICKS_PER_SECOND) * 1_000,
      cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND,
    };
  } catch {
    return undefined;
  }
};

/** Of a journal: its database and what SQLite stores next to it. */
export const journalBytes = (home: string): number => {
  let bytes = 0;
  for (const name of readdirSync(home))
    if (name.startsWith('journal')) bytes += statSync(join(home, name), { throwIfNoEntry: false })?.size ?? 0;
  return bytes;
};

/** Of the machine, proc_uptime(5). */
const uptimeMs = (): number => Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]) * 1_000;

const kibibytes = (text: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0);

/** USER_HZ is 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;
