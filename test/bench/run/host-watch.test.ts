import { describe, expect, test } from 'vitest';
import { HostWatch } from '../../../src/bench/run/host-watch.ts';
import {
  controlGroupStats,
  pressureNsOf,
  stolenShareBetween,
  throttledNsOf,
} from '../../../src/bench/run/parse-host.ts';

describe('the kernel reports the use of processors', () => {
  test('in the cpu.stat of every control group from the own one up, in both versions', () => {
    expect(controlGroupStats('0::/system.slice/bench.service\n').slice(0, 3)).toEqual([
      '/sys/fs/cgroup/system.slice/bench.service/cpu.stat',
      '/sys/fs/cgroup/system.slice/cpu.stat',
      '/sys/fs/cgroup/cpu.stat',
    ]);
    expect(controlGroupStats('4:memory:/a\n2:cpu,cpuacct:/a/b\n')).toEqual([
      '/sys/fs/cgroup/cpu/a/b/cpu.stat',
      '/sys/fs/cgroup/cpu/a/cpu.stat',
      '/sys/fs/cgroup/cpu/cpu.stat',
    ]);
    expect(controlGroupStats('')).toEqual([]);
  });

  test('in µs in version 2, in ns in version 1, and nothing where there is no quota controller', () => {
    expect(throttledNsOf('usage_usec 5\nnr_periods 10\nnr_throttled 4\nthrottled_usec 250000\n')).toBe(250e6);
    expect(throttledNsOf('nr_periods 10\nnr_throttled 4\nthrottled_time 250000000\n')).toBe(250e6);
    expect(throttledNsOf('usage_usec 5\n')).toBeUndefined();
  });

  test('as pressure and as stolen time', () => {
    const pressure = 'some avg10=98.97 avg60=98.03 avg300=88.75 total=996822231\nfull avg10=0.00 total=0\n';
    expect(pressureNsOf(pressure)).toBe(996_822_231_000);
    const before = 'cpu  100 0 100 700 0 0 0 100 50 0\ncpu0 1 1 1 1 1 1 1 1 1 1\n';
    const now = 'cpu  150 0 100 800 0 0 0 150 90 0\ncpu0 1 1 1 1 1 1 1 1 1 1\n';
    expect(stolenShareBetween(before, now)).toBe(0.25);
    expect(stolenShareBetween('', now)).toBeUndefined();
  });

  test('from one look to the next, the group that was held back longest', () => {
    const files = new Map([
      ['/proc/self/cgroup', '2:cpu:/outer/inner\n'],
      ['/sys/fs/cgroup/cpu/outer/inner/cpu.stat', 'throttled_time 10\n'],
      ['/sys/fs/cgroup/cpu/outer/cpu.stat', 'throttled_time 1000\n'],
    ]);
    const watch = new HostWatch(path => files.get(path));
    expect(watch.observe(0)).toBeUndefined();
    files.set('/sys/fs/cgroup/cpu/outer/inner/cpu.stat', 'throttled_time 12\n');
    files.set('/sys/fs/cgroup/cpu/outer/cpu.stat', 'throttled_time 1400\n');
    expect(watch.observe(500)).toEqual({
      kind: 'client.host',
      atNs: 500,
      intervalNs: 500,
      throttledNs: 400,
      pressureNs: -1,
      stolenNs: -1,
    });
  });
});
