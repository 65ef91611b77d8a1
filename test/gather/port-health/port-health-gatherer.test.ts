// What sysfs has of cables and slots: trees of recorded form, with counters that grow, stop and start again.

import { expect, test } from 'vitest';
import type { PortHealth } from '../../../src/core/node/port-health.ts';
import { isUnknown } from '../../../src/core/unknown.ts';
import { HourCounts } from '../../../src/gather/port-health/hour-counts.ts';
import { linuxPortHealthGatherer } from '../../../src/gather/port-health/linux-port-health-gatherer.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { isReading, runForTest } from '../gatherer-run.ts';
import { FixtureTree } from '../gpu/fixture-tree.ts';
import { machineForTest } from '../machine-for-test.ts';

const reading = async (tree: FixtureTree) => {
  const clock = new VirtualClock();
  const run = runForTest([linuxPortHealthGatherer(machineForTest({ root: tree.root }))], clock);
  const first = await run.waitFor(isReading('portHealth'), 'from start');
  return { run, clock, first: first.reading.value };
};

const counts = (port: PortHealth | undefined): Readonly<Record<string, unknown>> =>
  Object.fromEntries((port?.counters ?? []).map(({ counter, total }) => [counter, total]));

/** Documentation/ABI/testing/sysfs-bus-pci-devices-aer. */
const corrected = (total: number): string =>
  `RxErr ${total}\nBadTLP 0\nBadDLLP 0\nRollover 0\nTimeout 0\nNonFatalErr 0\nCorrIntErr 0\nHeaderOF 0\nTOTAL_ERR_COR ${total}\n`;

test('carrier changes, errors of RDMA ports and of PCIe devices are read, and what is not counted has its reason', async () => {
  await using tree = await FixtureTree.create();
  await tree.write('sys/class/net/enp1s0/carrier_changes', '17\n');
  await tree.write('sys/class/net/enp1s0/device/vendor', '0x15b3\n');
  await tree.write('sys/class/net/lo/carrier_changes', '0\n');
  await tree.write('sys/class/net/br0/carrier_changes', '3\n');
  await tree.write('sys/class/net/br0/bridge/bridge_id', '8000.0\n');
  await tree.write('sys/class/net/eth0.7/carrier_changes', '3\n');
  await tree.write('sys/class/net/eth0.7/lower_eth0/x', '');
  const port = 'sys/class/infiniband/mlx5_0/ports/1/counters';
  await tree.write(`${port}/link_downed`, '2\n');
  await tree.write(`${port}/symbol_error`, '65535\n');
  await tree.write(`${port}/local_link_integrity_errors`, '0\n');
  const pci = 'sys/bus/pci/devices';
  await tree.write(`${pci}/0000:01:00.0/class`, '0x020000\n');
  await tree.write(`${pci}/0000:01:00.0/net/enp1s0/x`, '');
  await tree.write(`${pci}/0000:01:00.0/aer_dev_correctable`, corrected(12));
  await tree.write(`${pci}/0000:01:00.0/aer_dev_nonfatal`, 'Undefined 0\nTOTAL_ERR_NONFATAL 0\n');
  await tree.write(`${pci}/0000:01:00.0/aer_dev_fatal`, 'garbage\n');
  // A bridge without errors, one with errors, and a device of no interest.
  for (const [address, pciClass, total] of [
    ['0000:00:01.0', '0x060400', 0],
    ['0000:00:02.0', '0x060400', 5],
    ['0000:00:1f.3', '0x040300', 9],
  ] as const) {
    await tree.write(`${pci}/${address}/class`, `${pciClass}\n`);
    await tree.write(`${pci}/${address}/aer_dev_correctable`, corrected(total));
  }
  const { run, first } = await reading(tree);
  await using _run = run;
  expect(first.ports.map(({ name }) => name)).toEqual(['enp1s0', 'mlx5_0']);
  expect(counts(first.ports[0])).toEqual({ carrierChanges: 17 });
  expect(counts(first.ports[1])).toMatchObject({
    linkDowned: 2,
    linkRecoveries: { kind: 'unknown' },
    symbolErrors: 65_535,
    integrityErrors: 0,
  });
  const stopped = first.ports[1]?.counters.find(({ counter }) => counter === 'symbolErrors');
  expect(stopped?.lastHour).toMatchObject({ reason: 'the counter stopped at its maximum of 65535' });
  const slots = isUnknown(first.slots) ? [] : first.slots;
  expect(slots.map(({ name }) => name)).toEqual(['0000:01:00.0', '0000:00:02.0']);
  expect(slots[0]).toMatchObject({ kind: 'pcie', interfaceName: 'enp1s0' });
  expect(counts(slots[0])).toMatchObject({
    pcieCorrected: 12,
    pcieNonfatal: 0,
    pcieFatal: { kind: 'unknown' },
  });
});

test('what came in the last hour grows with the counter, and a machine without AER has a reason', async () => {
  await using tree = await FixtureTree.create();
  await tree.write('sys/class/net/enp1s0/carrier_changes', '2\n');
  const { run, clock, first } = await reading(tree);
  await using _run = run;
  expect(isUnknown(first.slots) && first.slots.reason).toMatch(/no PCI device counts errors/);
  expect(first.ports[0]?.counters[0]).toMatchObject({ lastHour: { reason: 'needs two readings' } });
  await tree.write('sys/class/net/enp1s0/carrier_changes', '16\n');
  const coming = run.waitFor(isReading('portHealth'));
  await clock.advance(30_000);
  const { reading: next } = await coming;
  expect(next.value.ports[0]?.counters[0]).toEqual({
    counter: 'carrierChanges',
    total: 16,
    lastHour: 14,
    observedMs: 30_000,
  });
});

test('a growth is counted for an hour, and from a reset on again', () => {
  const hours = new HourCounts();
  const at = (minute: number, total: number) => {
    const growth = hours.read('port', total, minute * 60_000);
    hours.endLook();
    return growth;
  };
  expect(at(0, 5).lastHour).toMatchObject({ reason: 'needs two readings' });
  expect(at(10, 5)).toEqual({ lastHour: 0, observedMs: 600_000 });
  expect(at(20, 9).lastHour).toBe(4);
  expect(at(50, 10)).toEqual({ lastHour: 5, observedMs: 3_000_000 });
  expect(at(80, 10)).toEqual({ lastHour: 1, observedMs: 3_600_000 });
  expect(at(110, 10).lastHour).toBe(0);
  expect(at(120, 3).lastHour).toMatchObject({ reason: 'its counters were reset' });
  expect(at(121, 4)).toEqual({ lastHour: 1, observedMs: 60_000 });
});

test('a counter that is gone for a look starts again', () => {
  const hours = new HourCounts();
  hours.read('port', 5, 0);
  hours.endLook();
  hours.endLook();
  expect(hours.read('port', 9, 60_000).lastHour).toMatchObject({ reason: 'needs two readings' });
});
