// How many threads a probe of processors or memory starts: what the system assigns to this process, and no
// more than the quota of its control group. Node only reads that of version 2, and with more threads than a
// quota permits, their own waiting would be measured.

import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** The text of a file; undefined if it cannot be read. */
type ReadText = (path: string) => string | undefined;

export const parallelismHere = (read: ReadText = readText, most: number = availableParallelism()): number =>
  Math.max(1, Math.min(most, Math.ceil(cpuQuotaOf(read))));

/** Processor time in processors, of its own group and of those above it; Infinity without a limit. */
const cpuQuotaOf = (read: ReadText): number => {
  let tightest = Number.POSITIVE_INFINITY;
  for (const line of (read('/proc/self/cgroup') ?? '').split('\n')) {
    const [, controllers = '', path = ''] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    const isOfAll = line.startsWith('0::');
    if (!isOfAll && !controllers.split(',').includes('cpu')) continue;
    for (const folder of foldersUpwards(path))
      for (const mount of isOfAll
        ? ['/sys/fs/cgroup']
        : ['/sys/fs/cgroup/cpu', `/sys/fs/cgroup/${controllers}`])
        tightest = Math.min(tightest, quotaIn(read, `${mount}${folder}`));
  }
  return tightest;
};

/**
 * In a container only the part below its own group is mounted, and the path shown is the machine's: the root
 * is tried too.
 */
const foldersUpwards = (path: string): readonly string[] => {
  const parts = path.split('/').filter(part => part !== '' && part !== '..');
  return Array.from({ length: Math.min(parts.length, DEPTH_MAX) + 1 }, (_, less) =>
    parts
      .slice(0, parts.length - less)
      .map(part => `/${part}`)
      .join(''),
  );
};

/** Version 2 has "200000 100000" in one file, version 1 two files, with -1 for no limit. */
const quotaIn = (read: ReadText, folder: string): number => {
  const [quota = '', period = ''] =
    read(`${folder}/cpu.max`)?.trim().split(' ') ??
    [read(`${folder}/cpu.cfs_quota_us`), read(`${folder}/cpu.cfs_period_us`)].map(text => text?.trim() ?? '');
  const share = Number(quota) / Number(period);
  return /^\d{1,15}$/.test(quota) && share > 0 && Number.isFinite(share) ? share : Number.POSITIVE_INFINITY;
};

const readText: ReadText = path => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
};

const DEPTH_MAX = 32;
