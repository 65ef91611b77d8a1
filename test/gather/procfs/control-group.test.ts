// Bounds of control groups: in containers of both versions, nested, without one, and beyond the host's own memory.

import { describe, expect, it } from 'vitest';
import type { ContainerMemory } from '../../../src/core/node/memory.ts';
import { parseMountinfo } from '../../../src/gather/mountinfo/parse-mountinfo.ts';
import { controlGroupFolders, parseMemoryLimit } from '../../../src/gather/procfs/control-group.ts';
import { ContainerMemorySource } from '../../../src/gather/procfs/linux-memory-gatherer.ts';
import { forAnyOutput } from '../../support/arbitrary-output.ts';
import { fixture } from '../../support/fixture.ts';
import { recordedFiles } from '../../support/recorded-files.ts';
import { filesAt } from '../recorded-tree.ts';

const GIB = 1024 ** 3;

describe('the bound of a container', () => {
  it('is that of its control group, version 2, with the page cache that can go left out of its use', () => {
    const memory = read({
      '/proc/self/cgroup': '0::/\n',
      '/proc/self/mountinfo': fixture('procfs/mountinfo-docker-v2.txt'),
      '/sys/fs/cgroup/memory.max': `${8 * GIB}\n`,
      '/sys/fs/cgroup/memory.current': `${3 * GIB}\n`,
      '/sys/fs/cgroup/memory.stat': `anon 1\ninactive_anon 2\ninactive_file ${GIB}\n`,
    });
    expect(memory).toEqual({ kind: 'limited', limitBytes: 8 * GIB, usedBytes: 2 * GIB });
  });

  it('is that of version 1, whose paths are those of the host', () => {
    const memory = read({
      '/proc/self/cgroup': '5:cpu,cpuacct:/docker/abc\n4:memory:/docker/abc\n',
      '/proc/self/mountinfo': fixture('procfs/mountinfo-docker-v1.txt'),
      '/sys/fs/cgroup/memory/memory.limit_in_bytes': `${4 * GIB}\n`,
      '/sys/fs/cgroup/memory/memory.usage_in_bytes': `${GIB}\n`,
      '/sys/fs/cgroup/memory/memory.stat': `total_inactive_file ${GIB / 2}\n`,
    });
    expect(memory).toEqual({ kind: 'limited', limitBytes: 4 * GIB, usedBytes: GIB / 2 });
  });

  it('is the tightest of all groups above', () => {
    const memory = read({
      '/proc/self/cgroup': '0::/a.slice/b.slice/c.scope\n',
      '/proc/self/mountinfo': fixture('procfs/mountinfo-workstation.txt'),
      '/sys/fs/cgroup/a.slice/b.slice/c.scope/memory.max': 'max\n',
      '/sys/fs/cgroup/a.slice/b.slice/memory.max': `${2 * GIB}\n`,
      '/sys/fs/cgroup/a.slice/b.slice/memory.current': '100\n',
      '/sys/fs/cgroup/a.slice/memory.max': `${6 * GIB}\n`,
      '/sys/fs/cgroup/a.slice/memory.current': '200\n',
    });
    expect(memory).toEqual({ kind: 'limited', limitBytes: 2 * GIB, usedBytes: 100 });
  });

  it('is none for "max", for the largest number of version 1 and for more than the host has', () => {
    const v2 = (limit: string): ContainerMemory =>
      read({
        '/proc/self/cgroup': '0::/\n',
        '/proc/self/mountinfo': fixture('procfs/mountinfo-docker-v2.txt'),
        '/sys/fs/cgroup/memory.max': limit,
      });
    expect(v2('max\n')).toEqual({ kind: 'none' });
    expect(v2(`${64 * GIB}\n`)).toEqual({ kind: 'none' });
    expect(parseMemoryLimit('9223372036854771712\n')).toBeUndefined();
  });

  it('is none where nothing can be read', () => {
    expect(read({})).toEqual({ kind: 'none' });
  });

  it('is shown although its use cannot be read', () => {
    const memory = read({
      '/proc/self/cgroup': '0::/\n',
      '/proc/self/mountinfo': fixture('procfs/mountinfo-docker-v2.txt'),
      '/sys/fs/cgroup/memory.max': `${GIB}\n`,
    });
    expect(memory).toMatchObject({ kind: 'limited', limitBytes: GIB, usedBytes: { kind: 'unknown' } });
  });

  it('is looked up at the mount point alone where the group is outside the namespace', () => {
    const mounts = parseMountinfo(fixture('procfs/mountinfo-docker-v2.txt'));
    expect(controlGroupFolders('0::/../../system.slice\n', mounts)).toEqual([
      { version: 2, path: '/sys/fs/cgroup' },
    ]);
  });

  it('crashes no parser, for any text', () => {
    const mounts = parseMountinfo(fixture('procfs/mountinfo-docker-v1.txt'));
    forAnyOutput(['5:cpu:/docker/abc\n4:memory:/docker/abc\n0::/x\n'], text => {
      const folders = controlGroupFolders(text, mounts);
      expect(folders.every(folder => !folder.path.includes('/../'))).toBe(true);
      parseMemoryLimit(text);
    });
  });
});

const read = (files: Readonly<Record<string, string>>): ContainerMemory => {
  using source = new ContainerMemorySource(recordedFiles([filesAt(files)]), 20);
  return source.readNow(32 * GIB);
};
