// Groups of different cores: Intel's hybrid processors list theirs in sysfs, Arm's differ by part number.

import type { CpuCluster } from '../../core/node/system.ts';
import { unknown } from '../../core/unknown.ts';
import { digitsIn, type MachineFiles, textOr } from '../machine-files.ts';
import { parseCpuinfo } from './parse-cpuinfo.ts';
import { type CpuTimes, cpuUseBetween } from './parse-stat.ts';

interface CoreGroup {
  readonly name: string;
  readonly processors: readonly number[];
}

/** Empty if all cores are equal. */
export const findCoreGroups = (files: MachineFiles): readonly CoreGroup[] => {
  const hybrid = HYBRID.flatMap(({ name, path }) => {
    const processors = parseCpuList(textOr(files.textNow(path), ''));
    return processors.length === 0 ? [] : [{ name, processors }];
  });
  if (hybrid.length > 1) return hybrid;
  const kinds = [...parseCpuinfo(textOr(files.textNow('/proc/cpuinfo'), '')).coreKinds];
  return kinds.length < 2 ? [] : kinds.map(([name, processors]) => ({ name, processors }));
};

export const readCpuClusters = (
  files: MachineFiles,
  groups: readonly CoreGroup[],
  before: CpuTimes,
  after: CpuTimes,
): readonly CpuCluster[] =>
  groups.map(({ name, processors }) => {
    const ticks = (times: CpuTimes): { busy: number; idle: number } => {
      const sum = { busy: 0, idle: 0 };
      for (const processor of processors) {
        sum.busy += times.each.get(processor)?.busy ?? 0;
        sum.idle += times.each.get(processor)?.idle ?? 0;
      }
      return sum;
    };
    const kilohertz = digitsIn(
      textOr(
        files.textNow(`/sys/devices/system/cpu/cpu${processors[0]}/cpufreq/scaling_cur_freq`),
        undefined,
      ),
    );
    return {
      name,
      use: cpuUseBetween(ticks(before), ticks(after)),
      clockMhz: kilohertz === undefined ? unknown('no cpufreq driver') : kilohertz / 1000,
    };
  });

/** "0-3,8,10-11", as the kernel prints sets of processors. Empty for anything else. */
export const parseCpuList = (text: string): readonly number[] => {
  const processors: number[] = [];
  for (const part of text.trim().split(',')) {
    const range = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(part);
    if (range === null) return [];
    const first = Number(range[1]);
    const last = Number(range[2] ?? range[1]);
    for (let processor = first; processor <= last && processors.length < PROCESSORS_MAX; processor++) {
      processors.push(processor);
    }
  }
  return processors;
};

const HYBRID: readonly { readonly name: string; readonly path: string }[] = [
  { name: 'Performance', path: '/sys/devices/cpu_core/cpus' },
  { name: 'Efficiency', path: '/sys/devices/cpu_atom/cpus' },
  { name: 'Low-power efficiency', path: '/sys/devices/cpu_lowpower/cpus' },
];
const PROCESSORS_MAX = 8_192;
