// Parsers for the kernel's files on the use of processors: Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/,
// scheduler/sched-bwc.rst, accounting/psi.rst, filesystems/proc.rst. undefined if a text does not contain the figure.

/**
 * The cpu.stat of every control group that this process is in, by /proc/self/cgroup: a quota may be set at any level.
 */
export const controlGroupStats = (text: string): readonly string[] =>
  text.split('\n').flatMap(line => {
    const [, controllers = '', path = '/'] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    if (line.startsWith('0::')) return MOUNTS_V2.flatMap(mount => levels(mount, path));
    return controllers.split(',').includes('cpu') ? levels(`${MOUNT}/cpu`, path) : [];
  });

/** v2 has throttled_usec, v1 throttled_time in ns. */
export const throttledNsOf = (cpuStat: string): number | undefined => {
  const micros = figureAfter('throttled_usec', cpuStat);
  return micros === undefined ? figureAfter('throttled_time', cpuStat) : micros * 1_000;
};

/** The line "some … total=": µs in which at least one task waited. */
export const pressureNsOf = (pressure: string): number | undefined => {
  const [, total] = /^some .*\btotal=(\d{1,16})$/m.exec(pressure) ?? [];
  return total === undefined ? undefined : Number(total) * 1_000;
};

/** Share of all ticks of all processors between two texts of /proc/stat. */
export const stolenShareBetween = (before: string, now: string): number | undefined => {
  const [a, b] = [ticksOf(before), ticksOf(now)];
  if (a === undefined || b === undefined || b.all <= a.all) return undefined;
  return Math.max(0, b.stolen - a.stolen) / (b.all - a.all);
};

/** "cpu user nice system idle iowait irq softirq steal …"; guest time is part of user time. */
const ticksOf = (stat: string): { readonly all: number; readonly stolen: number } | undefined => {
  const [, line] = /^cpu +(\d[\d ]*)$/m.exec(stat) ?? [];
  const ticks =
    line
      ?.trim()
      .split(/ +/)
      .slice(0, STEAL + 1)
      .map(Number) ?? [];
  const stolen = ticks[STEAL];
  return stolen === undefined ? undefined : { all: ticks.reduce((sum, one) => sum + one, 0), stolen };
};

const figureAfter = (name: string, text: string): number | undefined => {
  const [, digits] = new RegExp(`^${name} (\\d{1,18})$`, 'm').exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits);
};

/** From the own group up to the root, which inside a container is the container's own. */
const levels = (mount: string, path: string): readonly string[] => {
  const parts = path.split('/').filter(part => part !== '' && part !== '..');
  const found: string[] = [];
  for (let depth = Math.min(parts.length, DEPTH_MAX); depth >= 0; depth -= 1)
    found.push([mount, ...parts.slice(0, depth), 'cpu.stat'].join('/'));
  return found;
};

const MOUNT = '/sys/fs/cgroup';
/** The second is where systems with both versions mount version 2. */
const MOUNTS_V2 = [MOUNT, `${MOUNT}/unified`];
const STEAL = 7;
/** Limit of nested groups. */
const DEPTH_MAX = 16;
