import { expect, it } from 'vitest';
import { filesBefore } from '../../src/gather/machine-access.ts';
import { recordedFiles } from '../support/recorded-files.ts';
import { filesAt } from './recorded-tree.ts';

const files = filesBefore(
  recordedFiles([
    filesAt({ '/proc/meminfo': 'of the container', '/etc/os-release': 'image', '/proc/self/cgroup': '0::/' }),
  ]),
  recordedFiles([
    filesAt({
      '/proc/meminfo': 'of the machine',
      '/etc/machine-info': 'of the machine',
      '/sys/firmware/devicetree/base/model': 'NVIDIA DGX Spark',
      '/sys/class/dmi/id/product_name': 'AS-4125GS',
      '/sys/fs/cgroup/memory.max': '1',
      '/proc/self/mountinfo': 'of somebody else',
    }),
  ]),
);

it('what the container shows counts, and what it hides comes from the machine', async () => {
  expect(files.textNow('/proc/meminfo')).toBe('of the container');
  expect(files.textNow('/sys/class/dmi/id/product_name')).toBe('AS-4125GS');
  expect(await files.text('/proc/device-tree/model')).toBe('NVIDIA DGX Spark');
  expect(files.namesNow('/sys/class/dmi/id')).toEqual(['product_name']);
  using kept = files.keepOpen('/sys/class/dmi/id/product_name');
  expect(kept.readNow()).toBe('AS-4125GS');
});

it('limits, mounts and files of the image are never taken from the machine', () => {
  for (const path of ['/sys/fs/cgroup/memory.max', '/proc/self/mountinfo', '/etc/machine-info'])
    expect(files.textNow(path)).toMatchObject({ code: 'ENOENT' });
});
