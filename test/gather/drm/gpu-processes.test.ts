// Processes on AMD and Intel GPUs from files in the documented formats (Documentation/gpu/drm-usage-stats.rst, xe-drm-usage-stats,
// amdkfd's kfd_process.c), made and not recorded: no such card was at hand.

import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { unknown } from '../../../src/core/unknown.ts';
import { readKfdProcesses } from '../../../src/gather/amdgpu/amdgpu-load-gatherer.ts';
import { drmProcesses, readDrmClients } from '../../../src/gather/drm/drm-clients.ts';
import { parseFdinfo } from '../../../src/gather/drm/parse-fdinfo.ts';
import { fixture } from '../../support/fixture.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { rootAt } from '../machine-for-test.ts';
import { filesAt, plant } from '../recorded-tree.ts';

const ADDRESS = '0000:03:00.0';
const fdinfo = (name: string): string => fixture(`gpu/fdinfo/${name}`);
const RENDER = '/dev/dri/renderD128';

describe('one open file of a card', () => {
  test.each([
    ['xe', { address: ADDRESS, clientId: '3', ownBytes: 23_992 * 1_024, hostBytes: 192 * 1_024 }],
    [
      'i915',
      {
        address: '0000:00:02.0',
        clientId: '39',
        ownBytes: unknown('the driver does not report it'),
        hostBytes: 6_044 * 1_024,
      },
    ],
    ['amdgpu', { address: ADDRESS, clientId: '7', ownBytes: 17_179_869_184, hostBytes: 8_388_608 }],
    ['amdgpu-old', { address: ADDRESS, clientId: '7', ownBytes: 1_048_576, hostBytes: 0 }],
  ])('of %s shows its memory', (name, client) => {
    expect(parseFdinfo(fdinfo(name))).toEqual(client);
  });

  test('that is another, or reports what cannot be, is none', () => {
    for (const text of [
      'pos:\t0\nflags:\t02\n',
      'drm-driver: v3d\ndrm-client-id: 4\n',
      'drm-pdev: ../../etc\ndrm-client-id: 4\n',
      'drm-pdev: 0000:03:00.0\n',
    ])
      expect(parseFdinfo(text)).toBeUndefined();
    expect(
      parseFdinfo('drm-pdev: 0000:03:00.0\ndrm-client-id: 4\ndrm-resident-vram0: 99999999999999999 KiB\n'),
    ).toMatchObject({ ownBytes: { kind: 'unknown' } });
  });
});

describe('processes on a card', () => {
  test('are those with files of it, each client once, the one with the most memory first', async () => {
    using folder = temporaryDirectory();
    plant(folder.path, [
      {
        ...filesAt({
          '/proc/41/comm': 'llama-server\n',
          '/proc/41/fdinfo/5': fdinfo('amdgpu'),
          '/proc/41/fdinfo/6': fdinfo('amdgpu'),
          '/proc/41/fdinfo/7': 'pos: 0\n',
          '/proc/42/comm': 'Xorg\n',
          '/proc/42/fdinfo/3': fdinfo('amdgpu-old'),
          '/proc/self/fdinfo/3': fdinfo('amdgpu'),
        }),
        links: {
          'proc/41/fd/5': RENDER,
          'proc/41/fd/6': RENDER,
          'proc/41/fd/7': '/tmp/x',
          'proc/42/fd/3': '/dev/dri/card0',
        },
      },
    ]);
    const clients = await readDrmClients(rootAt(folder.path));
    const of = { address: ADDRESS, isIntegrated: false, more: undefined };
    expect(await drmProcesses(rootAt(folder.path), clients, of)).toEqual([
      { pid: 41, name: 'llama-server', memoryBytes: 17_179_869_184 },
      { pid: 42, name: 'Xorg', memoryBytes: 1_048_576 },
    ]);
    expect(await drmProcesses(rootAt(folder.path), clients, { ...of, address: '0000:04:00.0' })).toEqual([]);
    // Graphics in a processor hold the host's memory, and the compute driver may know more of the same process.
    expect(
      await drmProcesses(rootAt(folder.path), clients, {
        ...of,
        isIntegrated: true,
        more: new Map([[42, 5e9]]),
      }),
    ).toMatchObject([{ memoryBytes: 17_179_869_184 + 8_388_608 }, { pid: 42, memoryBytes: 5e9 }]);
  });

  test('are not "none" where they may not be looked at', async ({ skip }) => {
    if (process.getuid?.() === 0) skip('root may look at everything');
    using folder = temporaryDirectory();
    plant(folder.path, [{ ...filesAt({ '/proc/9/comm': 'x\n' }), links: { 'proc/9/fd': '(directory)' } }]);
    chmodSync(join(folder.path, 'proc/9/fd'), 0);
    const clients = await readDrmClients(rootAt(folder.path));
    expect(
      await drmProcesses(rootAt(folder.path), clients, {
        address: ADDRESS,
        isIntegrated: false,
        more: undefined,
      }),
    ).toMatchObject({ reason: 'only root can read the open files of a process' });
    chmodSync(join(folder.path, 'proc/9/fd'), 0o700);
  });

  test('that vanished or have no names of files are counted as not to be read', async () => {
    using folder = temporaryDirectory();
    plant(folder.path, [filesAt({ '/proc/9/comm': 'x\n' })]);
    expect(await readDrmClients(rootAt(folder.path))).toMatchObject({ hidden: 1 });
    expect(await readDrmClients(rootAt(join(folder.path, 'nowhere')))).toMatchObject({ hidden: undefined });
  });
});

test('the compute driver lists processes by the slot of their card, under any owner', async () => {
  using folder = temporaryDirectory();
  expect(await readKfdProcesses(rootAt(folder.path))).toBeUndefined();
  plant(folder.path, [
    filesAt({
      '/sys/class/kfd/kfd/topology/nodes/0/gpu_id': '0\n',
      '/sys/class/kfd/kfd/topology/nodes/0/properties': 'cpu_cores_count 16\nsimd_count 0\n',
      '/sys/class/kfd/kfd/topology/nodes/1/gpu_id': '51110\n',
      '/sys/class/kfd/kfd/topology/nodes/1/properties':
        'simd_count 192\nsimd_per_cu 2\ngfx_target_version 110000\nlocation_id 768\ndomain 0\n',
      '/sys/class/kfd/kfd/proc/812/vram_51110': '19327352832\n',
      '/sys/class/kfd/kfd/proc/812/pasid': '32771\n',
      '/sys/class/kfd/kfd/proc/813/vram_51110': '0\n',
      '/sys/class/kfd/kfd/proc/814/vram_51110': 'x\n',
    }),
  ]);
  expect(await readKfdProcesses(rootAt(folder.path))).toEqual(
    new Map([['0000:03:00', new Map([[812, 19_327_352_832]])]]),
  );
});
