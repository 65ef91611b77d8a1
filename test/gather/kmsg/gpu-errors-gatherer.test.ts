import { chmodSync } from 'node:fs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { xidMeaning, xidText } from '../../../src/core/node/gpu-errors.ts';
import { linuxGpuErrorsGatherer } from '../../../src/gather/kmsg/linux-gpu-errors-gatherer.ts';
import { GPU_ERRORS_MAX, parseXid, XidTally } from '../../../src/gather/kmsg/parse-xid.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { isReading, runForTest } from '../gatherer-run.ts';
import { FixtureTree, fixtureText } from '../gpu/fixture-tree.ts';
import { machineForTest } from '../machine-for-test.ts';
import { standInTools } from '../stand-in-tools.ts';

const LOG = `5,0,0,-;Linux version 6.8.0
4,900,3600000000,-;NVRM: Xid (PCI:0000:1b:00): 13, pid=4242, name=python3, Graphics Exception: ESR 0x505648=0x102000e
 SUBSYSTEM=pci
 DEVICE=+pci:0000:1b:00.0
4,901,3700000000,-;NVRM: Xid (PCI:0000:1b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.
4,902,3705000000,-;NVRM: Xid (PCI:0000:1b:00): 79, GPU has fallen off the bus.
4,903,3705000001,-;NVRM: GPU 0000:1b:00.0: GPU has fallen off the bus.
4,904,3706000000,c;NVRM: Xid (0000:03:00): 62, Channel 00000001
`;

it('counts the errors of a log by device and number, the newest first, with their age', async () => {
  await using tree = await FixtureTree.create();
  await tree.write('proc/driver/nvidia/version', 'NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.95');
  await tree.write('proc/uptime', '3766.00 1.00\n');
  await tree.write('dev/kmsg', LOG);
  const machine = machineForTest({ root: tree.root });
  await using run = runForTest([linuxGpuErrorsGatherer(machine)], new VirtualClock());
  const { reading } = await run.waitFor(isReading('gpuErrors'), 'from start');
  expect(reading.value.errors).toEqual([
    { address: '0000:03:00', xid: 62, kind: 'xid', count: 1, newestAgeMs: 60_000, text: 'Channel 00000001' },
    {
      address: '0000:1b:00',
      xid: 79,
      kind: 'xid',
      count: 2,
      newestAgeMs: 61_000,
      text: 'GPU has fallen off the bus.',
    },
    {
      address: '0000:1b:00',
      xid: 13,
      kind: 'xid',
      count: 1,
      newestAgeMs: 166_000,
      text: 'pid=4242, name=python3, Graphics Exception: ESR 0x505648=0x102000e',
    },
  ]);
});

it('reports on a machine without a GPU that there is none, and asks for no log', async () => {
  await using tree = await FixtureTree.create();
  await using run = runForTest([linuxGpuErrorsGatherer(machineForTest({ root: tree.root }))]);
  await run.ended;
  expect(run.reported).toMatchObject([{ kind: 'absence', reason: 'no GPU' }]);
});

it('reports why a log may not be read, and that there is none', async ({ skip }) => {
  await using tree = await FixtureTree.create();
  await tree.write('proc/driver/nvidia/version', 'NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.95');
  const machine = machineForTest({ root: tree.root });
  {
    await using run = runForTest([linuxGpuErrorsGatherer(machine)], new VirtualClock());
    const reported = await run.waitUntil(({ kind }) => kind === 'failure', 'from start');
    expect(reported).toMatchObject({ reason: 'there is no /dev/kmsg here, as in most containers' });
  }
  if (process.getuid?.() === 0) skip('root may read every file');
  await tree.write('dev/kmsg', LOG);
  chmodSync(`${tree.root}/dev/kmsg`, 0);
  using tools = standInTools();
  tools.script('journalctl', 'true');
  const refused = machineForTest({ root: tree.root, env: tools.env });
  await using run = runForTest([linuxGpuErrorsGatherer(refused)], new VirtualClock());
  const reported = await run.waitUntil(({ kind }) => kind === 'failure', 'from start');
  expect(reported).toMatchObject({
    reason: expect.stringContaining('the kernel keeps its log for root (kernel.dmesg_restrict), and'),
    code: 'permission',
  });
});

it('takes errors of a part of a device (MIG) for errors of the device', () => {
  for (const part of ['', ' GPU-I:01', ' GPU-I:01 GPU-CI:00'])
    expect(
      parseXid(`4,1,2,-;NVRM: Xid (PCI:0000:1b:00${part}): 94, pid=7, name=python3, Contained`),
    ).toMatchObject({
      address: '0000:1b:00',
      xid: 94,
    });
});

it('reads errors of NVLink 5, of the system processor and of NVSwitches, with the number of each', () => {
  const logged = fixtureText('kmsg/nvlink5-gsp-and-nvswitch-errors.txt')
    .split('\n')
    .flatMap(line => parseXid(line) ?? []);
  const numbers = (kind: string) => logged.filter(error => error.kind === kind).map(({ xid }) => xid);
  expect(numbers('xid')).toEqual([149, 145, 149, 119, 13, 79, 154]);
  expect(numbers('sxid')).toEqual([20034, 12028]);
  const meanings = logged
    .filter(({ kind }) => kind === 'sxid')
    .map(error => [error.address, xidText(error), xidMeaning(error).level]);
  expect(meanings).toEqual([
    ['0000:a9:00.0', 'SXid 20034: a fatal error of an NVSwitch', 'danger'],
    ['0000:05:00.0', 'SXid 12028: an error of an NVSwitch', 'caution'],
  ]);
});

it.each([
  ['amdgpu 0000:03:00.0: amdgpu: GPU reset begin!', 'reset'],
  ['amdgpu 0000:03:00.0: amdgpu: GPU reset begin!. Source:  1', 'reset'],
  ['amdgpu 0000:03:00.0: amdgpu: GPU reset end with ret = -62', 'reset-failed'],
  ['amdgpu 0000:03:00.0: amdgpu: device lost from bus!', 'reset-failed'],
  ['i915 0000:03:00.0: [drm] GPU HANG: ecode 12:1:8ed9fff2, in python3 [6414]', 'reset'],
  ['xe 0000:03:00.0: [drm] GT0: reset started', 'reset'],
  ['xe 0000:03:00.0: [drm] *ERROR* GT0: reset failed (-ETIMEDOUT)', 'reset-failed'],
  ['xe 0000:03:00.0: [drm] *ERROR* CRITICAL: Xe has declared device 0000:03:00.0 as wedged.', 'reset-failed'],
])('reads a reset of an AMD or Intel GPU: %s', (line, kind) => {
  expect(parseXid(`3,1,2000000,-;${line}`)).toMatchObject({ address: '0000:03:00.0', xid: 0, kind });
});

it.each([
  'amdgpu 0000:03:00.0: amdgpu: GPU reset succeeded, trying to resume',
  'amdgpu 0000:03:00.0: amdgpu: MODE1 reset',
  'i915 0000:03:00.0: [drm] Resetting chip for stopped heartbeat on rcs0',
  'xe 0000:03:00.0: [drm] GT0: reset done',
  'amdgpu 0000:03:00.0: [drm] device wedged, but recovered through reset',
])('counts a reset once: not by %s', line => {
  expect(parseXid(`3,1,2000000,-;${line}`)).toBeUndefined();
});

it('reads the log on a machine whose only GPU is of AMD, and is silent there where it is kept for root', async () => {
  await using tree = await FixtureTree.create();
  await tree.write(
    'sys/bus/pci/devices/0000:03:00.0/uevent',
    'DRIVER=amdgpu\nPCI_CLASS=30000\nPCI_ID=1002:744C\n',
  );
  {
    await using run = runForTest([linuxGpuErrorsGatherer(machineForTest({ root: tree.root }))]);
    const reported = await run.waitUntil(({ kind }) => kind === 'absence', 'from start');
    expect(reported).toMatchObject({ reason: 'there is no /dev/kmsg here, as in most containers' });
  }
  await tree.write('proc/uptime', '10.00 1.00\n');
  await tree.write('dev/kmsg', '3,1,2000000,-;amdgpu 0000:03:00.0: amdgpu: GPU reset begin!\n');
  await using run = runForTest(
    [linuxGpuErrorsGatherer(machineForTest({ root: tree.root }))],
    new VirtualClock(),
  );
  const { reading } = await run.waitFor(isReading('gpuErrors'), 'from start');
  expect(reading.value.errors).toMatchObject([{ kind: 'reset', count: 1, newestAgeMs: 8_000 }]);
});

it('keeps the newest if there are more errors than it reports', () => {
  const tally = new XidTally();
  for (let xid = 1; xid <= GPU_ERRORS_MAX + 10; xid += 1)
    tally.add({ atSeconds: xid, address: '0000:01:00', xid, kind: 'xid', text: '' });
  const reported = tally.read(1_000).map(({ xid }) => xid);
  expect(reported).toHaveLength(GPU_ERRORS_MAX);
  expect(reported[0]).toBe(GPU_ERRORS_MAX + 10);
});

it('takes nothing that only looks like one for an error', () => {
  for (const line of [
    '4,1,2,-;user wrote: NVRM: Xid (PCI:0000:1b:00): 79, GPU has fallen off the bus.',
    '4,1,2,-;NVRM: Xid (PCI:0000:1b:00): many',
    ' NVRM: Xid (PCI:0000:1b:00): 79',
  ])
    expect(parseXid(line)).toBeUndefined();
  fc.assert(
    fc.property(fc.string(), line => parseXid(line) === undefined),
    { numRuns: 100 },
  );
});
