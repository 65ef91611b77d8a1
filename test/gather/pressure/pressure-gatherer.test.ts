import { describe, expect, it } from 'vitest';
import { unknown } from '../../../src/core/unknown.ts';
import { linuxPressureGatherer, parsePressure } from '../../../src/gather/pressure/pressure-gatherer.ts';
import { recordedFiles } from '../../support/recorded-files.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { runForTest } from '../gatherer-run.ts';
import { machineForTest } from '../machine-for-test.ts';
import { filesAt } from '../recorded-tree.ts';

const CPU =
  'some avg10=1.50 avg60=26.19 avg300=68.41 total=6405093044\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n';
const IDLE =
  'some avg10=0.00 avg60=0.00 avg300=0.00 total=0\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n';
const HOST = { '/proc/pressure/cpu': CPU, '/proc/pressure/memory': IDLE, '/proc/pressure/io': IDLE };
const ZERO = { share10s: 0, share60s: 0, share300s: 0, totalMicroseconds: 0 };

describe('a file of pressure', () => {
  it('reports the shares of three spans and the total time', () => {
    expect(parsePressure(CPU)).toEqual({
      some: { share10s: 0.015, share60s: 0.2619, share300s: 0.6841, totalMicroseconds: 6_405_093_044 },
      full: ZERO,
    });
  });

  it('may have no line of the time in which all waited', () => {
    expect(parsePressure(CPU.split('\n')[0] ?? '')).toMatchObject({
      full: unknown('this kernel reports only "some"'),
    });
  });

  it('of another form is none', () => {
    expect(parsePressure('hello\n')).toEqual(unknown('not a pressure file: no line "some avg10=…"'));
  });
});

describe('the pressure of a Linux machine', () => {
  it('is that of the host where the daemon is in no control group', async () => {
    expect(await reportedOf(HOST)).toMatchObject([
      {
        kind: 'reading',
        source: 'procfs',
        reading: {
          kind: 'pressure',
          value: { host: { io: { some: ZERO } }, controlGroup: { kind: 'none' } },
        },
      },
    ]);
  });

  it('has no time in which all waited for the processor: the kernel writes 0 there for the host, and measures nothing', async () => {
    const notMeasured = unknown('not measured for the processor of a whole machine');
    expect(await reportedOf(HOST)).toMatchObject([
      {
        reading: {
          value: { host: { cpu: { some: { share10s: 0.015 }, full: notMeasured }, io: { full: ZERO } } },
        },
      },
    ]);
  });

  it('has that of its control group next to it', async () => {
    const reported = await reportedOf({
      ...HOST,
      '/proc/self/cgroup': '0::/\n',
      '/proc/self/mountinfo': '30 1 0:26 / /sys/fs/cgroup ro - cgroup2 cgroup ro\n',
      '/sys/fs/cgroup/cgroup.type': 'domain\n',
      '/sys/fs/cgroup/cpu.pressure': CPU,
      '/sys/fs/cgroup/memory.pressure': IDLE,
    });
    expect(reported).toMatchObject([
      {
        reading: {
          value: {
            controlGroup: {
              kind: 'group',
              cpu: { some: { share10s: 0.015 }, full: ZERO },
              io: { kind: 'unknown' },
            },
          },
        },
      },
    ]);
  });

  it('is not on a machine whose kernel does not measure it, for good', async () => {
    expect(await reportedOf({})).toEqual([
      {
        kind: 'absence',
        about: 'pressure',
        source: 'procfs',
        reason: 'this kernel does not measure pressure (PSI is off)',
      },
    ]);
  });
});

const reportedOf = async (files: Readonly<Record<string, string>>) => {
  const clock = new VirtualClock();
  const machine = machineForTest({ files: recordedFiles([filesAt(files)]) });
  await using run = runForTest([linuxPressureGatherer(machine)], clock);
  await clock.advance(1_000);
  return run.reported;
};
