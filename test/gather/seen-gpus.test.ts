import { expect, it } from 'vitest';
import type { GpuDevice } from '../../src/core/node/gpu.ts';
import { unknown } from '../../src/core/unknown.ts';
import { SeenGpus } from '../../src/gather/seen-gpus.ts';
import { FixtureTree } from './gpu/fixture-tree.ts';
import { rootAt } from './machine-for-test.ts';

const HOUR_MS = 3_600_000;
const NONE = { devices: [], failed: [] };

const device = (address: string, deviceId = `GPU-${address}`): GpuDevice => ({
  deviceId,
  index: 0,
  name: 'Test GPU',
  memoryTotalBytes: 24e9,
  memoryIsUnified: false,
  driver: '1',
  runtime: unknown('not set'),
  architecture: unknown('not set'),
  coreCount: unknown('not set'),
  pcieMax: unknown('not set'),
  powerLimitWatts: 450,
  partitions: [],
  pciAddress: address,
});

const nameless = {
  deviceId: 'unlisted-0',
  name: 'GPU',
  index: unknown('x'),
  pciAddress: unknown('x'),
  state: 'lost',
  reason: 'counted',
} as const;

it('misses a GPU for a week, and then no more', async () => {
  const seen = new SeenGpus(rootAt('/nowhere'));
  expect(await seen.complete({ devices: [device('0000:01:00.0')], failed: [] }, 0)).toEqual([]);
  expect(await seen.complete(NONE, HOUR_MS)).toMatchObject([{ reason: 'it is not listed any more' }]);
  expect(await seen.complete(NONE, 169 * HOUR_MS)).toHaveLength(1);
  expect(await seen.complete(NONE, 170 * HOUR_MS)).toEqual([]);
  expect(await seen.complete(NONE, 171 * HOUR_MS)).toEqual([]);
});

it('takes a GPU for the same by its address when its id cannot be read', async () => {
  const seen = new SeenGpus(rootAt('/nowhere'));
  await seen.complete({ devices: [device('0000:01:00.0')], failed: [] }, 0);
  const devices = [device('0000:01:00.0', '0000:01:00.0')];
  expect(await seen.complete({ devices, failed: [] }, HOUR_MS)).toEqual([]);
});

it('takes one that is counted without a name for the one that is gone, and lists the rest', async () => {
  const seen = new SeenGpus(rootAt('/nowhere'));
  await seen.complete({ devices: [device('0000:01:00.0')], failed: [] }, 0);
  const failed = [nameless, { ...nameless, deviceId: 'unlisted-1' }];
  expect(await seen.complete({ devices: [], failed }, 1)).toMatchObject([
    { deviceId: 'GPU-0000:01:00.0' },
    { deviceId: 'unlisted-1' },
  ]);
});

it('reports what the kernel shows of a GPU that is gone', async () => {
  await using tree = await FixtureTree.create();
  const seen = new SeenGpus(rootAt(tree.root));
  const addresses = ['0000:01:00.0', '0000:02:00.0', '0000:03:00.0', '0000:04:00.0'];
  await tree.write('sys/bus/pci/devices/0000:02:00.0/uevent', 'PCI_CLASS=30000\n');
  await tree.write('sys/bus/pci/devices/0000:03:00.0/uevent', 'DRIVER=nvidia\n');
  await tree.write('sys/bus/pci/devices/0000:04:00.0/uevent', 'DRIVER=vfio-pci\n');
  await seen.complete({ devices: addresses.map(address => device(address)), failed: [] }, 0);
  expect((await seen.complete(NONE, 1)).map(({ reason }) => reason)).toEqual([
    'it is not on the PCI bus any more',
    'it is on the PCI bus, and no driver is bound to it',
    'it is on the PCI bus with the driver nvidia, and not listed any more',
  ]);
});

it('remembers no more GPUs than a machine can have', async () => {
  const seen = new SeenGpus(rootAt('/nowhere'));
  const devices = Array.from({ length: 300 }, (_, at) => device(`0000:${at}`));
  await seen.complete({ devices, failed: [] }, 0);
  expect(await seen.complete(NONE, 1)).toHaveLength(256);
});
