import { expect, test } from 'vitest';
import { gpuVendorsOf } from '../../../src/daemon/probes/daemon-probes.ts';
import type { GatheredKind, Gatherer } from '../../../src/gather/gatherer.ts';

test('a vendor reported by two sources is listed once, so that no device is measured twice', () => {
  const inventory: GatheredKind = { reading: 'gpus', vendor: 'nvidia' };
  const loads: GatheredKind = { reading: 'gpuLoads', vendor: 'amd' };
  const vendors = gpuVendorsOf([
    reporting({ reading: 'memory', vendor: 'none' }),
    reporting(inventory, loads),
    reporting(inventory),
  ]);
  expect(vendors).toEqual(['nvidia']);
});

const reporting = (...reports: readonly GatheredKind[]): Gatherer => ({
  name: 'made up',
  reports,
  intervalMs: 1_000,
  gather: () => Promise.resolve(),
});
