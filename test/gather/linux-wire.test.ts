// For any content of /proc, /sys and ip, the readings made of it pass the schema by which other nodes judge them: one odd file
// must not make a whole reading be refused.

import * as fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { EVENT_KINDS } from '../../src/core/event-kinds.ts';
import type { Reading } from '../../src/core/node/reading.ts';
import { linuxIdentityGatherer } from '../../src/gather/dmi/linux-identity-gatherer.ts';
import type { Gatherer } from '../../src/gather/gatherer.ts';
import { linuxRdmaGatherer } from '../../src/gather/infiniband/linux-rdma-gatherer.ts';
import { parseIpAddr } from '../../src/gather/ip/parse-ip-addr.ts';
import { readInterfaces } from '../../src/gather/ip/read-interfaces.ts';
import type { MachineAccess } from '../../src/gather/machine-access.ts';
import { linuxDiskGatherer } from '../../src/gather/mountinfo/linux-disk-gatherer.ts';
import { linuxMemoryGatherer } from '../../src/gather/procfs/linux-memory-gatherer.ts';
import { linuxSystemGatherer } from '../../src/gather/procfs/linux-system-gatherer.ts';
import { linuxThunderboltGatherer } from '../../src/gather/thunderbolt/linux-thunderbolt-gatherer.ts';
import { fixture } from '../support/fixture.ts';
import { type RecordedTree, recordedFiles } from '../support/recorded-files.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { machineForTest } from './machine-for-test.ts';
import { filesAt, recordedTree } from './recorded-tree.ts';

describe('readings of any files are believed by other nodes', () => {
  it('memory', () => holds(PROC, linuxMemoryGatherer));

  it('system', () => holds([...PROC, SENSORS], linuxSystemGatherer));

  it('identity', () => holds([...PROC, FIRMWARE], linuxIdentityGatherer));

  it('RDMA devices', () => holds([recordedTree('sysfs/infiniband-mixed.json')], linuxRdmaGatherer));

  it('Thunderbolt', () =>
    holds([recordedTree('sysfs/thunderbolt-peer-and-dock.json')], linuxThunderboltGatherer));

  it('disks, also those without end', () =>
    holds(PROC, machine =>
      linuxDiskGatherer(machine, () =>
        Promise.resolve({ isFolder: true, totalBytes: 2n ** 63n, availableBytes: -1n }),
      ),
    ));

  it('network interfaces', async () => {
    const tree = recordedTree('sysfs/class-net-every-kind.json');
    const names = [...new Set(Object.keys(tree.files).map(path => path.split('/')[0] ?? ''))];
    const json = fixture('ip/addr-thunderbolt-and-vpn.json');
    await withOddTexts(async text => {
      const addresses = parseIpAddr(
        json.replaceAll('192.0.2.41', text.slice(0, 40).replaceAll(/["\\\n]/g, '')),
      );
      const interfaces = await readInterfaces(
        recordedFiles([damaged(tree, text)]),
        names,
        addresses.kind === 'answered' ? addresses.value : new Map(),
      );
      expectBelieved({ kind: 'network', value: { interfaces } });
    });
  });
});

const PROC: readonly RecordedTree[] = [
  filesAt({
    '/proc/meminfo': fixture('procfs/meminfo-gb10.txt'),
    '/proc/pressure/memory': 'some avg10=1.00 avg60=0.00 avg300=0.00 total=0\n',
    '/proc/cpuinfo': fixture('procfs/cpuinfo-gb10.txt'),
    '/proc/stat': fixture('procfs/stat-two-cpus.txt'),
    '/proc/loadavg': '0.42 0.30 0.20 1/400 1234\n',
    '/proc/uptime': '86400.50 100.00\n',
    '/proc/self/mountinfo': fixture('procfs/mountinfo-workstation.txt'),
    '/proc/self/cgroup': '0::/\n',
    '/proc/sys/kernel/hostname': 'node-a\n',
    '/proc/sys/kernel/osrelease': '6.12.0\n',
    '/sys/fs/cgroup/memory.max': '1000000000\n',
    '/sys/fs/cgroup/memory.current': '5000\n',
    '/sys/fs/cgroup/memory.stat': 'inactive_file 7000\n',
  }),
];

const SENSORS: RecordedTree = filesAt({
  '/sys/class/hwmon/hwmon0/name': 'coretemp\n',
  '/sys/class/hwmon/hwmon0/temp1_input': '41500\n',
  '/sys/class/hwmon/hwmon0/temp1_label': 'Package id 0\n',
  '/sys/class/hwmon/hwmon1/name': 'power_meter\n',
  '/sys/class/hwmon/hwmon1/power1_average': '41500\n',
  '/sys/class/powercap/intel-rapl:0/name': 'package-0\n',
  '/sys/class/powercap/intel-rapl:0/energy_uj': '12345\n',
  '/sys/class/powercap/intel-rapl:0/max_energy_range_uj': '262143328850\n',
  '/sys/devices/cpu_core/cpus': '0\n',
  '/sys/devices/cpu_atom/cpus': '1\n',
  '/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq': '3900000\n',
});

const FIRMWARE: RecordedTree = filesAt({
  '/etc/os-release': 'PRETTY_NAME="Debian"\nVERSION_ID="12"\n',
  '/etc/machine-info': 'PRETTY_HOSTNAME="Left one"\n',
  '/sys/class/dmi/id/sys_vendor': 'NVIDIA\n',
  '/sys/class/dmi/id/product_name': 'NVIDIA_DGX_Spark\n',
  '/sys/devices/system/cpu/online': '0-3\n',
  '/proc/driver/nvidia/gpus/000f:01:00.0/information': 'Model: NVIDIA GB10\n',
  '/proc/device-tree/model': 'Board\0',
  '/run/systemd/container': 'podman\n',
});

const RUNS = 150;

const ODD_TEXT: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 3_000 }),
  fc.constantFrom(
    '',
    '\n',
    '-1',
    '0',
    '9007199254740991',
    '9999999999999999',
    '1e400',
    'NaN',
    '0x1f',
    'x'.repeat(5_000),
  ),
  fc.constantFrom(
    'MemTotal: 9007199254740991 kB',
    'cpu 9999999999999999 1 1 9999999999999999\n',
    '4: ACTIVE',
  ),
);

/** Half of the files, which ones depends on the text, contain the text instead. */
const damaged = (tree: RecordedTree, text: string): RecordedTree => ({
  ...tree,
  files: Object.fromEntries(
    Object.entries(tree.files).map(([path, good], index) => [
      path,
      (index + text.length) % 2 === 0 ? text : good,
    ]),
  ),
});

const holds = async (
  trees: readonly RecordedTree[],
  gathererOf: (machine: MachineAccess) => Gatherer,
): Promise<void> => {
  let emitted = 0;
  await withOddTexts(async text => {
    const reasons: string[] = [];
    const emissions: { readonly source: string; readonly reading: Reading }[] = [];
    const clock = new VirtualClock();
    const ending = new AbortController();
    const gathering = gathererOf(
      machineForTest({ files: recordedFiles(trees.map(tree => damaged(tree, text))) }),
    ).gather({
      clock,
      signal: ending.signal,
      fallbackReason: () => undefined,
      emit: (source, reading) => emissions.push({ source, reading }),
      fail: (_kind, _source, reason) => reasons.push(reason),
      absent: () => {},
    });
    // A source that cannot be used any more throws.
    const ended = gathering.catch((error: unknown) =>
      reasons.push(error instanceof Error ? error.message : ''),
    );
    await clock.advance(1_000);
    ending.abort();
    await ended;
    emitted += emissions.length;
    for (const { source, reading } of emissions) {
      expect(source.length).toBeLessThan(1_000);
      expectBelieved(reading);
    }
    for (const reason of reasons) expect([0 < reason.length, reason.length <= 1_000]).toEqual([true, true]);
  });
  expect(emitted).toBeGreaterThan(RUNS / 4);
};

const withOddTexts = (check: (text: string) => Promise<void>): Promise<void> =>
  fc.assert(fc.asyncProperty(ODD_TEXT, check), { numRuns: RUNS });

const expectBelieved = (reading: Reading): void => {
  const payload = { source: 'test', intervalMs: 1_000, value: reading.value };
  const result = v.safeParse(
    EVENT_KINDS[`${reading.kind}.gathered`].schema,
    JSON.parse(JSON.stringify(payload)),
  );
  expect(result.issues?.map(issue => `${v.getDotPath(issue)}: ${issue.message}`)).toBeUndefined();
};
