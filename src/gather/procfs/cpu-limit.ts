// The processor time that this process's control groups allow: a quota of microseconds in each period, of its own group and of
// every group above it; the tightest one counts.

import { minimumOf } from '../../core/extremes.ts';
import type { CpuLimit, MemoryLimit } from '../../core/node/container.ts';
import { digitsIn, type MachineFiles, textOr } from '../machine-files.ts';
import { parseMountinfo } from '../mountinfo/parse-mountinfo.ts';
import { controlGroupFiles, controlGroupFolders, parseMemoryLimit } from './control-group.ts';

export const readCpuLimit = (files: MachineFiles): CpuLimit => {
  const limits = foldersOf(files, 'cpu').flatMap(({ version, path }) => {
    const quota =
      version === 2
        ? parseCpuMax(textOr(files.textNow(`${path}/cpu.max`), ''))
        : quotaOf(
            textOr(files.textNow(`${path}/cpu.cfs_quota_us`), ''),
            textOr(files.textNow(`${path}/cpu.cfs_period_us`), ''),
          );
    return quota === undefined ? [] : [quota];
  });
  return limits.length === 0 ? { kind: 'none' } : { kind: 'limited', cpus: minimumOf(limits) };
};

/** `hostBytes`: a limit at or above what the machine has is none. */
export const readMemoryLimit = (files: MachineFiles, hostBytes: number | undefined): MemoryLimit => {
  const limits = foldersOf(files, 'memory').flatMap(folder => {
    const bytes = parseMemoryLimit(textOr(files.textNow(controlGroupFiles(folder).limit), 'max'));
    return bytes === undefined || bytes >= (hostBytes ?? Number.POSITIVE_INFINITY) ? [] : [bytes];
  });
  return limits.length === 0 ? { kind: 'none' } : { kind: 'limited', bytes: minimumOf(limits) };
};

/** "200000 100000" is two processors' worth, "max 100000" no limit (Documentation/admin-guide/cgroup-v2.rst). */
const parseCpuMax = (text: string): number | undefined => {
  const [quota = '', period = ''] = text.trim().split(' ');
  return quotaOf(quota, period);
};

/** Version 1 writes -1 if there is no limit. */
const quotaOf = (quota: string, period: string): number | undefined => {
  const [quotaUs, periodUs] = [digitsIn(quota.trim()), digitsIn(period.trim())];
  return quotaUs === undefined || periodUs === undefined || quotaUs === 0 || periodUs === 0
    ? undefined
    : quotaUs / periodUs;
};

const foldersOf = (
  files: MachineFiles,
  controller: 'cpu' | 'memory',
): ReturnType<typeof controlGroupFolders> =>
  controlGroupFolders(
    textOr(files.textNow('/proc/self/cgroup'), ''),
    parseMountinfo(textOr(files.textNow('/proc/self/mountinfo'), '')),
    controller,
  );
