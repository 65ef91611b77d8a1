// All gatherers of a Linux machine together: on this machine, and on fixture trees of machines that are not here.

import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isUnknown } from '../../src/core/unknown.ts';
import type { GatherIntervals, GatherSettings } from '../../src/gather/machine-access.ts';
import { platformSources } from '../../src/gather/platform-gatherers.ts';
import { fixture } from '../support/fixture.ts';
import type { RecordedTree } from '../support/recorded-files.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts';
import { type GathererRun, isFailure, isReading, runForTest } from './gatherer-run.ts';
import { machineForTest } from './machine-for-test.ts';
import { filesAt, plant, recordedTree } from './recorded-tree.ts';

describe('this machine', () => {
  it('reports every kind that any Linux machine has, and no failure', async context => {
    if (os.platform() !== 'linux') context.skip('not a Linux machine');
    await using run = startOn('/');
    for (const kind of ['identity', 'memory', 'system', 'network', 'disk'] as const) {
      await run.waitFor(isReading(kind), 'from start');
    }
    expect(run.reported.filter(({ kind }) => kind === 'failure')).toEqual([]);
  });

  it('has the memory that /proc/meminfo reports', async context => {
    if (os.platform() !== 'linux') context.skip('not a Linux machine');
    await using run = startOn('/');
    const { reading } = await run.waitFor(isReading('memory'), 'from start');
    const kibibytes = /^MemTotal:\s+(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1];
    expect(reading.value.totalBytes).toBe(Number(kibibytes) * 1024);
    expect(reading.value.totalBytes).toBe(os.totalmem());
  });

  it('has the host name, kernel and number of processors that uname and nproc report', async context => {
    if (os.platform() !== 'linux') context.skip('not a Linux machine');
    await using run = startOn('/');
    const { value } = (await run.waitFor(isReading('identity'), 'from start')).reading;
    expect(value.hostName).toBe(os.hostname());
    expect(value.operatingSystem.build).toBe(os.release());
    expect(value.cpuCount).toBe(os.cpus().length);
    expect(value.plimsollVersion).toBe('1.2.3');
  });

  it('has the interfaces and addresses that ip reports', async context => {
    if (os.platform() !== 'linux') context.skip('not a Linux machine');
    let text: string;
    try {
      text = execFileSync('ip', ['-j', 'addr'], { encoding: 'utf8' });
    } catch {
      return context.skip('no ip on this machine');
    }
    await using run = startOn('/');
    const { value } = (await run.waitFor(isReading('network'), 'from start')).reading;
    const expected: { ifname: string; addr_info: { local: string; prefixlen: number }[] }[] =
      JSON.parse(text);
    expect(
      new Map(
        value.interfaces.map(item => [
          item.name,
          item.addresses.map(({ address, prefixLength }) => `${address}/${prefixLength}`),
        ]),
      ),
    ).toEqual(
      new Map(
        expected.map(item => [
          item.ifname,
          item.addr_info.map(({ local, prefixlen }) => `${local}/${prefixlen}`),
        ]),
      ),
    );
  });

  it('reports a first load after a moment, as a share and not as a zero of nothing', async context => {
    if (os.platform() !== 'linux') context.skip('not a Linux machine');
    await using run = startOn('/');
    const { value } = (await run.waitFor(isReading('system'), 'from start')).reading;
    expect(value.cpuUse).toBeGreaterThanOrEqual(0);
    expect(value.cpuUse).toBeLessThanOrEqual(1);
    expect(value.uptimeSeconds).toBeGreaterThan(0);
  });
});

describe('a DGX Spark', () => {
  it('is identified by its firmware, its cores and its one memory', async () => {
    using root = planted(SPARK, recordedTree('sysfs/infiniband-mixed.json'));
    await using run = startOn(root.path);
    const identity = (await run.waitFor(isReading('identity'), 'from start')).reading.value;
    expect(identity).toMatchObject({
      friendlyName: 'Spark in the corner',
      hostName: 'spark-a',
      model: 'NVIDIA DGX Spark',
      chip: 'NVIDIA GB10 (2 × Cortex-X925, 2 × Cortex-A725)',
      cpuCount: 4,
      memoryIsUnified: true,
      virtualisation: 'none',
      isSimulated: false,
      operatingSystem: { platform: 'linux', name: 'NVIDIA DGX OS 7', version: '7.2', build: '6.11.0-nvidia' },
    });
    const memory = (await run.waitFor(isReading('memory'), 'from start')).reading.value;
    expect(memory).toMatchObject({
      totalBytes: 127_600_000 * 1024,
      container: { kind: 'none' },
      pressure: {
        level: 'normal',
        stalledShare: { kind: 'unknown', reason: 'this kernel does not measure pressure (PSI is off)' },
      },
    });
    const rdma = (await run.waitFor(isReading('rdmaDevices'), 'from start')).reading.value;
    expect(rdma.devices).toHaveLength(8);
  });

  it('reports the load of each kind of core', async () => {
    using root = planted(SPARK);
    await using run = startOn(root.path, { systemMs: 20 });
    await run.waitFor(isReading('system'), 'from start');
    writeFileSync(
      join(root.path, 'proc/stat'),
      'cpu 400 0 0 800\ncpu0 100 0 0 200\ncpu1 100 0 0 200\ncpu2 100 0 0 200\ncpu3 100 0 0 200\n',
    );
    const reported = await run.waitUntil(
      reported => isReading('system')(reported) && reported.reading.value.cpuUse === 0.25,
    );
    if (!isReading('system')(reported)) return;
    expect(reported.reading.value.cpuClusters).toEqual([
      { name: 'Cortex-A725', use: 0, clockMhz: { kind: 'unknown', reason: 'no cpufreq driver' } },
      { name: 'Cortex-X925', use: 0.5, clockMhz: 3900 },
    ]);
    expect(reported.reading.value.cpuTemperatureCelsius).toBe(41.5);
    expect(reported.source).toBe('procfs, acpitz');
  });

  it('takes the name that its configuration gives, from the next reading on', async () => {
    using root = planted(SPARK);
    let settings: GatherSettings = { name: undefined, ignoredInterfaces: [] };
    await using run = startOn(root.path, { identityMs: 10 }, () => settings);
    await run.waitFor(isReading('identity'), 'from start');
    settings = { name: 'Left one', ignoredInterfaces: [] };
    await run.waitUntil(
      reported => isReading('identity')(reported) && reported.reading.value.friendlyName === 'Left one',
    );
  });
});

describe('a source that breaks', () => {
  it('is reported with its reason, and as a reading again when it is back', async () => {
    using root = planted(SPARK);
    await using run = startOn(root.path, { memoryMs: 10 });
    await run.waitFor(isReading('memory'), 'from start');
    writeFileSync(join(root.path, 'proc/meminfo'), 'MemTotal: plenty\n');
    await run.waitUntil(isFailure('memory', 'MemTotal is not a number of kB'));
    writeFileSync(join(root.path, 'proc/meminfo'), fixture('procfs/meminfo-gb10.txt'));
    await run.waitFor(isReading('memory'));
  });

  it('leaves the others alone when all of /proc is gone', async () => {
    using root = planted(recordedTree('sysfs/class-net-every-kind.json'));
    await using run = startOn(root.path);
    await run.waitFor(isReading('network'), 'from start');
    await run.waitUntil(isFailure('memory', 'no /proc/meminfo'), 'from start');
    await run.waitUntil(isFailure('system', 'no /proc/stat'), 'from start');
    await run.waitUntil(isFailure('disk', 'no /proc/self/mountinfo'), 'from start');
    const identity = (await run.waitFor(isReading('identity'), 'from start')).reading.value;
    expect(identity.friendlyName).toBe('localhost');
    expect([identity.model, identity.chip, identity.cpuCount, identity.virtualisation].every(isUnknown)).toBe(
      true,
    );
  });

  it('reports that permission is missing where it is', async context => {
    if (os.userInfo().uid === 0) context.skip('root may read everything');
    using root = planted(SPARK);
    chmodSync(join(root.path, 'proc/meminfo'), 0);
    await using run = startOn(root.path);
    await run.waitUntil(isFailure('memory', 'permission denied: /proc/meminfo'), 'from start');
  });

  it('does not end the daemon when files vanish while they are read', async () => {
    using root = planted(
      SPARK,
      recordedTree('sysfs/class-net-every-kind.json'),
      recordedTree('sysfs/infiniband-mixed.json'),
    );
    await using run = startOn(root.path, FAST);
    for (const kind of ['memory', 'system', 'network', 'rdmaDevices'] as const)
      await run.waitFor(isReading(kind), 'from start');
    rmSync(join(root.path, 'sys'), { recursive: true });
    rmSync(join(root.path, 'proc'), { recursive: true });
    await run.waitUntil(reported => reported.kind === 'failure' && reported.about === 'network');
    plant(root.path, [SPARK, recordedTree('sysfs/class-net-every-kind.json')]);
    await run.waitFor(isReading('network'));
  });
});

const FAST: Partial<GatherIntervals> = {
  memoryMs: 10,
  systemMs: 10,
  thunderboltMs: 10,
  networkMs: 10,
  rdmaMs: 10,
  diskMs: 10,
  identityMs: 10,
};

const SPARK: RecordedTree = filesAt({
  '/proc/meminfo': fixture('procfs/meminfo-gb10.txt'),
  '/proc/cpuinfo': fixture('procfs/cpuinfo-gb10.txt'),
  '/proc/stat': 'cpu 350 0 0 650\ncpu0 100 0 0 150\ncpu1 100 0 0 150\ncpu2 75 0 0 175\ncpu3 75 0 0 175\n',
  '/proc/loadavg': '0.42 0.30 0.20 1/400 1234\n',
  '/proc/uptime': '86400.50 100.00\n',
  '/proc/self/mountinfo': '27 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw\n',
  '/proc/self/cgroup': '0::/user.slice\n',
  '/proc/sys/kernel/hostname': 'spark-a\n',
  '/proc/sys/kernel/osrelease': '6.11.0-nvidia\n',
  '/proc/driver/nvidia/gpus/000f:01:00.0/information': 'Model: \t\t NVIDIA GB10\nIRQ:   \t\t 0\n',
  '/etc/os-release': 'PRETTY_NAME="NVIDIA DGX OS 7"\nVERSION_ID="7.2"\n',
  '/etc/machine-info': 'PRETTY_HOSTNAME="Spark in the corner"\n',
  '/sys/class/dmi/id/sys_vendor': 'NVIDIA\n',
  '/sys/class/dmi/id/product_name': 'NVIDIA_DGX_Spark\n',
  '/sys/devices/system/cpu/online': '0-3\n',
  '/sys/devices/system/cpu/cpu2/cpufreq/scaling_cur_freq': '3900000\n',
  '/sys/bus/pci/devices/000f:01:00.0/class': '0x030200\n',
  '/sys/bus/pci/devices/000f:01:00.0/vendor': '0x10de\n',
  '/sys/bus/pci/devices/000f:01:00.0/device': '0x2e12\n',
  '/sys/class/hwmon/hwmon0/name': 'acpitz\n',
  '/sys/class/hwmon/hwmon0/temp1_input': '41500\n',
});

const planted = (...trees: readonly RecordedTree[]): TemporaryDirectory => {
  const root = temporaryDirectory();
  plant(root.path, trees);
  return root;
};

const startOn = (
  root: string,
  intervals: Partial<GatherIntervals> = {},
  settings: () => GatherSettings = () => ({ name: undefined, ignoredInterfaces: [] }),
): GathererRun =>
  runForTest(
    platformSources(
      'linux',
      machineForTest({ root, env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' }, settings, intervals }),
    ),
  );
