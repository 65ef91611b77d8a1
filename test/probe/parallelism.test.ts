import { expect, test } from 'vitest';
import { parallelismHere } from '../../src/probe/parallelism.ts';

const threads = (files: Readonly<Record<string, string>>): number => parallelismHere(path => files[path], 16);

test('a probe starts as many threads as there are processors where no quota holds it', () => {
  expect(threads({})).toBe(16);
  expect(threads({ '/proc/self/cgroup': '0::/\n', '/sys/fs/cgroup/cpu.max': 'max 100000\n' })).toBe(16);
});

test('a quota of its control group counts, rounded up, in version 2', () => {
  expect(threads({ '/proc/self/cgroup': '0::/\n', '/sys/fs/cgroup/cpu.max': '250000 100000\n' })).toBe(3);
});

test('so does one of version 1, whose path is the machine’s while only the part below is mounted', () => {
  const files = {
    '/proc/self/cgroup': '4:memory:/kubepods/pod1/c1\n1:cpu,cpuacct:/kubepods/pod1/c1\n',
    '/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us': '50000\n',
    '/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us': '100000\n',
  };
  expect(threads(files)).toBe(1);
});

test('the tightest of nested groups counts', () => {
  const files = {
    '/proc/self/cgroup': '0::/a/b\n',
    '/sys/fs/cgroup/a/b/cpu.max': '800000 100000\n',
    '/sys/fs/cgroup/a/cpu.max': '200000 100000\n',
  };
  expect(threads(files)).toBe(2);
});
