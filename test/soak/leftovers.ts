// What a soak leaves if it is killed: namespaces with everything that runs in them. Their names identify
// their process, so the next soak, or the guard of each, removes those of a process that is gone and no
// others.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The process by its number and its start, since numbers are used again. */
export const soakPrefix = (pid: number, startTicks: number): string => `${OWN}-${pid}-${startTicks}`;

/** Ends what runs in the namespaces of soaks that are gone, and deletes these. @returns their names */
export const removeLeftovers = (host: LeftoverHost = THIS_MACHINE): readonly string[] => {
  const left = host.namespaces().filter(name => {
    const [, pid, ticks] = NAME.exec(name) ?? [];
    return pid !== undefined && host.startTicks(Number(pid)) !== Number(ticks);
  });
  for (const name of left) {
    for (const pid of host.processesIn(name)) host.kill(pid);
    host.remove(name);
  }
  return left;
};

export interface LeftoverHost {
  namespaces(): readonly string[];
  processesIn(namespace: string): readonly number[];
  /** When the process began, in ticks of the kernel since boot; undefined when there is none. */
  startTicks(pid: number): number | undefined;
  kill(pid: number): void;
  remove(namespace: string): void;
}

export const startTicksOf = (pid: number): number | undefined => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // proc_pid_stat(5), from field 3 on; the name of the program, field 2, may hold spaces. A zombie is gone.
    const [state, ...fields] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' || state === 'X' ? undefined : Number(fields[18]);
  } catch {
    return undefined;
  }
};

const ip = (...args: readonly string[]): readonly string[] =>
  execFileSync('ip', args, { encoding: 'utf8' })
    .split('\n')
    .filter(line => line !== '');

const THIS_MACHINE: LeftoverHost = {
  namespaces: () => ip('netns', 'list').map(line => line.split(' ')[0] ?? ''),
  processesIn: name => ip('netns', 'pids', name).map(Number),
  startTicks: startTicksOf,
  kill: pid => {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended by itself.
    }
  },
  remove: name => {
    ip('netns', 'del', name);
  },
};

const OWN = 'plim-soak';
const NAME = new RegExp(`^${OWN}-(\\d+)-(\\d+)-`);
