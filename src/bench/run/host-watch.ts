// What keeps this process from its processors, from kernel files: the quota of a control group (cpu.stat, in both
// versions of control groups), pressure (PSI) and time that the hypervisor took. Read once a second on the main
// thread, which measures nothing. Other systems than Linux have none of these files: then it is unknown.

import { readFileSync } from 'node:fs';
import { maximumOf } from '../../core/extremes.ts';
import { type HostRecord, NO_FIGURE } from '../../core/run/event-record.ts';
import { controlGroupStats, pressureNsOf, stolenShareBetween, throttledNsOf } from './parse-host.ts';

/** The text of a file; undefined where it cannot be read. */
export type ReadText = (path: string) => string | undefined;

export class HostWatch {
  readonly #read: ReadText;
  #last: Reading | undefined;

  constructor(read: ReadText = readProcText) {
    this.#read = read;
  }

  /** Since the last call; undefined at the first. */
  observe(atNs: number): HostRecord | undefined {
    const before = this.#last;
    const now: Reading = {
      atNs,
      throttledNs: this.#throttledNs(),
      pressureNs: pressureNsOf(this.#read('/proc/pressure/cpu') ?? ''),
      stat: this.#read('/proc/stat') ?? '',
    };
    this.#last = now;
    if (before === undefined) return undefined;
    const intervalNs = Math.max(1, atNs - before.atNs);
    const stolen = stolenShareBetween(before.stat, now.stat);
    return {
      kind: 'client.host',
      atNs,
      intervalNs,
      throttledNs: longest(before.throttledNs, now.throttledNs),
      pressureNs: difference(before.pressureNs, now.pressureNs),
      stolenNs: stolen === undefined ? NO_FIGURE : Math.round(stolen * intervalNs),
    };
  }

  /** The groups are read each time: a process may be moved while it runs. */
  #throttledNs(): ReadonlyMap<string, number> {
    const found = new Map<string, number>();
    for (const path of controlGroupStats(this.#read('/proc/self/cgroup') ?? '')) {
      const throttledNs = throttledNsOf(this.#read(path) ?? '');
      if (throttledNs !== undefined) found.set(path, throttledNs);
    }
    return found;
  }
}

interface Reading {
  readonly atNs: number;
  /** By the file of each control group, from its own one to the root. */
  readonly throttledNs: ReadonlyMap<string, number>;
  readonly pressureNs: number | undefined;
  readonly stat: string;
}

/** A group's quota limits all groups in it: the longest delay is the one that the process experienced. */
const longest = (before: Reading['throttledNs'], now: Reading['throttledNs']): number =>
  maximumOf([NO_FIGURE, ...[...now].map(([path, total]) => difference(before.get(path), total))]);

const difference = (before: number | undefined, now: number | undefined): number =>
  before === undefined || now === undefined ? NO_FIGURE : Math.max(0, now - before);

export const readProcText: ReadText = path => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Missing, or not readable for this user: reported as unknown.
    return undefined;
  }
};
