// The texts of /proc: their content, and that nothing a kernel or an attacker puts there makes a parser throw.

import { describe, expect, it } from 'vitest';
import { isUnknown } from '../../../src/core/unknown.ts';
import { parseMountinfo } from '../../../src/gather/mountinfo/parse-mountinfo.ts';
import { parseCpuList } from '../../../src/gather/procfs/cpu-clusters.ts';
import {
  AVAILABLE_SHARE_CRITICAL,
  AVAILABLE_SHARE_WARNING,
  memoryPressure,
  parseStalledShare,
  STALLED_SHARE_CRITICAL,
  STALLED_SHARE_WARNING,
} from '../../../src/gather/procfs/linux-memory-gatherer.ts';
import { armCoreName, parseCpuinfo } from '../../../src/gather/procfs/parse-cpuinfo.ts';
import { parseMeminfo } from '../../../src/gather/procfs/parse-meminfo.ts';
import { cpuUseBetween, parseStat } from '../../../src/gather/procfs/parse-stat.ts';
import { forAnyOutput } from '../../support/arbitrary-output.ts';
import { fixture } from '../../support/fixture.ts';

describe('/proc/meminfo', () => {
  it('is read in bytes, kB being 1024', () => {
    expect(parseMeminfo(fixture('procfs/meminfo-gb10.txt'))).toEqual({
      totalBytes: 127_600_000 * 1024,
      availableBytes: 118_500_000 * 1024,
      swapTotalBytes: 16_000_000 * 1024,
      swapUsedBytes: 1_000_000 * 1024,
    });
  });

  it('leaves unknown what an old kernel does not print, and takes no other line for it', () => {
    const info = parseMeminfo(
      'MemTotal:  1000 kB\nSwapCached:  5 kB\nxMemAvailable: 7 kB\nSwapTotal: 8 kB\n',
    );
    expect(info.totalBytes).toBe(1_024_000);
    expect(info.availableBytes).toEqual({ kind: 'unknown', reason: 'no MemAvailable in /proc/meminfo' });
    expect(isUnknown(info.swapUsedBytes)).toBe(true);
  });

  it.each([
    'MemTotal: -5 kB',
    'MemTotal: 5',
    'MemTotal: 99999999999999999999 kB',
    'MemTotal:',
    'MemTotal: 1e3 kB',
  ])('has no figure in %j', text => {
    expect(isUnknown(parseMeminfo(text).totalBytes)).toBe(true);
  });
});

describe('/proc/pressure/memory', () => {
  it('is a share of the last ten seconds', () => {
    expect(
      parseStalledShare('some avg10=38.06 avg60=21.52 avg300=6.71 total=1\nfull avg10=31.44 total=1\n'),
    ).toBeCloseTo(0.3806, 10);
    expect(parseStalledShare('some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n')).toBe(0);
  });

  it('is not taken from the line of full stalls', () => {
    expect(isUnknown(parseStalledShare('full avg10=31.44 avg60=17.80 avg300=5.49 total=1\n'))).toBe(true);
  });
});

describe('the level of memory pressure', () => {
  const level = (stalledShare: number, availableShare: number): unknown =>
    memoryPressure({ stalledShare, totalBytes: 1_000_000, availableBytes: availableShare * 1_000_000 }).level;

  it('rises when tasks wait, however much is free', () => {
    expect(level(0, 0.5)).toBe('normal');
    expect(level(STALLED_SHARE_WARNING, 0.5)).toBe('warning');
    expect(level(STALLED_SHARE_CRITICAL, 0.5)).toBe('critical');
  });

  it('rises when little is left, before anybody waits', () => {
    expect(level(0, AVAILABLE_SHARE_WARNING)).toBe('normal');
    expect(level(0, AVAILABLE_SHARE_WARNING - 0.01)).toBe('warning');
    expect(level(0, AVAILABLE_SHARE_CRITICAL - 0.01)).toBe('critical');
  });

  it('is derived from free memory if the kernel measures no pressure, and unknown if neither is known', () => {
    const stalledShare = { kind: 'unknown', reason: 'PSI is off' } as const;
    const availableBytes = { kind: 'unknown', reason: 'old kernel' } as const;
    expect(memoryPressure({ stalledShare, totalBytes: 100, availableBytes: 50 }).level).toBe('normal');
    expect(memoryPressure({ stalledShare, totalBytes: 100, availableBytes }).level).toEqual(availableBytes);
  });
});

describe('/proc/stat', () => {
  it('counts guest time once, waiting for a disk as idle, stolen time as busy', () => {
    const times = parseStat(fixture('procfs/stat-two-cpus.txt'));
    expect(times?.all).toEqual({ busy: 1000 + 100 + 500 + 10 + 90 + 100, idle: 8200 });
    expect([...(times?.each.keys() ?? [])]).toEqual([0, 1]);
  });

  it('gives the busy share between two readings', () => {
    expect(cpuUseBetween({ busy: 100, idle: 900 }, { busy: 130, idle: 970 })).toBe(0.3);
  });

  it('does not fall for idle time that steps back', () => {
    expect(cpuUseBetween({ busy: 100, idle: 900 }, { busy: 110, idle: 890 })).toBe(1);
    expect(isUnknown(cpuUseBetween({ busy: 100, idle: 900 }, { busy: 100, idle: 899 }))).toBe(true);
  });

  it('reads the five fields of very old kernels, and nothing that is not a number', () => {
    expect(parseStat('cpu 1 2 3 4\n')?.all).toEqual({ busy: 6, idle: 4 });
    expect(parseStat('cpu 1 x 3 4\n')).toBeUndefined();
    expect(parseStat('intr 1 2 3\n')).toBeUndefined();
  });

  it('drops a last line that the bound of one read has cut', () => {
    expect(parseStat('cpu 1 2 3 4\ncpu0 1 2 3 4\ncpu1 1 2 3')?.each.size).toBe(1);
  });
});

describe('/proc/cpuinfo', () => {
  it('names an x86 processor, and reports when a hypervisor is below', () => {
    const info = parseCpuinfo(fixture('procfs/cpuinfo-epyc-vm.txt'));
    expect(info.chip).toBe('AMD EPYC 9354 32-Core Processor');
    expect(info.hasHypervisorFlag).toBe(true);
    expect(info.coreKinds.size).toBe(0);
  });

  it('counts the cores of an Arm chip by kind', () => {
    const info = parseCpuinfo(fixture('procfs/cpuinfo-gb10.txt'));
    expect(info.chip).toBe('2 × Cortex-X925, 2 × Cortex-A725');
    expect(info.coreKinds.get('Cortex-X925')).toEqual([2, 3]);
    expect(info.hasHypervisorFlag).toBe(false);
  });

  it('gives the numbers of a core that it does not know', () => {
    expect(armCoreName('0x41', '0xfff')).toBe('implementer 0x41 part 0xfff');
    expect(armCoreName('0x41', '0xD0C')).toBe('Neoverse-N1');
  });

  it.each([
    ['an Asahi Mac', 'cpuinfo-m1-max-asahi.txt', 'Apple M1 Max (2 × Firestorm, 2 × Icestorm)'],
    ['a Snapdragon X2', 'cpuinfo-snapdragon-x2-elite.txt', '2 × Oryon'],
    ['a Jetson whose kernel names the architecture only', 'cpuinfo-agx-xavier.txt', '2 × Carmel'],
    ['POWER, without its mode', 'cpuinfo-power7.txt', 'POWER7'],
    ['RISC-V, by its maker', 'cpuinfo-milk-v-pioneer.txt', '4 × T-Head rv64imafdcv'],
  ])('names the processor of %s', (_, file, chip) => {
    expect(parseCpuinfo(fixture(`procfs/${file}`)).chip).toBe(chip);
  });

  it.each([
    ['ThunderX2 of Broadcom', '0x42', '0x516', 'ThunderX2'],
    ['ThunderX2 of Cavium', '0x43', '0x0af', 'ThunderX2'],
    ['Phytium', '0x70', '0x862', 'FTC862'],
    ['Vera', '0x4e', '0x010', 'Olympus'],
    ['Snapdragon X', '0x51', '0x001', 'Oryon'],
    ['Cobalt 100', '0x6d', '0xd49', 'Neoverse-N2'],
  ])('names the cores of %s', (_, implementer, part, name) => {
    expect(armCoreName(implementer, part)).toBe(name);
  });

  it('takes twice the cores of a Max for an Ultra', () => {
    const cores = (part: string, count: number): string =>
      Array.from(
        { length: count },
        (_, index) =>
          `processor : ${index + (part === '0x029' ? 4 : 0)}\nCPU implementer : 0x61\nCPU part : ${part}\n`,
      ).join('\n');
    expect(parseCpuinfo(`${cores('0x028', 4)}\n${cores('0x029', 16)}`).chip).toBe(
      'Apple M1 Ultra (16 × Firestorm, 4 × Icestorm)',
    );
  });

  it('writes the name of a Phytium, whose kernel has a comma in it, as its maker does', () => {
    const text = 'processor : 0\nmodel name : Phytium,D2000/8\nCPU implementer : 0x70\nCPU part : 0x663\n';
    expect(parseCpuinfo(text).chip).toBe('Phytium D2000/8');
  });

  it('takes the core of RISC-V from uarch, else from the device tree', () => {
    const block = 'processor : 0\nisa : rv64imafdc_zicntr_zicsr\nmvendorid : 0x489\n';
    expect(parseCpuinfo(`${block}uarch : sifive,u74-mc\n`).chip).toBe('1 × U74-MC');
    expect(parseCpuinfo(block, 'thead,c920\0riscv\0').chip).toBe('1 × C920');
    expect(parseCpuinfo(block).chip).toBe('1 × SiFive rv64imafdc');
  });

  it.each([
    ['POWER9 (raw), altivec supported', 'POWER9'],
    ['POWER10 (architected), altivec supported', 'POWER10'],
    ['POWER9, altivec supported', 'POWER9'],
  ])('names %j', (cpu, chip) => {
    expect(parseCpuinfo(`processor : 0\ncpu : ${cpu}\nclock : 3000.0MHz\n`).chip).toBe(chip);
  });

  it('reports it when there is no name', () => {
    expect(parseCpuinfo('processor : 0\n').chip).toEqual({
      kind: 'unknown',
      reason: '/proc/cpuinfo has no model name',
    });
  });
});

describe('sets of processors', () => {
  it('are ranges and single numbers', () => {
    expect(parseCpuList('0-2,5,8-9\n')).toEqual([0, 1, 2, 5, 8, 9]);
    expect(parseCpuList('')).toEqual([]);
    expect(parseCpuList('0-x')).toEqual([]);
  });

  it('have a bound', () => {
    expect(parseCpuList('0-99999').length).toBe(8_192);
  });
});

describe('/proc/self/mountinfo', () => {
  it('is read field by field, with its escaped spaces', () => {
    const mounts = parseMountinfo(fixture('procfs/mountinfo-workstation.txt'));
    expect(mounts.find(mount => mount.mountPoint === '/data/large models')).toEqual({
      deviceNumber: '259:4',
      root: '/',
      mountPoint: '/data/large models',
      fileSystem: 'xfs',
      device: '/dev/nvme1n1p1',
      superOptions: ['rw', 'attr2'],
    });
  });

  it('has lines with and without optional fields', () => {
    expect(
      parseMountinfo(
        '50 27 259:9 / /mnt/old rw - ext4 /dev/sdb1 rw\n50 27 259:9 / /a rw shared:1 master:2 - xfs /dev/x rw',
      ),
    ).toMatchObject([{ mountPoint: '/mnt/old' }, { mountPoint: '/a', fileSystem: 'xfs' }]);
  });

  it('keeps letters beyond ASCII and decodes what separates fields', () => {
    expect(parseMountinfo('1 2 3:4 / /café\\011\\134x rw - ext4 /dev/x rw')[0]?.mountPoint).toBe(
      '/café\t\\x',
    );
  });
});

describe('text of any kind', () => {
  it('makes no parser throw', () => {
    const samples = [
      'procfs/meminfo-gb10.txt',
      'procfs/stat-two-cpus.txt',
      'procfs/cpuinfo-gb10.txt',
      'procfs/mountinfo-workstation.txt',
    ].map(fixture);
    forAnyOutput(samples, text => {
      parseMeminfo(text);
      parseStalledShare(text);
      parseStat(text);
      parseCpuinfo(text);
      parseMountinfo(text);
      parseCpuList(text);
    });
  });

  it('gives no negative or unsafe number of bytes', () => {
    forAnyOutput([fixture('procfs/meminfo-gb10.txt')], text => {
      for (const value of Object.values(parseMeminfo(text))) {
        if (typeof value === 'number') expect(value).toBeGreaterThanOrEqual(0);
      }
    });
  });
});
